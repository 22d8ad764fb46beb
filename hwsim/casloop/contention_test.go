package casloop_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// contention is what a loop takes on a device where lanes want one target, in cycles. A swap that
// fails has cost an iteration, so that of n lanes one after the other gets through, and the lanes that
// still wait swap along in each iteration.
type contention struct {
	first     float64 // the first iteration, of a lane alone
	iteration float64 // each further iteration, of a lane alone
	lane      float64 // longer by each further lane of the warp that swaps along
	busy      float64 // the port, or the unit beside the target, is busy per swap
	issue     float64 // the multiprocessor is busy issuing the operation, the swap and the branch back
}

func sharedContention(d *device.Profile, c device.Call) contention {
	a := d.SharedUpdate(c)
	return contention{a.Base.Value, a.Round.Value, a.Write.Value, a.WritePort.Value,
		3 * d.Core.IssueCycles.Value / d.Core.Schedulers.Value}
}

func globalContention(d *device.Profile, c device.Call) contention {
	a := d.GlobalUpdate(c)
	swap := max(a.Pass.Value, a.SameAddress.Value)
	return contention{a.Latency.Value + swap, a.Iteration() + swap, swap, swap,
		3 * d.Core.IssueCycles.Value / d.Core.Schedulers.Value}
}

// cycles returns when the last of w warps of a multiprocessor has made its updates, of
// which n lanes each want one target and all begin at the same time. The warp that has swapped last
// knows the target and swaps first again, so the warps get through one after the other. While p lanes
// of one and all n lanes of k more are left,
//
//	turn(p, k) = max(Turn + Lane·(p-1), Busy·(p + k·n), Issue·(1 + k))
//	cycles     = First - Turn + sum over k < w and p <= n of turn(p, k)
func (l contention) cycles(w, n int) float64 {
	total := l.first - l.iteration
	for k := range w {
		for p := 1; p <= n; p++ {
			total += max(l.iteration+l.lane*float64(p-1), l.busy*float64(p+k*n), l.issue*float64(1+k))
		}
	}
	return total
}

func profile(t *testing.T, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// deviation collects how far results lie from what they are held against.
type deviation []float64

func (d *deviation) add(got, want float64) { *d = append(*d, math.Abs(got/want-1)) }

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
// lanes that wait fill a quarter of an iteration at most.
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
		loop := globalContention(d, c.call)
		var off deviation
		for _, w := range []int{1, 2, 4, 8, 16, 32} {
			for _, n := range []int{1, 2, 4, 8, 16, int(d.Core.WarpLanes.Value)} {
				again := d.GlobalUpdate(c.call).Round == nil
				if again && w > 1 && loop.busy*float64(w*n) > loop.iteration/4 || w*n > 512 {
					continue
				}
				off.add(loop.cycles(w, n), loopTime(t, d, c.call, loop.first, w, n))
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
		lanes, loop := int(d.Core.WarpLanes.Value), sharedContention(d, c.call)
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
				off.add(loop.cycles(w, n), run.Cycles)
			}
		}
		off.within(t, fmt.Sprintf("%s %s", c.device, c.call.Type), 30, c.median, c.most)
	}
}

// TestRecordedLoops holds the closed form against chains of loops recorded on the H200, of which the
// profile holds no figure in global memory: it is made of the load, the addition and the loop in shared
// memory. There up to 32 warps want a word, and what was recorded is an operation in a row of them; of
// one lane in each of several warps it is shorter than an iteration, as each operation of the row loads the
// word again: these are left out.
func TestRecordedLoops(t *testing.T) {
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
	var chains, perLane, shared deviation
	for name, typ := range map[string]device.Type{"u32": device.U32, "f32": device.F32, "f64": device.F64} {
		loop := globalContention(d, device.Call{Type: typ, Op: device.Mul})
		at := func(n int) float64 {
			return recorded[fmt.Sprintf("op=%s_casloop pattern=position degree=%d", name, n)]
		}
		for _, n := range []int{1, 2, 4, 8, 16, 32} {
			chains.add(loop.cycles(1, n), at(n))
		}
		perLane.add(loop.cycles(1, 32)-loop.cycles(1, 1), at(32)-at(1))
	}
	chains.within(t, "chains", 18, 0.07, 0.12)
	perLane.within(t, "cycles of a colliding lane", 3, 0.02, 0.04)
	all, err := h200.Archive.Contentions()
	if err != nil {
		t.Fatal(err)
	}
	loop := sharedContention(d, device.Call{Op: device.Mul})
	for _, c := range all {
		if c.Operation == "u32_casloop" && c.Colliding == c.Warps && c.Lanes == 32 && c.Degree > 1 {
			shared.add(loop.cycles(c.Warps, c.Degree)/float64(c.Warps), c.Cycles)
		}
	}
	shared.within(t, "shared memory", 18, 0.06, 0.25)
}
