package collision

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// The vector instructions that kernels may use, as in Options.Vectors.
const (
	VectorsNone   = kernel.VectorsNone
	VectorsAVX2   = kernel.VectorsAVX2
	VectorsAVX512 = kernel.VectorsAVX512
)

// VectorsVariable is the environment variable that says what an empty Options.Vectors means.
const VectorsVariable = "ATOMTUNE_VECTORS"

// Vectors lists the vector instructions that this processor has kernels for, the widest last.
func Vectors() []string { return kernel.Vectors() }

func (o Options) vectors() string {
	has := Vectors()
	return cmp.Or(o.Vectors, os.Getenv(VectorsVariable), has[len(has)-1])
}

func (o Options) checkVectors() error {
	has, wanted := Vectors(), o.vectors()
	if slices.Contains(has, wanted) {
		return nil
	}
	from := "vectors"
	if o.Vectors == "" {
		from = VectorsVariable
	}
	return fmt.Errorf("%w: %s %q: want one of %s, which this processor and build have", ErrOptions, from, wanted,
		strings.Join(has, ", "))
}
