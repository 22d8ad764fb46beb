package hwsim

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// TestScratchpads: cycles, turns and refusals of operations of one warp and of several, each on patterns of
// few words and of many, are what testdata/scratchpads.txt holds.
func TestScratchpads(t *testing.T) {
	var lines []string
	rng := splitmix.New(32)
	for _, name := range device.Names() {
		d := profile(t, name)
		for _, op := range device.Operations() {
			var sum golden.Digest
			for _, typ := range device.Types() {
				s, err := NewScratchpad(d, op, typ)
				if err != nil {
					sum.Text(err.Error())
					continue
				}
				for i := range 8 {
					patterns := make([][]int32, 1+i)
					for w := range patterns {
						patterns[w] = drawPattern(rng, d.Limits().WarpLanes, 1<<(1+i))
						alone, err := s.Warp(patterns[w])
						if err != nil {
							t.Fatal(err)
						}
						sum.Add(alone)
					}
					together, err := s.Warps(patterns, 1+i%4)
					if err != nil {
						t.Fatal(err)
					}
					sum.JSON(t, together)
				}
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s", name, op, &sum))
		}
	}
	golden.Compare(t, "testdata/scratchpads.txt", lines)
}

// drawPattern draws which of so many words each lane addresses, and lanes that take no part.
func drawPattern(rng *splitmix.Rand, lanes int, words uint64) []int32 {
	pattern := make([]int32, lanes)
	for l := range pattern {
		pattern[l] = int32(rng.Below(words+1)) - 1
	}
	return pattern
}
