package experiment

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// TestAlone: of all exchanges each value is returned once or stays, and of all comparisons with the first
// value one wins, whoever makes them.
func TestAlone(t *testing.T) {
	for _, how := range []coordinator.Atomics{coordinator.Software, coordinator.System} {
		run := func(op coordinator.Op) coordinator.Result {
			r, err := coordinator.Run(Alone(op)(3, 2, 64), coordinator.Options{Device: builtin(t), Regime: Paths{},
				Atomics: how, AsPrinted: true})
			if err != nil || len(r.History) != 3*2*64 {
				t.Fatalf("operation %d, atomics %d: %d records, %v", op, how, len(r.History), err)
			}
			return r
		}
		exchanged := run(coordinator.Exchange)
		seen := map[uint32]bool{exchanged.Final[0]: true}
		for _, h := range exchanged.History {
			seen[h.Old] = true
		}
		if len(seen) != 3*2*64+1 || !seen[0] {
			t.Errorf("atomics %d: %d different values are returned or stay", how, len(seen))
		}
		compared, winners := run(coordinator.CompareExchange), 0
		for _, h := range compared.History {
			if h.Old == 0 {
				winners++
			} else if h.Old != compared.Final[0] {
				t.Errorf("atomics %d: a comparison found %d, the winner brought %d", how, h.Old, compared.Final[0])
			}
		}
		// The lanes that lose ask no more.
		if winners != 1 || compared.Cycles > 1.1*exchanged.Cycles {
			t.Errorf("atomics %d: %d winners, %v cycles, exchanges take %v", how, winners, compared.Cycles,
				exchanged.Cycles)
		}
	}
}

// TestLocalAdd: all lanes of a wavefront add in local memory, one after the other, and no more than there are.
func TestLocalAdd(t *testing.T) {
	cycles := func(lanes LocalAdd) float64 {
		k := AtomicOnly(1, 1, 1)
		k.Groups[0][0][0].Before.Further = lanes
		r, err := coordinator.Run(k, coordinator.Options{Device: builtin(t), Regime: Paths{},
			Atomics: coordinator.System})
		if err != nil {
			t.Fatal(err)
		}
		return r.Cycles
	}
	round := builtin(t).SharedAtomic(device.U32).Round.Value
	if got := cycles(64) - cycles(1); got != 63*round {
		t.Errorf("63 lanes more take %v cycles, want %v", got, 63*round)
	}
	for _, lanes := range []LocalAdd{0, 65} {
		k := AtomicOnly(1, 1, 64)
		k.Groups[0][0][0].Before.Further = lanes
		if _, err := coordinator.Run(k, coordinator.Options{Device: builtin(t), Regime: Paths{}}); !errors.Is(err,
			coordinator.ErrKernel) {
			t.Errorf("%d lanes: %v", lanes, err)
		}
	}
}
