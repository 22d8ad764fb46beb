package boundary

import (
	"math"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// onTargets writes the updates of a stream of so many targets on another number of them.
func onTargets(into, indices []uint32, from, to uint64) []uint32 {
	into, ratio := into[:0], float64(to)/float64(from)
	r, random := 0.0, splitmix.New(to)
	for i, t := range indices {
		if to > from && (i == 0 || t != indices[i-1]) {
			r = random.Float64()
		}
		at := math.Floor((float64(t) + r) * ratio)
		into = append(into, uint32(min(at, float64(to-1))))
	}
	return into
}

// contended writes the updates of which a share goes to one target, or with a negative share to
// uniform ones of so many.
func contended(into, indices []uint32, hottest uint32, targets uint64, share float64) []uint32 {
	into = into[:0]
	random := splitmix.New(targets)
	for _, t := range indices {
		moved, any := random.Float64() < math.Abs(share), random.Below(targets)
		switch {
		case moved && share > 0:
			t = hottest
		case moved:
			t = uint32(any)
		}
		into = append(into, t)
	}
	return into
}
