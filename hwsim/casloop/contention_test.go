package casloop_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/casloop"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

func profile(t *testing.T, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// deviation collects how far closed forms lie from what they are held against.
type deviation []float64

func (d *deviation) add(closed, want float64) float64 {
	e := closed/want - 1
	*d = append(*d, math.Abs(e))
	return e
}

// within reports a median or a greatest deviation above the limits.
func (d deviation) within(t *testing.T, what string, rows int, median, most float64) {
	t.Helper()
	slices.Sort(d)
	if len(d) < rows {
		t.Fatalf("%s: only %d rows", what, len(d))
	}
	if m, top := d[len(d)/2], d[len(d)-1]; m > median || top > most {
		t.Errorf("%s: %d rows, median %.3f, greatest %.3f, want %.3f and %.3f", what, len(d), m, top,
			median, most)
	} else {
		t.Logf("%s: %d rows, median %.4f, greatest %.4f", what, len(d), m, top)
	}
}

// loopTime simulates w warps of which n lanes update one target and the others
// one each, and returns the cycles of the loop: what the kernel takes beyond that
// of lanes which never meet, and that loop.
func loopTime(t *testing.T, d *device.Profile, c device.Call, first float64, w, n int) float64 {
	t.Helper()
	lanes := int(d.Core.WarpLanes.Value)
	kernel := func(n int) float64 {
		indices := make([]uint32, w*lanes)
		for i := range indices {
			if i%lanes >= n {
				indices[i] = uint32(16 * (1 + i))
			}
		}
		r, err := hwsim.Run(hwsim.Config{Device: d, Call: c}, indices, uint64(16*(1+len(indices))))
		if err != nil || !r.Correct {
			t.Fatalf("%s: %d warps, %d lanes: correct %v, %v", d.Name, w, n, r.Correct, err)
		}
		return float64(r.Kernels[len(r.Kernels)-1].Cycles)
	}
	return kernel(n) - kernel(0) + first
}

// TestGlobalContention holds the closed form against the simulator: up to 32
// warps on the H200, whose loop goes on from what the swap returned. Of loops
// that load again, whose swaps the simulator lets succeed if none came in the
// half turn before, however long they queue, it holds while the swaps of the
// lanes that wait fill a quarter of a turn at most.
func TestGlobalContention(t *testing.T) {
	for _, c := range []struct {
		device       string
		call         device.Call
		rows         int
		median, most float64
	}{
		{"h200", device.Call{Type: device.F32, Op: device.Mul}, 30, 0.01, 0.02},
		{"h200", device.Call{Type: device.F64, Op: device.Div}, 30, 0.01, 0.02},
		{"gtx680", device.Call{Type: device.F64}, 25, 0.01, 0.10},
		{"gtx680", device.Call{Type: device.F32, Op: device.Div}, 25, 0.01, 0.10},
		{"c2075", device.Call{Type: device.F64}, 10, 0.01, 0.03},
		{"hd5870", device.Call{Type: device.F32}, 15, 0.01, 0.25},
	} {
		d := profile(t, c.device)
		lanes := int(d.Core.WarpLanes.Value)
		loop, err := casloop.GlobalContention(d, c.call)
		if err != nil {
			t.Fatal(err)
		}
		var off deviation
		for _, w := range []int{1, 2, 4, 8, 16, 32} {
			for _, n := range []int{1, 2, 4, 8, 16, lanes} {
				again := d.GlobalUpdate(c.call).Round == nil
				if again && w > 1 && loop.Busy*float64(w*n) > loop.Turn/4 || w*n > 512 {
					continue
				}
				off.add(loop.Cycles(w, n), loopTime(t, d, c.call, loop.First, w, n))
			}
		}
		off.within(t, fmt.Sprintf("%s %s %s", c.device, c.call.Op, c.call.Type), c.rows, c.median, c.most)
	}
}

// TestSharedContention does the same for words of shared memory.
func TestSharedContention(t *testing.T) {
	for _, c := range []struct {
		device       string
		op           device.Operation
		call         device.Call
		median, most float64
	}{
		{"c2075", device.OpAdd, device.Call{Type: device.F64}, 0.06, 0.21},
		{"gtx680", device.OpAdd, device.Call{Type: device.F64}, 0.04, 0.16},
		{"hd5870", device.OpAdd, device.Call{Type: device.F32}, 0.06, 0.13},
		{"h200", device.OpCASLoop, device.Call{Type: device.F32, Op: device.Mul}, 0.03, 0.08},
		{"h200", device.OpCASLoop, device.Call{Type: device.F64, Op: device.Mul}, 0.03, 0.08},
	} {
		d := profile(t, c.device)
		lanes := int(d.Core.WarpLanes.Value)
		loop, err := casloop.SharedContention(d, c.call)
		if err != nil {
			t.Fatal(err)
		}
		simulated, err := machine.NewScratchpad(d, c.op, c.call.Type)
		if err != nil {
			t.Fatal(err)
		}
		var off deviation
		for _, w := range []int{1, 2, 4, 8, 16} {
			for _, n := range []int{1, 2, 4, 8, 16, lanes} {
				pattern := make([]int32, lanes)
				for l := n; l < lanes; l++ {
					pattern[l] = int32(l)
				}
				run, err := simulated.Warps(slices.Repeat([][]int32{pattern}, w), 1)
				if err != nil {
					t.Fatal(err)
				}
				off.add(loop.Cycles(w, n), run.Cycles)
			}
		}
		off.within(t, fmt.Sprintf("%s %s", c.device, c.call.Type), 30, c.median, c.most)
	}
}

// TestRecordedGlobalLoops holds the closed form against chains of loops recorded
// on the H200, of which the profile holds no figure: it is made of the load, the
// addition and the loop in shared memory.
func TestRecordedGlobalLoops(t *testing.T) {
	readings, err := h200.Archive.Readings()
	if err != nil {
		t.Fatal(err)
	}
	recorded := map[string]float64{}
	for _, r := range readings {
		if r.Suite == "global" && r.Name == "chain" {
			recorded[r.Parameters] = r.Value
		}
	}
	d := profile(t, "h200")
	var off, perLane deviation
	for name, call := range map[string]device.Call{
		"u32": {Op: device.Mul}, "f32": {Type: device.F32, Op: device.Mul},
		"f64": {Type: device.F64, Op: device.Mul},
	} {
		loop, err := casloop.GlobalContention(d, call)
		if err != nil {
			t.Fatal(err)
		}
		at := func(n int) float64 {
			value := recorded[fmt.Sprintf("op=%s_casloop pattern=position degree=%d", name, n)]
			if value == 0 {
				t.Fatalf("%s: nothing was recorded of %d lanes", name, n)
			}
			return value
		}
		for _, n := range []int{1, 2, 4, 8, 16, 32} {
			e := off.add(loop.Cycles(1, n), at(n))
			t.Logf("%s: %2d lanes, recorded %.0f cycles, closed form %.0f, %+.1f %%", name, n, at(n),
				loop.Cycles(1, n), 100*e)
		}
		lane := (at(32) - at(1)) / 31
		e := perLane.add((loop.Cycles(1, 32)-loop.Cycles(1, 1))/31, lane)
		t.Logf("%s: a colliding lane costs %.0f cycles, closed form %+.1f %%", name, lane, 100*e)
	}
	off.within(t, "chains", 18, 0.07, 0.12)
	perLane.within(t, "cycles of a colliding lane", 3, 0.02, 0.04)
}

// TestRecordedSharedLoops does the same for words of shared memory that lanes of
// up to 32 warps want, with the time of an operation in a row of them. Of one
// lane in each of several warps the recordings are shorter than a turn, as each
// operation of the row loads the word again: these are left out.
func TestRecordedSharedLoops(t *testing.T) {
	all, err := h200.Archive.Contentions()
	if err != nil {
		t.Fatal(err)
	}
	loop, err := casloop.SharedContention(profile(t, "h200"), device.Call{Op: device.Mul})
	if err != nil {
		t.Fatal(err)
	}
	var off deviation
	for _, c := range all {
		if c.Operation == "u32_casloop" && c.Colliding == c.Warps && c.Lanes == 32 && c.Degree > 1 {
			e := off.add(loop.Cycles(c.Warps, c.Degree)/float64(c.Warps), c.Cycles)
			t.Logf("%2d warps, %2d lanes: recorded %.0f cycles, %+.1f %%", c.Warps, c.Degree, c.Cycles,
				100*e)
		}
	}
	off.within(t, "shared memory", 18, 0.06, 0.25)
}

// TestNoLoop: a device that needs no loop has no contention of one.
func TestNoLoop(t *testing.T) {
	d := profile(t, "h200")
	if _, err := casloop.GlobalContention(d, device.Call{}); !errors.Is(err, device.ErrCannot) {
		t.Errorf("u32 add: %v", err)
	}
	if _, err := casloop.SharedContention(d, device.Call{Op: device.Min}); !errors.Is(err,
		device.ErrCannot) {
		t.Errorf("u32 min: %v", err)
	}
	var none casloop.Contention
	if got := none.Cycles(0, 3); got != 0 {
		t.Errorf("no warps take %v cycles", got)
	}
}
