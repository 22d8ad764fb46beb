package experiment

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/hwsim/coordinator"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestSimulated: cycles, instructions and events of the micro-benchmarks, with and without loops of loads,
// are what testdata/simulated.txt holds, in each regime.
func TestSimulated(t *testing.T) {
	var lines []string
	rng := splitmix.New(33)
	d := builtin(t)
	for at, regime := range []coordinator.Regime{Paths{}, Paths{Cached: true},
		Serial{Fast: 90, Complete: 650, Local: 3}} {
		for how := coordinator.Software; how <= coordinator.Leave; how++ {
			var sum golden.Digest
			o := coordinator.Options{Device: d, Regime: regime, Atomics: how}
			for i := range 6 {
				k := []func(int, int, int) *coordinator.Kernel{AtomicOnly, Copy}[i%2](1+i, 1+i%3, 64)
				for g := range k.Groups {
					k.Groups[g][0][0].Before.Further = drawLoop(rng)
				}
				r, err := coordinator.Run(k, o)
				if err != nil {
					t.Fatal(err)
				}
				sum.JSON(t, r)
				sum.Add(AtomicCycles(r))
			}
			fastest, err := Fastest(Copy, 9, o)
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(fastest)
			lines = append(lines, fmt.Sprintf("regime %d, atomics %d: %s", at, how, &sum))
		}
	}
	golden.Compare(t, "testdata/simulated.txt", lines)
}

// drawLoop draws a loop of up to three loads an iteration.
func drawLoop(rng *splitmix.Rand) Loop {
	below := func(n uint64) int { return int(rng.Below(n)) }
	l := Loop{Iterations: below(6), Unrolled: below(4)}
	for range 1 + below(3) {
		l.Patterns = append(l.Patterns, Pattern{First: below(3000), Turn: below(90), Width: 1 + below(64),
			Down: below(40), Across: below(20)})
	}
	return l
}
