package input

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// The flags that bound what is held in memory of each input, that leave out the rest of a stream, and that bound
// what is read without an update.
const (
	maxBytes   = "max-bytes"
	maxUpdates = "max-updates"
	maxGap     = "max-gap"
)

// RegisterMaxBytes adds --max-bytes with a default; usage says what it bounds.
func RegisterMaxBytes(cmd *cobra.Command, to *ByteSize, most uint64, usage string) {
	*to = ByteSize(most)
	cmd.Flags().Var(to, maxBytes, usage+": a `size` such as 64MiB or 1GB (0: no limit)")
	command.Hide(cmd, maxBytes)
}

func (s ByteSize) limit() uint64 { return cmp.Or(uint64(s), math.MaxInt64-1) }

// AtMost is the usage of a flag that names a file which is held as a whole, with its limit.
func AtMost(most int64, usage string) string {
	size := ByteSize(most)
	return fmt.Sprintf("%s; %s at most", usage, &size)
}

// WholeFiles reads files that are held as a whole.
type WholeFiles struct{ most ByteSize }

// Register adds the limit's flag, by default a lower one: measurements take several times their text.
func (w *WholeFiles) Register(cmd *cobra.Command) {
	RegisterMaxBytes(cmd, &w.most, 2*wholefile.Most/3, "limit on the bytes of a file, also after decompression")
}

// Read reads a file, or standard input for "-", through gzip; name is for errors.
func (w *WholeFiles) Read(e *command.Env, path string) (name string, data []byte, err error) {
	name, in := "stdin", e.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return path, nil, err
		}
		defer f.Close() // it was only read
		name, in = path, f
	}
	most, packed := int64(w.most.limit()), false
	if data, err = wholefile.ReadFrom(in, name, most); err != nil {
		return name, nil, large(err)
	}
	if data, packed, err = gzipped.UnpackFrom(data, most); err != nil {
		return name, nil, large(fmt.Errorf("%s: %w", name, err))
	}
	if !packed && strings.HasSuffix(strings.ToLower(name), ".gz") {
		return name, nil, fmt.Errorf("%s: is named .gz, but is not a gzip file", name)
	}
	return name, data, nil
}

// large names the flag that lets an input take more memory, or be read on.
func large(err error) error {
	switch {
	case errors.Is(err, wholefile.ErrLarge):
		return fmt.Errorf("%w; --%s raises the limit", err, maxBytes)
	case errors.Is(err, datasets.ErrGap):
		return fmt.Errorf("%w; --%s raises the limit", err, maxGap)
	}
	return err
}
