package gpu_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu"
	"github.com/atomtune/atomtune/internal/standin"
)

// failures are codes of the driver: the device is unavailable, its memory has failed, it is gone, a
// kernel has died, it is not known why.
var failures = []int{46, 214, 100, 719, 999}

// work makes calls of each kind on a device and returns the results that they gave, each of a call
// that succeeded.
func work(t *testing.T, d *gpu.Device) (results [][]uint32, err error) {
	index, values := []uint32{0, 2, 2, 1}, []uint32{5, 6, 7, 8}
	keep := func(err error, from, old []uint32, was ...uint32) error {
		if err == nil {
			results = append(results, slices.Concat(from, old))
		} else if len(was) > 0 && !slices.Equal(from, was) {
			t.Errorf("a call that failed (%v) left %v", err, from)
		}
		return err
	}
	out := []uint32{1, 2, 3}
	e1 := keep(gpu.ScatterAdd(t.Context(), out, index, values, gpu.Options{Device: d}), out, nil, 1, 2, 3)
	out, old := []uint32{1, 2, 3}, make([]uint32, 4)
	e2 := keep(gpu.FetchAdd(t.Context(), out, old, index, values, gpu.Options{Device: d,
		Implementation: "naive"}), out, old)
	e3 := func() error {
		b, err := gpu.Zeros[uint32](t.Context(), d, 3)
		if err != nil {
			return err
		}
		at, err := gpu.Upload(t.Context(), d, index)
		if err != nil {
			return err
		}
		to := make([]uint32, 3)
		if err = b.Histogram(t.Context(), at); err == nil {
			err = keep(b.Read(t.Context(), to), to, nil)
		}
		return errors.Join(err, at.Free(t.Context()), b.Free(t.Context()))
	}()
	return results, errors.Join(e1, e2, e3)
}

// expected are the results of work.
var expected = [][]uint32{{6, 10, 16}, {6, 10, 16, 1, 3, 9, 2}, {1, 1, 2}}

// TestTakenAway: a device that is taken away at any call of the driver ends the call with an error
// and gives no result that is wrong; nothing more is asked of the driver then, but to give the device
// back; Close returns, and the next process has the device.
func TestTakenAway(t *testing.T) {
	onStandin(t)
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(standin.LogVariable, log)
	taken := 0
	for n := 1; ; n++ {
		fault := fmt.Sprintf("lost:%d:%d", n, failures[n%len(failures)])
		_ = os.Remove(log) // there may be none
		t.Setenv(standin.FaultVariable, fault)
		failed := failsAt(t, fault)
		text, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		after := strings.ReplaceAll(string(text), "failed cuDevicePrimaryCtxRelease_v2\n", "")
		if calls := strings.Count(after, "failed "); calls > 1 {
			t.Errorf("%s: %d calls of a device that is gone:\n%s", fault, calls, after)
		}
		if !failed {
			break
		}
		taken++
	}
	if taken < 60 {
		t.Errorf("the device was taken away at %d calls", taken)
	}
	t.Setenv(standin.FaultVariable, "")
	results, err := work(t, open(t))
	if err != nil || fmt.Sprint(results) != fmt.Sprint(expected) {
		t.Errorf("afterwards: %v, %v", results, err)
	}
}

// TestFailsOnce: a call of the driver that fails by itself, in a way that is not known to be harmless
// or in one that is, gives no wrong result either.
func TestFailsOnce(t *testing.T) {
	onStandin(t)
	for n := 1; ; n++ {
		fault := fmt.Sprintf("once:%d:%d", n, []int{1, 999, 2}[n%3])
		t.Setenv(standin.FaultVariable, fault)
		if d, err := gpu.Open(0); err == nil {
			results, err := work(t, d)
			inOrder(t, fault, results)
			if closing := d.Close(); err == nil && closing == nil && len(results) == len(expected) {
				return
			}
		}
		if n > 1000 {
			t.Fatal("no number of calls is enough")
		}
	}
}

// failsAt opens a device that is taken away, works with it and closes it, and reports whether anything
// failed.
func failsAt(t *testing.T, fault string) bool {
	d, err := gpu.Open(0)
	if err != nil {
		return true
	}
	results, err := work(t, d)
	inOrder(t, fault, results)
	again, second := work(t, d)
	if inOrder(t, fault, again); err != nil && (second == nil || len(again) > 0) {
		t.Errorf("%s: %v, then %v with %v", fault, err, second, again)
	}
	if err != nil && !strings.Contains(err.Error(), "CUDA_ERROR") {
		t.Errorf("%s: %v", fault, err)
	}
	closing := d.Close()
	if _, closed := work(t, d); !errors.Is(closed, gpu.ErrClosed) {
		t.Errorf("%s: after Close: %v", fault, closed)
	}
	return err != nil || second != nil || closing != nil
}

// inOrder demands that results are some of those expected.
func inOrder(t *testing.T, fault string, results [][]uint32) {
	t.Helper()
	for _, r := range results {
		if !slices.ContainsFunc(expected, func(e []uint32) bool { return slices.Equal(r, e) }) {
			t.Errorf("%s: %v is not a result", fault, r)
		}
	}
}
