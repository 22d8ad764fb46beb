package tables

import (
	"math"
	"slices"
	"testing"
)

// TestStreamsReachTheLevel: the stream that is made for a column has its level, with many targets
// and with few, and a frequent target where the column says so.
func TestStreamsReachTheLevel(t *testing.T) {
	const updates = 1 << 16
	for at, c := range columns {
		if c.Level == 0 {
			continue
		}
		for _, k := range []uint32{128, 4096} {
			s := source{column: at, updates: updates, warpSize: 32, points: map[int]*point{},
				shares: map[uint32]int{}}
			p, err := s.at(slices.Index(fineTargets, k))
			if err != nil || p == nil {
				t.Fatalf("%s, %d targets: %v, %v", c, k, p, err)
			}
			if level := p.stats.WarpLevel; math.Abs(level/c.Level-1) > 0.08 {
				t.Errorf("%s, %d targets: level %v of %s", c, k, level, p.stream.Spec)
			}
			share := float64(p.stats.MaxFrequency) / updates
			if one := share > 0.5*c.Level; one != (c.Arrangement == Hot) && k == 4096 {
				t.Errorf("%s, %d targets: the most frequent target has %.3f of the updates", c, k, share)
			}
		}
	}
}
