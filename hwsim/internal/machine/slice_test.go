package machine

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestSliceWith: a sector has the slice of its address, whether that is kept or not, and of sectors
// that are no power of two as well.
func TestSliceWith(t *testing.T) {
	rng := splitmix.New(2)
	for _, name := range device.Names() {
		for _, bytes := range []float64{0, 48} {
			d := *machineProfile(t, name)
			if bytes > 0 {
				d.Global.SectorBytes.Value = bytes
			}
			m := NewMachine(&d, device.Call{})
			for range 5000 {
				addr := rng.Uint64() >> (30 + rng.Below(30))
				sector := addr / m.sectorBytes
				if got := m.sectorOf(addr); got != sector {
					t.Fatalf("%s: address %d in sector %d, want %d", name, addr, got, sector)
				}
				want := &m.slice[m.sliceOf(sector*m.sectorBytes)]
				for range 2 { // the second time it may be kept
					if m.sliceWith(sector) != want {
						t.Fatalf("%s: sector %d is in another slice than its address", name, sector)
					}
				}
			}
		}
	}
}

// TestUnderway: a slice works on as many requests at once as the timing that allows most, and the next
// waits for the oldest.
func TestUnderway(t *testing.T) {
	two, three := &atomicTiming{requests: 2, same: 100}, &atomicTiming{requests: 3, same: 100}
	var s slice
	for sector, done := range []int64{100, 100, 200, 200, 300} {
		if got := s.work(two, uint64(sector), 1, 0, 0, 0); got != done {
			t.Errorf("request %d is done at %d, want %d", sector, got, done)
		}
	}
	for range 3 {
		s.work(three, 9, 1, 0, 0, 0)
	}
	if len(s.under) != three.requests {
		t.Errorf("%d requests at once, want %d", len(s.under), three.requests)
	}
}

// TestApart: where each lane has a sector of its own, the sectors are those that are found word by word.
func TestApart(t *testing.T) {
	m := NewMachine(machineProfile(t, "h200"), device.Call{})
	rng, seen, index := splitmix.New(3), [2]int{}, make([]uint64, m.Lanes)
	for range 2000 {
		at := wordsOf([]*Buffer{{Words: []uint32{}}, {Longs: []uint64{}}, {Halves: []uint16{}}}[rng.Below(3)])
		at.base = 512 * rng.Below(9)
		among := uint64(1) << (1 + rng.Below(20))
		for l := range index {
			index[l] = rng.Below(among)
		}
		lanes := rng.Uint64() & m.full
		lanes &= rng.Uint64()
		apart := m.apart(at, index, lanes)
		sectors := slices.Clone(m.scratch.sectors.key[:m.scratch.sectors.n])
		passes := m.scratch.passes
		m.together(at, index, lanes)
		alone := true // each sector has one word that one lane wants
		for s := range m.scratch.sectors.n {
			alone = alone && m.scratch.sectors.count[s] == 1 && m.scratch.passes[s] == 1
		}
		if apart != alone {
			t.Fatalf("lanes %#x at %d of %v: apart is %v", lanes, at, index, apart)
		}
		if apart {
			n := m.scratch.sectors.n
			if !slices.Equal(sectors, m.scratch.sectors.key[:n]) || !slices.Equal(passes[:n], m.scratch.passes[:n]) {
				t.Fatalf("lanes %#x at %d of %v: sectors %d, want %d", lanes, at, index, sectors, m.scratch.sectors.key[:n])
			}
			seen[1]++
		} else {
			seen[0]++
		}
	}
	if min(seen[0], seen[1]) < 200 {
		t.Errorf("%d requests of sectors apart, %d of others", seen[1], seen[0])
	}
}
