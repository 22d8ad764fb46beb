package input

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
)

func (f *StreamFlags) registerIndex(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.index, "index", "", "`type` of the kernel's indices (default: as in the input): ")
	OneOf(cmd, "index", device.IndexNames())
}

// indexOf is the type of indices that are such elements of an input, unless --index names another.
func (f *StreamFlags) indexOf(elements tensor.Type) device.Type {
	name := f.index
	if name == "" && elements.Kind == tensor.Int && elements.Size >= 4 {
		name = fmt.Sprint("i", 8*elements.Size)
	} else if name == "" {
		name = fmt.Sprint("u", 8*elements.Size)
	}
	t, err := device.ParseIndex(name)
	if err != nil {
		panic(err) // Finish refuses what --index does not take
	}
	return t
}

// Fits refuses an --index that cannot name so many targets.
func (f *StreamFlags) Fits(bins uint64) error {
	if f.index == "" {
		return nil
	}
	if bits := 8 * f.indexOf(tensor.Uint32).Bytes(); bits < 32 && bins > 1<<bits {
		return fmt.Errorf("%w: --index %s names no more than %d targets, and there are %d", datasets.ErrOptions,
			f.index, 1<<bits, bins)
	}
	return nil
}

// checkIndex refuses an --index that is unknown, or that rows cannot have.
func (f *StreamFlags) checkIndex() error {
	if f.index == "" {
		return nil
	}
	t, err := device.ParseIndex(f.index)
	if err != nil {
		return command.Usagef("--index: %v", err)
	}
	if f.Width > 0 && t.Bytes() < 4 {
		return command.Usagef("--index %s cannot be used with --width: rows take indices of 32 or 64 bits", f.index)
	}
	return nil
}
