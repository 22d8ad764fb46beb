package fit

import (
	"testing"

	"github.com/atomtune/atomtune/latency"
)

// BenchmarkScratchpad fits 2,592 rows, structure and constants.
func BenchmarkScratchpad(b *testing.B) {
	for _, c := range []struct {
		name string
		p    latency.Params
	}{{"mechanism=lock", fermi}, {"mechanism=native", native}} {
		b.Run(c.name, func(b *testing.B) {
			m := measured(b, c.p, 0.02, 0.01, 1)
			for b.Loop() {
				if _, err := Scratchpad(m, "cycles", Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
