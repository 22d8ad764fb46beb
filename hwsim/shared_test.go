package hwsim

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// warpCycles returns how long one warp's atomic addition to shared memory
// takes, alone on the device, lanes on the elements of the pattern.
func warpCycles(t *testing.T, name string, typ device.Type, pattern []uint64) int64 {
	t.Helper()
	call := device.Call{Type: typ}
	m := newMachine(profile(t, name), call)
	b := newBuilder("one warp", 0)
	index, value := b.vec(), b.vec()
	b.atomicShared(typ.Bytes() == 8, index, value)
	w := &warp{block: &block{shared: make([]uint32, 1<<14)}}
	w.start(b.done(), m.lanes, nil)
	w.mask = m.full
	copy(w.vectors, pattern)
	for l := range pattern {
		w.vectors[len(pattern)+l] = oneOf(typ)
	}
	for start := int64(0); ; {
		next, done := m.atomicShared(w, &w.prog.code[0], start)
		if done {
			break
		}
		start = next
	}
	for _, i := range pattern {
		if w.block.get(i, typ.Bytes() == 8) == 0 {
			t.Fatalf("%s: element %d was not updated", name, i)
		}
	}
	return m.end
}

// TestSharedLatency holds single warps to the documents of each device: the
// GTX 580 to [gomezluna13] section 2.1, the H200 to the recorded readings.
func TestSharedLatency(t *testing.T) {
	lanes := func(at func(l uint64) uint64) []uint64 {
		p := make([]uint64, 32)
		for l := range p {
			p[l] = at(uint64(l))
		}
		return p
	}
	position := func(degree uint64) []uint64 { return lanes(func(l uint64) uint64 { return l / degree }) }
	bank := func(degree uint64) []uint64 {
		return lanes(func(l uint64) uint64 { return l/degree + l%degree*32 })
	}
	changed := func(change map[int]uint64) []uint64 {
		p := lanes(func(l uint64) uint64 { return l })
		for l, a := range change {
			p[l] = a
		}
		return p
	}
	for _, c := range []struct {
		name    string
		device  string
		typ     device.Type
		pattern []uint64
		want    int64
		within  int64
	}{
		{"no conflict", "gtx580", device.F32, position(1), 108, 0},
		{"position 2", "gtx580", device.F32, position(2), 108 + 120, 0},
		{"position 32", "gtx580", device.F32, position(32), 108 + 31*120, 0},
		{"short bank", "gtx580", device.U32, changed(map[int]uint64{1: 32}), 108 + 64, 0},
		{"long bank", "gtx580", device.U32, changed(map[int]uint64{1: 1024}), 108 + 152, 0},
		{"two long", "gtx580", device.U32, changed(map[int]uint64{1: 1024, 2: 2048}), 108 + 152 + 152 + 32, 0},
		{"native, none", "h200", device.U32, position(1), 36, 1},
		{"native, position 32", "h200", device.U32, position(32), 98, 1},
		{"native, bank 8", "h200", device.U32, bank(8), 50, 1},
		{"spin, none", "h200", device.F32, position(1), 100, 1},
		{"spin, position 4", "h200", device.F32, position(4), 382, 2},
		{"spin, position 32", "h200", device.F32, position(32), 3014, 2},
		{"spin, bank 8", "h200", device.F32, bank(8), 814, 2},
		{"spin, bank 32", "h200", device.F32, bank(32), 4006, 2},
		{"spin 64, position 16", "h200", device.F64, position(16), 1798, 110},
	} {
		if got := warpCycles(t, c.device, c.typ, c.pattern); got < c.want-c.within || got > c.want+c.within {
			t.Errorf("%s, %s: %d cycles, want %d", c.device, c.name, got, c.want)
		}
	}
}
