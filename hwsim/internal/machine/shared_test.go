package machine

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/internal/golden"
)

// oneWarp returns the warp of a block of one, with no lane active, and words of shared memory.
func oneWarp(m *Machine, p *Program, words uint64) *Warp {
	var r room
	r.open(&launch{Shape: device.Shape{SharedBytes: 4 * words}, prog: p, warpsPerBlock: 1}, 1, m.Lanes)
	w := &r.warps[0]
	w.block, w.unit = &r.blocks[0], &m.sm[0]
	w.start(p, nil)
	return w
}

// kernelCycles returns how long one warp's atomic addition to shared memory
// takes as an instruction of a kernel, alone on the device.
func kernelCycles(t *testing.T, d *device.Profile, typ device.Type, pattern []int32) int64 {
	t.Helper()
	m := NewMachine(d, device.Call{Type: typ})
	wide := typ.Bytes() == 8
	b := NewBuilder("one warp", 0)
	index, value := b.Vec(), b.Vec()
	b.AtomicShared(wide, index, value)
	w := oneWarp(m, b.Done(), 1<<14)
	want := map[uint64]uint64{}
	for l, a := range pattern {
		w.target(value, m.Lanes)[l] = arith.OneOf(typ)
		if a >= 0 {
			w.target(index, m.Lanes)[l] = uint64(a)
			w.mask |= 1 << l
			want[uint64(a)] = arith.Sum(typ, want[uint64(a)], arith.OneOf(typ))
		}
	}
	for start, done := int64(0), false; !done; {
		start, done = m.atomicShared(w, &w.prog.Code[0], start)
	}
	for i, v := range want {
		if got := w.block.get(i, wide); got != v {
			t.Fatalf("%s %s over %v: element %d is %x, want %x", d.Name, typ, pattern, i, got, v)
		}
	}
	return m.end
}

// TestKernelsTakeTheSameTime checks that an instruction of a kernel goes
// through the pipeline that Scratchpad shows, up to the rounding of its end,
// and adds once for each active lane.
func TestKernelsTakeTheSameTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, name := range golden.Devices {
		d := machineProfile(t, name)
		p := make([]int32, int(d.Core.WarpLanes.Value))
		for _, typ := range device.Types() {
			if d.SharedAtomic(typ).Mechanism == device.Absent {
				continue
			}
			s := scratchpad(t, name, device.OpAdd, typ)
			for range 12 {
				patterns.Space{Words: 1 << rng.IntN(12), Kind: patterns.Kind(rng.IntN(6))}.Draw(rng, p)
				alone, err := s.Warp(p)
				if err != nil {
					t.Fatal(err)
				}
				if got := kernelCycles(t, d, typ, p); float64(got) != math.Ceil(alone) {
					t.Fatalf("%s %s over %v: %d cycles in a kernel, %v alone", name, typ, p, got, alone)
				}
			}
		}
	}
}

// TestFetchShared: the lanes on one counter get what it held before each of them.
func TestFetchShared(t *testing.T) {
	for _, name := range golden.Devices {
		m := NewMachine(machineProfile(t, name), device.Call{})
		b := NewBuilder("one warp", 0)
		index, one := b.Vec(), b.Vec()
		old := b.FetchShared(index, one)
		w := oneWarp(m, b.Done(), 8)
		for l := range m.Lanes {
			w.target(index, m.Lanes)[l], w.target(one, m.Lanes)[l] = uint64(l%3), 1
			w.mask |= 1 << l
		}
		for start, done := int64(0), false; !done; {
			start, done = m.atomicShared(w, &w.prog.Code[0], start)
		}
		seen := map[[2]uint64]bool{}
		for l := range m.Lanes {
			counter, rank := w.target(index, m.Lanes)[l], w.target(old, m.Lanes)[l]
			if rank >= w.block.get(counter, false) || seen[[2]uint64{counter, rank}] {
				t.Errorf("%s: lane %d got %d of counter %d", name, l, rank, counter)
			}
			seen[[2]uint64{counter, rank}] = true
		}
	}
}
