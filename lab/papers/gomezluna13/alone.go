package gomezluna13

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/variant"
)

// everyWarp is the distance between the warps of an image whose votes are taken one by one.
const everyWarp = 8

// aloneOnImages is the mean latency, by Algorithm 1, of a warp's votes for pixels in block over that
// in cyclic mapping, for each layout of a long histogram: what conflicts within warps alone cost.
func aloneOnImages(d *device.Profile, images []papers.Image) ([]float64, error) {
	p, err := newProbe(device.OpAdd)
	if err != nil {
		return nil, err
	}
	cycles := func(l layout) (sum float64) {
		pattern := make([]int32, lanes)
		for _, m := range images {
			bins := m.Bins(l.words)
			for i := 0; i+lanes <= len(bins); i += everyWarp * lanes {
				for k := range pattern {
					copied := l.copyOf((i+k)%voteThreads, voteThreads)
					pattern[k] = int32(bins[i+k]) + int32(copied*(l.words+l.pad))
				}
				sum += p.closed(pattern)
			}
		}
		return sum
	}
	var ratios []float64
	eachCopied(func(l layout) {
		if !histogram(l).runs(d) || l.mapping != variant.Cyclic || !fewOfLong(l) {
			return
		}
		block := l
		block.mapping = variant.Block
		ratios = append(ratios, cycles(block)/cycles(l))
	})
	return ratios, p.err
}
