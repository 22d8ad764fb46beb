package machine

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestSliceWith: a sector has the slice of its address, whether that is kept or not, and of sectors
// that are not a power of two as well.
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
