package gpu_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/bindings/gpu/libcuda"
	"github.com/atomtune/atomtune/internal/standin"
)

// countdown is a context that is cancelled after it was asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

// TestCancel: the end of the context ends the call, and nothing is written, before it begins,
// before the device takes it, before and after the kernels are made ready, and before the result
// comes back.
func TestCancel(t *testing.T) {
	onStandin(t)
	d := open(t)
	index := []uint32{0, 1, 1}
	for steps := range 20 {
		out := []int32{5, 6}
		ctx := &countdown{t.Context(), steps}
		err := gpu.Histogram(ctx, out, index, gpu.Options{Device: d})
		if err == nil {
			if steps != 5 || out[0] != 6 || out[1] != 8 {
				t.Errorf("after the context was asked %d times: %v", steps, out)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || out[0] != 5 || out[1] != 6 {
			t.Errorf("%d steps: %v, %v", steps, err, out)
		}
	}
	t.Error("no number of steps is enough")
}

// TestFaults: what the driver refuses is said in its words, and nothing is written.
func TestFaults(t *testing.T) {
	onStandin(t)
	for fault, want := range map[string]error{
		"no_device": gpu.ErrNoDevice, "stub": gpu.ErrNoDriver, "old_ptx": gpu.ErrOldDriver,
	} {
		t.Run(fault, func(t *testing.T) {
			t.Setenv(standin.FaultVariable, fault)
			out := []float64{1}
			d, err := gpu.Open(0)
			if err == nil {
				defer d.Close()
				err = gpu.Histogram(t.Context(), out, []uint32{0}, gpu.Options{Device: d})
			}
			if !errors.Is(err, want) || out[0] != 1 {
				t.Errorf("%v, %v, want %v", err, out, want)
			}
		})
	}
}

// TestNoDriver: without the library, and without a GPU of that number.
func TestNoDriver(t *testing.T) {
	onStandin(t)
	if _, err := gpu.Open(3); !errors.Is(err, gpu.ErrNoDevice) {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "libcuda.so.1")
	t.Setenv(libcuda.LibraryVariable, path)
	if _, err := gpu.Open(0); !errors.Is(err, gpu.ErrNoDriver) ||
		!strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}
