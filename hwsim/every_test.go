package hwsim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
)

// shape is a small stream.
type shape struct {
	name    string
	indices []uint32
	bins    uint64
}

// shapes are streams at the edges of warps, blocks and targets, and some at random.
func shapes() []shape {
	of := func(n int, target func(i int) int) []uint32 {
		indices := make([]uint32, n)
		for i := range indices {
			indices[i] = uint32(target(i))
		}
		return indices
	}
	list := []shape{
		{"one update", []uint32{0}, 1},
		{"one target", of(97, func(int) int { return 0 }), 1},
		{"one target of many", of(65, func(int) int { return 699 }), 700},
		{"targets of their own", of(95, func(i int) int { return i }), 95},
		{"targets many times in turn", of(127, func(i int) int { return i % 3 }), 3},
		{"runs across warps", of(161, func(i int) int { return i / 5 % 7 }), 7},
		{"a target a warp", of(200, func(i int) int { return i / 32 }), 7},
		{"the first and the last target", of(33, func(i int) int { return i % 2 * 65535 }), 65536},
		{"more than a block", of(600, func(i int) int { return i * i % 61 }), 61},
	}
	rng := rand.New(rand.NewPCG(8, 8))
	for range 5 {
		indices, bins := stream(rng)
		list = append(list, shape{"random", indices[:min(len(indices), 400)], bins})
	}
	return list
}

// streams are shapes, some longer ones, and the pattern that [egielski14] Algorithm 1 as printed counts
// twice: equal indices with others between them.
func streams() []shape {
	list := append(shapes(), shape{"apart", []uint32{0, 1, 0, 0, 0, 1, 1, 0, 2, 2, 0, 0, 0, 0, 1, 0}, 3})
	rng := rand.New(rand.NewPCG(9, 9))
	for n := 8; n <= 4096; n *= 8 {
		indices, bins := stream(rng)
		list = append(list, shape{"repeated", slices.Repeat(indices, 1+n/len(indices)), bins})
	}
	return list
}

// launches are one block, grids that no stream fills evenly, more blocks than are resident at
// once, blocks of other sizes, and all iterations at once.
func launches(d *device.Profile) []device.Launch {
	l := d.Limits()
	lanes, most := l.WarpLanes, l.MaxThreadsPerBlock
	many := uint64(l.SMs*max(1, l.MaxWarps*lanes/most)) + 5
	return []device.Launch{
		{Blocks: 1, Threads: lanes}, {Blocks: 1, Threads: 4 * lanes, Unroll: 2},
		{Blocks: 7, Threads: 3 * lanes, Unroll: 4}, {Blocks: 3, Unroll: 8},
		{Blocks: many, Threads: most}, {Blocks: many, Threads: most, Unroll: 8},
		{Threads: 2 * lanes}, {Unroll: 4},
	}
}

// calls are all calls: every type, operation and operand, with old values and without, on targets
// that are cleared and that are kept.
func calls() (list []device.Call) {
	for _, typ := range device.Types() {
		for _, op := range device.Ops() {
			for kind := range 8 {
				list = append(list, device.Call{Type: typ, Op: op, Operand: device.Operand(kind & 1),
					Returns: kind&2 > 0, Keeps: kind&4 > 0})
			}
		}
	}
	return list
}

// serial demands that a serial order of the updates finds the old values and leaves the result: on
// each target the updates are steps from what they find to what they leave, and one walk takes them
// all from what the target held before where as many steps end in each state as begin, but for the
// first and the last, and where all of them hang together.
func serial(c device.Call, seed uint64, s shape, r Result) error {
	values := arith.Values(c, seed, len(s.indices))
	ends := make([]map[uint64]int, s.bins)     // how many more steps end in a state than begin
	group := make([]map[uint64]uint64, s.bins) // a state that hangs together with each
	var root func(k uint32, state uint64) uint64
	root = func(k uint32, state uint64) uint64 {
		if up, ok := group[k][state]; ok && up != state {
			group[k][state] = root(k, up)
			return group[k][state]
		}
		return state
	}
	before := arith.Before(c, seed, s.bins)
	for i, k := range s.indices {
		if ends[k] == nil {
			ends[k], group[k] = map[uint64]int{before[k]: 1}, map[uint64]uint64{}
			ends[k][r.Final[k]]--
		}
		one := arith.OneOf(c.Type)
		if values != nil {
			one = values[i]
		}
		found := r.Returned[i]
		left := arith.Apply(c.Op, c.Type, found, one, 0)
		ends[k][left]++
		ends[k][found]--
		group[k][root(k, left)] = root(k, found)
	}
	for i, k := range s.indices {
		for state, n := range ends[k] {
			if n != 0 {
				return fmt.Errorf("target %d is left %+d times more often than found in state %#x", k, n, state)
			}
		}
		if found := r.Returned[i]; root(k, found) != root(k, before[k]) {
			return fmt.Errorf("no updates of target %d lead from %#x to %#x", k, before[k], found)
		}
	}
	return nil
}

