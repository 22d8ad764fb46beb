package coordinator

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestSimulated: times, events and launches of calls, and an estimate of a longer one, are what
// testdata/simulated.txt holds.
func TestSimulated(t *testing.T) {
	var lines []string
	d := builtin(t)
	for i, call := range []device.Call{{}, {Operand: device.One}, {Type: device.I32, Keeps: true}, {Returns: true}} {
		var sum golden.Digest
		for _, n := range []int{1, 64, 700, 2500} {
			for _, variables := range []int{1, 5, 300} {
				c := Call{Device: d, Call: call, Seed: uint64(i)}
				r, err := c.Run(drawn(n+i, variables), uint64(variables))
				if err != nil {
					t.Fatal(err)
				}
				sum.JSON(t, r)
			}
		}
		if i == 0 {
			us, err := Call{Device: d, Call: call, Seed: 1}.Estimate(drawn(200000, 40), 40)
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(us)
		}
		lines = append(lines, fmt.Sprintf("%s: %s", call.Words(), &sum))
	}
	golden.Compare(t, "testdata/simulated.txt", lines)
}
