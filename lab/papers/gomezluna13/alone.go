package gomezluna13

import (
	"context"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
)

// everyWarp is the distance between the warps of an image whose votes are taken one by one.
const everyWarp = 8

// aloneOnImages is the mean latency, by Algorithm 1, of a warp's votes for pixels in block over that
// in cyclic mapping, for each layout of a long histogram: what conflicts within warps alone cost.
func aloneOnImages(ctx context.Context, o papers.Options, d *device.Profile) ([]float64, error) {
	var cyclic, block []layout
	eachCopied(func(l layout) {
		if histogram(l).runs(d) && l.mapping == impl.Cyclic && fewOfLong(l) {
			cyclic = append(cyclic, l)
			l.mapping = impl.Block
			block = append(block, l)
		}
	})
	cycles := make([][][2]float64, len(o.Images)) // by image and layout, in block and cyclic mapping
	err := o.Share(ctx, len(cycles), func() (func(int) error, error) {
		p, err := newProbe(device.OpAdd)
		if err != nil {
			return nil, err
		}
		return func(image int) error {
			cycles[image] = make([][2]float64, len(cyclic))
			var bins []uint32
			for i, l := range cyclic {
				if i == 0 || l.words != cyclic[i-1].words {
					bins = o.Images[image].Bins(l.words)
				}
				cycles[image][i] = [2]float64{p.alone(block[i], bins), p.alone(l, bins)}
			}
			return p.err
		}, nil
	})
	if err != nil {
		return nil, err
	}
	ratios := make([]float64, len(cyclic))
	for i := range ratios {
		var inBlock, inCyclic float64
		for _, of := range cycles {
			inBlock, inCyclic = inBlock+of[i][0], inCyclic+of[i][1]
		}
		ratios[i] = inBlock / inCyclic
	}
	return ratios, nil
}

// alone is the latency of all warps that are taken, one after the other.
func (p *probe) alone(l layout, bins []uint32) (cycles float64) {
	pattern := make([]int32, lanes)
	for i := 0; i+lanes <= len(bins); i += everyWarp * lanes {
		for k := range pattern {
			copied := l.copyOf((i+k)%voteThreads, voteThreads)
			pattern[k] = int32(bins[i+k]) + int32(copied*(l.words+l.pad))
		}
		cycles += p.closed(pattern)
	}
	return cycles
}
