package hwsim

import (
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestRecord: a schedule holds the events of the simulation and one at the end of its last launch, and
// the queue hands them out in the order of their cycles when they are scheduled anew.
func TestRecord(t *testing.T) {
	v, err := variant.Parse("private")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Device: profile(t, "gtx680"), Variant: v, Call: device.Call{Type: device.F32}}
	indices := make([]uint32, 5000)
	for i := range indices {
		indices[i] = uint32(i % 100)
	}
	r, err := Run(cfg, indices, 100)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Record(cfg, indices, 100)
	if err != nil {
		t.Fatal(err)
	}
	ends := len(s.At) - int(r.Events)
	if ends < 0 || ends > len(r.Kernels) || len(s.Counts) != len(s.At)+1 {
		t.Fatalf("%d events and %d counts of a simulation of %d events", len(s.At), len(s.Counts), r.Events)
	}
	if warps := int32(256 / 32); s.Counts[0] != warps { // one block clears 100 targets
		t.Errorf("%d events before the first is handled, want %d", s.Counts[0], warps)
	}
	var q EventQueue
	var handled []int64
	at := s.At
	for _, n := range s.Counts {
		for _, cycle := range at[:n] {
			q.Push(cycle, 0)
		}
		at = at[n:]
		if cycle, _, ok := q.Pop(); ok {
			handled = append(handled, cycle)
		}
	}
	want := slices.Clone(s.At)
	slices.Sort(want)
	if len(at) != 0 || !slices.Equal(handled, want) {
		t.Errorf("%d events are left, or events are not in the order of their cycles", len(at))
	}
	if _, err := Record(cfg, []uint32{100}, 100); !errors.Is(err, ErrStream) {
		t.Errorf("an index beyond the targets: %v", err)
	}
}
