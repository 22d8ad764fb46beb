package coordinator

import (
	"testing"

	"github.com/atomtune/atomtune/device"
)

// TestLocalAtomicLanes: an atomic operation on local memory takes its base for one lane and a
// round more for each further one, and the next of the compute unit waits for all rounds.
func TestLocalAtomicLanes(t *testing.T) {
	d := builtin(t)
	q := Paths{}.Start(&Simulation{Device: d}).(*Queues)
	w := &Front{process: &process{e: &engine{}}, group: &group{}}
	local := d.SharedAtomic(device.U32)
	base, round := Ticks(local.Base.Value), Ticks(local.Round.Value)
	if got := q.LocalAtomic(w, 5); round == 0 || got != base+4*round {
		t.Errorf("5 lanes take %d ticks, base %d, round %d", got, base, round)
	}
	if got := q.LocalAtomic(w, 1); got != base+5*round {
		t.Errorf("one lane behind 5 is done after %d ticks, base %d, round %d", got, base, round)
	}
}
