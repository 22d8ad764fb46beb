package kernels

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/lab/validate"
)

// WriteKernels makes the table of a plan and writes it, in gzip where the name
// ends in .gz. The journal stands beside it until the table is written, so that
// the same command goes on where it was cut. Errors wrap ErrValidate.
func WriteKernels(ctx context.Context, path string, p KernelPlan, o SimulateOptions) (KernelTable, error) {
	o.Journal = JournalOf(path)
	t, err := SimulateKernels(ctx, p, o)
	if err != nil {
		return t, err
	}
	data, err := t.Encode()
	if err == nil && strings.HasSuffix(path, ".gz") {
		data, err = recordings.Compress(data)
	}
	if err == nil {
		err = wholefile.Write(path, data)
	}
	if err == nil {
		err = os.Remove(o.Journal)
	}
	if err != nil {
		return t, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return t, nil
}

// ReadKernels reads a table's file. Errors wrap ErrValidate.
func ReadKernels(path string) (KernelTable, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return KernelTable{}, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return DecodeKernels(path, data)
}
