package machine

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/device"
)

// far are words of so many sectors, each so far from the one before that it shares no line, page or
// row of DRAM with it; near are words of neighbouring sectors.
func far(m *Machine) (far, near []uint64) {
	words := m.sectorBytes / 4
	for l := range uint64(m.Lanes) {
		far, near = append(far, l*words<<16), append(near, l*words)
	}
	return far, near
}

// coarse is an H200, a warp of which all lanes are active, and an array in which only addresses count.
func coarse(t *testing.T) (*Machine, *Warp, *Buffer) {
	m := NewMachine(machineProfile(t, "h200"), device.Call{})
	w := oneWarp(m, NewBuilder("none", 0).Done(), 0)
	w.mask = m.full
	return m, w, &Buffer{Words: []uint32{}}
}

// updated runs blocks of one warp, each with n adds to the place of its number, and returns the cycles of
// the kernel and the cycle of the last instruction. With old they hand back what was there, which no
// instruction waits for.
func updated(t *testing.T, blocks uint64, n int, old bool) (end, issued int64) {
	t.Helper()
	m := NewMachine(machineProfile(t, "h200"), device.Call{})
	m.Buffers = []*Buffer{{Words: make([]uint32, 1<<16)}}
	b := NewBuilder("adds", 0)
	index := b.Spread(b.Mul(BlockID, Imm(64)))
	for range n {
		if old {
			b.AtomicReturn(0, index, b.Spread(Imm(1)))
		} else {
			b.Atomic(0, false, index, b.Spread(Imm(1)))
		}
	}
	m.Watch = func(_ *Warp, _ int32, _ uint64, now int64) { issued = max(issued, now) }
	end, err := m.Launch(b.Done(), device.Shape{Blocks: blocks, Threads: m.Lanes, BlocksPerSM: 4})
	if err != nil {
		t.Fatal(err)
	}
	return end, issued
}

// slicesAt are the slices of the chunks of a small array, by their place.
func slicesAt(m *Machine, first uint64) (list []uint64) {
	for chunk := range uint64(32) {
		list = append(list, m.sliceOf(first+chunk*m.chunkBytes))
	}
	return list
}

