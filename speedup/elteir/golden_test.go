package elteir_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/speedup/elteir"
)

// TestStreamTerms: the parts of a coordinated launch are what testdata/streams.txt holds, over a grid of
// streams.
func TestStreamTerms(t *testing.T) {
	var lines []string
	for _, name := range golden.Devices {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := elteir.NewPipelined(d)
		if err != nil {
			continue
		}
		for _, workgroups := range []float64{1, 2, 5, 40, 319} {
			var sum golden.Digest
			for _, iterations := range []float64{1, 2, 17, 400} {
				for _, requests := range []float64{1, 1.5, 8, 63.5} {
					for _, targets := range []float64{1, 3, 64, 5000} {
						for _, grouped := range []bool{false, true} {
							s := elteir.CoordinatedStream{Workgroups: workgroups, Iterations: iterations, Requests: requests,
								Lanes: max(1, 64/requests), Loads: 1 + float64(int(iterations)%2), Targets: targets, Grouped: grouped}
							terms := p.Stream(s)
							sum.Add(terms.Start, terms.Serve, terms.Finish, terms.Cycles())
						}
					}
				}
			}
			lines = append(lines, fmt.Sprintf("%s, %v workgroups: %s", name, workgroups, &sum))
		}
	}
	golden.Compare(t, "testdata/streams.txt", lines)
}
