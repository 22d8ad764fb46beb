package gpu_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/gpu"
	"github.com/atomtune/atomtune/gpu/libcuda"
	"github.com/atomtune/atomtune/gpu/libcuda/standin"
)

// launched returns the launches that a call makes on the stand-in, without the addresses.
func launched(t *testing.T, call func() error) []string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(standin.LogVariable, log)
	if err := call(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	address := regexp.MustCompile(` 0000[0-9a-f]{8}[0-9a-f]{3}[08]\b`)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "launch "); ok {
			list = append(list, strings.TrimSpace(address.ReplaceAllString(rest, " -")))
		}
	}
	return list
}

// TestLaunches: the kernels of a call with their blocks, threads, bytes of shared memory and
// arguments, in their order.
func TestLaunches(t *testing.T) {
	onStandin(t)
	d := open(t)
	out, old := make([]float32, 100), make([]float32, 2001)
	index, values := make([]uint32, 2001), make([]float32, 2001)
	for _, c := range []struct {
		implementation, launch string
		want                   []string
	}{
		{"naive", "", []string{"update_naive_f32_loaded 8 256 0 - - - 00000000000007d1"}},
		{"private:r=2,pad=1", "5x512x4", []string{
			"update_private_naive_f32_loaded_x4 5 512 808 - - - 00000000000007d1 " +
				"00000064 00000002 00000001 00000000"}},
		{"hot:s=64,r=4,sample=2048", "", []string{
			"sample_hot 1 1024 16896 - - 00000000000007d1 00000040 00000800",
			"update_hot_naive_f32_loaded 8 256 1296 - - - 00000000000007d1 - 00000040 00000004"}},
		{"threadprivate", "", []string{
			"update_threadprivate_f32_loaded 8 256 102400 - - - 00000000000007d1 00000064",
			"sum_partials_f32 13 256 0 - - 00000064 00000008"}},
	} {
		o := gpu.Options{Device: d, Implementation: c.implementation, Launch: c.launch}
		got := launched(t, func() error { return gpu.ScatterAdd(t.Context(), out, index, values, o) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.implementation, strings.Join(got, "\n"),
				strings.Join(c.want, "\n"))
		}
	}
	o := gpu.Options{Device: d, Implementation: "match"}
	got := launched(t, func() error { return gpu.FetchAdd(t.Context(), out, old, index, values, o) })
	want := []string{"update_match_old_f32_loaded 8 256 0 - - - - 00000000000007d1"}
	if !slices.Equal(got, want) {
		t.Errorf("with old values: %q, want %q", got, want)
	}
}

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