// gaps are known gaps of the machine: what is coarse in it, each with what is so as long as it is.
var gaps = []struct {
	gap   string
	still func(t *testing.T) bool
}{
	{"what a kernel streams is in L2 as a whole or not at all", func(t *testing.T) bool {
		m, w, buf := coarse(t)
		_, near := far(m)
		load := func(at int64) int64 { return m.fetch(w, buf, near, at) - at }
		inL2 := load(0) == load(1e6)
		m.Stream = true
		return inL2 && load(2e6) == load(3e6) && load(4e6) >= m.loadGlobal+m.missGlobal
	}},
	{"A request that misses in L2 holds up none behind it", func(t *testing.T) bool {
		behind := func(cold bool) int64 {
			m, _, _ := coarse(t)
			next := uint64(1)
			for m.sliceWith(next) != m.sliceWith(0) {
				next++
			}
			o := order{how: &m.global, elem: 4, words: 1, passes: 1, cold: cold}
			first := m.serve(&o)
			if missed := first > m.missGlobal<<tickBits; missed != cold {
				t.Errorf("a request that misses: %t, is done in tick %d", cold, first)
			}
			return m.serve(&order{how: &m.global, elem: 4, words: 1, passes: 1, sector: next})
		}
		return behind(true) == behind(false)
	}},
	{"kernels begin as soon as an empty one", func(t *testing.T) bool {
		begins := func(body func(*Builder), shared uint64, blocks uint64) (first int64) {
			m, _, _ := coarse(t)
			b := NewBuilder("begins", 0)
			body(b)
			first = math.MaxInt64
			m.Watch = func(_ *Warp, _ int32, _ uint64, now int64) { first = min(first, now) }
			if _, err := m.Launch(b.Done(), device.Shape{Blocks: blocks, Threads: 1024, SharedBytes: shared,
				BlocksPerSM: 1}); err != nil {
				t.Fatal(err)
			}
			return first
		}
		full := func(b *Builder) {
			for range 500 {
				b.Mov(b.Vec(), Imm(0))
			}
		}
		return begins(func(*Builder) {}, 0, 1) == begins(full, 1<<17, 132)
	}},
	{"Old values that return to the SM", func(t *testing.T) bool {
		none, _ := updated(t, 500, 20, false)
		old, _ := updated(t, 500, 20, true)
		return none == old
	}},
	{"and scattered loads but those of a sample, take no room on their way", func(t *testing.T) bool {
		m, w, buf := coarse(t)
		scattered, _ := far(m)
		m.fetch(w, buf, scattered, 0)
		loads := m.sm[0].sector.free
		m.gather(w, buf, scattered, 0)
		return loads == 0 && m.sm[0].sector.free > 0
	}},
	{"A sample's loads pass the SM's port sector by sector, whatever lines and pages these lie in",
		func(t *testing.T) bool {
			m, w, buf := coarse(t)
			scattered, near := far(m)
			return m.gather(w, buf, scattered, 0) == m.gather(w, buf, near, 1e6)-1e6
		}},
	{"Stores take bandwidth by whole sectors, and no time of a slice", func(t *testing.T) bool {
		m, _, _ := coarse(t)
		m.Buffers = []*Buffer{{Words: make([]uint32, 64)}}
		b := NewBuilder("store", 0)
		index := b.Vec()
		b.Store(0, index, b.Spread(Imm(7)))
		in := b.Done().Code[1]
		ends := map[uint64]int64{}
		w := oneWarp(m, b.Done(), 0)
		for l := range m.Lanes {
			w.target(index, m.Lanes)[l] = uint64(l)
		}
		for i, lanes := range []uint64{1, 0xFF} {
			at := int64(1+i) * 1e6
			w.mask = lanes
			m.store(w, &in, at)
			ends[lanes] = m.end - at
		}
		for i := range m.slice {
			if m.slice[i].free > 0 {
				return false
			}
		}
		return ends[1] == ends[0xFF] && ends[1] > 0
	}},
	{"The register file does not limit occupancy", func(t *testing.T) bool {
		const blocks, most = 2, 1 << 18 // bytes of registers that an SM has
		m, _, _ := coarse(t)
		m.SMs, m.sm = 1, m.sm[:1]
		b := NewBuilder("registers", 0)
		registers := b.Piece(200)
		for _, r := range registers {
			b.Mov(r, Imm(0))
		}
		if len(registers)*4*1024 < most {
			t.Error("the registers of a block fit")
		}
		begun := map[*block]int64{}
		m.Watch = func(w *Warp, _ int32, _ uint64, now int64) {
			if _, ok := begun[w.block]; !ok {
				begun[w.block] = now
			}
		}
		if _, err := m.Launch(b.Done(), device.Shape{Blocks: blocks, Threads: 1024, BlocksPerSM: blocks}); err != nil {
			t.Fatal(err)
		}
		for _, at := range begun {
			if at > blockStart+1024 {
				return false
			}
		}
		return len(begun) == blocks
	}},
	{"between SMs and slices there is one port per SM and no network", func(t *testing.T) bool {
		arrives := func(others int) int64 {
			m, w, buf := coarse(t)
			mine := uint64(0)
			busy := make([]uint64, 1)
			for m.sliceOf(busy[0]*4) == m.sliceOf(mine*4) {
				busy[0] += m.sectorBytes / 4
			}
			theirs := oneWarp(m, w.prog, 0)
			for s := range others {
				theirs.unit = &m.sm[1+s]
				for range 100 {
					m.request(theirs, &m.global, buf, busy, 1, 1, 0)
				}
			}
			return m.request(w, &m.global, buf, []uint64{mine}, 1, 1, 0)
		}
		return arrives(0) == arrives(100)
	}},
	{"they run ahead of adds for which they do not wait, without end", func(t *testing.T) bool {
		end, issued := updated(t, 1, 2000, false)
		return issued < end/4
	}},
	{"DRAM has a rate and no rows", func(t *testing.T) bool {
		m, w, buf := coarse(t)
		m.Stream = true
		scattered, near := far(m)
		return m.fetch(w, buf, scattered, 0) == m.fetch(w, buf, near, 1e6)-1e6
	}},
	{"A branch costs one instruction", func(t *testing.T) bool {
		branched := func(branch bool) uint64 {
			m, _, _ := coarse(t)
			b := NewBuilder("branch", 0)
			p := b.Less(b.Lane(), Imm(8))
			body := func() { b.Mov(b.Vec(), Imm(1)) }
			if branch {
				b.When(p, body)
			} else {
				body()
			}
			if _, err := m.Launch(b.Done(), device.Shape{Blocks: 1, Threads: m.Lanes, BlocksPerSM: 1}); err != nil {
				t.Fatal(err)
			}
			return m.Instrs
		}
		return branched(true) == branched(false)+1
	}},
	{"up to eight instructions of one warp that touch its own registers alone are issued as one event",
		func(t *testing.T) bool {
			m, _, _ := coarse(t)
			b := NewBuilder("bundle", 0)
			for range 80 {
				b.Mov(b.Vec(), Imm(1))
			}
			if _, err := m.Launch(b.Done(), device.Shape{Blocks: 1, Threads: m.Lanes, BlocksPerSM: 1}); err != nil {
				t.Fatal(err)
			}
			return m.Instrs == 81 && m.Events == 80/8+1
		}},
	{"half a KiB further, other chunks of it share a slice", func(t *testing.T) bool {
		m, _, _ := coarse(t)
		at, further := slicesAt(m, m.hash.SmallBase), slicesAt(m, m.hash.SmallBase+512)
		for i := range at {
			for j := range i {
				if (at[i] == at[j]) != (further[i] == further[j]) {
					return true
				}
			}
		}
		return false
	}},
	{"for the calls of single targets both are left out", func(t *testing.T) bool {
		busy := func(rows bool) bool {
			m, w, buf := coarse(t)
			m.Rows = rows
			_, near := far(m)
			m.fetch(w, buf, near, 0)
			for i := range m.slice {
				if m.slice[i].free > 0 {
					return true
				}
			}
			return false
		}
		return busy(true) && !busy(false)
	}},
}

// TestCoarse: what is coarse in the machine still is. Once this fails for one, that gap has closed.
func TestCoarse(t *testing.T) {
	for _, g := range gaps {
		if !g.still(t) {
			t.Errorf("%s: the known gap has closed", g.gap)
		}
	}
}

// TestWarpsHideWaits: what one warp takes alone says little of warps that share an
// SM: eight of them take less than eight times as long, on every device with locks or native units.
func TestWarpsHideWaits(t *testing.T) {
	const warps, repeats = 8, 20
	hide := true
	for _, name := range []string{"gtx580", "c2075", "h200"} {
		s := scratchpad(t, name, device.OpAdd, device.F32)
		all := make([][]int32, warps) // each on words of its own
		for w := range all {
			for l := range 32 {
				all[w] = append(all[w], int32(32*w+l))
			}
		}
		alone, err := s.Warp(all[0])
		if err != nil {
			t.Fatal(err)
		}
		together, err := s.Warps(all, repeats)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.0f cycles, alone %.0f", name, together.Cycles, alone)
		hide = hide && together.Cycles < 0.9*warps*repeats*alone
	}
	if !hide {
		t.Error("warps that share an SM wait one after the other")
	}
}