// TestEveryCall runs every implementation with every call that some device can run, some, and the first
// that it can, under a launch that is fixed: the final array is that of the updates made serially, a serial
// order finds the old values, each atomic operation is made once, and what is to be kept is not cleared.
// Devices and streams take turns. Each fifth call is made, with ATOMTUNE_FULL=1 each by all devices.
func TestEveryCall(t *testing.T) {
	list, full, every := streams(), golden.Full(), 5
	if full {
		every = 1
	}
	var devices []*device.Profile
	for _, name := range golden.Devices {
		devices = append(devices, profile(t, name))
	}
	iteration, chains := 0, 0
	runs, types, launched := map[string]int{}, map[string]bool{}, map[impl.Spec]int{}
	for _, v := range suite(t) {
		for _, c := range calls() {
			if iteration++; iteration%every > 0 {
				continue
			}
			s, seed := list[iteration%len(list)], uint64(iteration)
			if v.NeedsGrouped() {
				s.indices = slices.Sorted(slices.Values(s.indices))
			}
			for i := range devices {
				d := devices[(iteration+i)%len(devices)]
				if d.CanCall(v, c, s.bins) != nil {
					continue
				}
				cfg := Config{Device: d, Call: c, Implementation: v, Seed: seed}
				if all := launches(d); iteration%7 == 0 || launched[v] == 0 {
					cfg.Launch = all[iteration/7%len(all)]
					if d.CanLaunch(v, c.Type, s.bins, cfg.Launch) != nil {
						cfg.Launch = device.Launch{}
					} else {
						launched[v]++
					}
				}
				r, err := Run(cfg, s.indices, s.bins)
				if err == nil {
					err = sound(cfg, s, r)
				}
				if err != nil {
					t.Fatalf("%s, %+v, %+v, on %s, %s: %v", v, c, cfg.Launch, d.Name, s.name, err)
				}
				if c.Returns && c.Op != device.Mad {
					chains++
				}
				runs[d.Name]++
				types[v.String()+" of "+c.Type.String()] = true
				if !full {
					break
				}
			}
		}
	}
	for _, d := range devices {
		if runs[d.Name] < 50 {
			t.Errorf("%s: %d runs", d.Name, runs[d.Name])
		}
	}
	for _, v := range suite(t) {
		own := v.Algorithm == impl.Sort || v.Algorithm == impl.SegReduce || v.Algorithm == impl.Partition
		if n := launched[v]; own != (n == 0) {
			t.Errorf("%s: %d launches", v, n)
		}
	}
	if n := len(suite(t)) * len(device.Types()); len(types) != n || chains < 500 {
		t.Errorf("%d of %d implementations and types ran, %d found old values", len(types), n, chains)
	}
	if !reflect.DeepEqual(list, streams()) {
		t.Error("streams have changed")
	}
}

// sound says what is wrong with a result.
func sound(cfg Config, s shape, r Result) error {
	switch {
	case !r.Correct:
		return errors.New("wrong final array")
	case r.Issued != r.Completed:
		return fmt.Errorf("%d atomic operations of lanes are issued, %d completed", r.Issued, r.Completed)
	case cfg.Call.Keeps &&
		slices.ContainsFunc(r.Kernels, func(k KernelTime) bool { return k.Name == "clear targets" }):
		return errors.New("targets that are to be kept are cleared")
	case cfg.Call.Returns && cfg.Call.Op != device.Mad: // whose second operands are not at hand
		return serial(cfg.Call, cfg.Seed, s, r)
	}
	return nil
}
