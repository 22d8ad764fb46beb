package inspect

import (
	"errors"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/impl"
)

// TestRecord: a schedule holds the events of the simulation and one at the end of its last launch, and
// the queue hands them out in the order of their cycles when they are scheduled anew.
func TestRecord(t *testing.T) {
	d, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	v, err := impl.Parse("private")
	if err != nil {
		t.Fatal(err)
	}
	cfg := hwsim.Config{Device: d, Implementation: v, Call: device.Call{Type: device.F32}}
	indices := make([]uint32, 5000)
	for i := range indices {
		indices[i] = uint32(i % 100)
	}
	r, err := hwsim.Run(cfg, indices, 100)
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
		for i, cycle := range at[:n] {
			q.Push(cycle, int32(len(s.At)-len(at)+i))
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
	if _, err := Record(cfg, []uint32{100}, 100); !errors.Is(err, hwsim.ErrStream) {
		t.Errorf("an index beyond the targets: %v", err)
	}
}

// TestSampledLane: warps take the elements of the sequence in turn, p·2654435769 modulo 2^32, of which the
// highest bits number a lane.
func TestSampledLane(t *testing.T) {
	for _, lanes := range []int{2, 32, 64} {
		for warp := range uint64(200) {
			for _, samples := range []int{1, 3} {
				want := int(uint32(7+warp*uint64(samples))*2654435769) / (1 << 32 / lanes)
				if got := SampledLane(7, warp, samples, lanes); got != want {
					t.Fatalf("warp %d of %d lanes, %d samples: lane %d, want %d", warp, lanes, samples, got, want)
				}
			}
		}
	}
}
