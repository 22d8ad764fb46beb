package gomezluna13

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// histogramMappingRows compare block with cyclic mapping.
func (f *findings) histogramMappingRows(d *device.Profile, us times) {
	best := us.bestRatios(d, 0, 1)
	apart := farthest(best[from(512):])
	f.State("best times of block and cyclic mapping differ from 512 bins on by at most", apart,
		apart <= 10)
	apart = farthest(us.mappingRatios(func(l layout) bool { return l.words > 256 }))
	f.State("times of block and cyclic mapping differ from 512 bins on by at most", apart, apart <= 10)
	padded := us.bestRatios(d, 1)[:from(256)]
	f.State("block mapping takes longer than cyclic mapping, padded, under 256 bins: ratio of the best times",
		padded, slices.Min(padded) > 1)
	ratios := us.mappingRatios(func(l layout) bool { return l.pad == 0 && l.copies < voteThreads/lanes })
	f.State("block mapping never beats cyclic mapping below as many copies as warps: ratio of the times",
		ratios, slices.Min(ratios) >= 1)
	needed := lanes
	for warpCopies(needed) == 1 && needed < voteThreads {
		needed *= 2
	}
	f.State("block mapping removes conflicts within a warp only with more copies than", needed/2,
		needed == 2*lanes)
}

// bestRatios is the best time of block over that of cyclic mapping for each
// number of bins, among the given paddings.
func (us times) bestRatios(d *device.Profile, pads ...int) []float64 {
	var ratios []float64
	for _, words := range voteSpaces {
		best := [...]float64{math.Inf(1), math.Inf(1)}
		for i, m := range mappings {
			for _, pad := range pads {
				_, time := us.histogramSeries(d, words, m, pad)
				best[i] = min(best[i], slices.Min(time))
			}
		}
		ratios = append(ratios, best[1]/best[0])
	}
	return ratios
}

// mappingRatios is the time of block over that of cyclic mapping for layouts of
// several copies.
func (us times) mappingRatios(of func(l layout) bool) []float64 {
	var ratios []float64
	eachCopied(func(l layout) {
		if cyclic, runs := us[histogram(l)]; runs && l.mapping == variant.Cyclic && of(l) {
			block := l
			block.mapping = variant.Block
			ratios = append(ratios, us[histogram(block)]/cyclic)
		}
	})
	return ratios
}

// farthest is by how many percent ratios differ from 1 at most.
func farthest(ratios []float64) float64 {
	apart := 0.0
	for _, r := range ratios {
		apart = math.Max(apart, 100*math.Abs(r-1))
	}
	return apart
}

// launchRow compares the execution configurations.
func (f *findings) launchRow(us times) {
	var all []float64
	for _, v := range launches() {
		all = append(all, us[v])
	}
	ratio := slices.Max(all) / slices.Min(all)
	f.State("16 to 128 blocks of 128 to 1,024 threads: slowest over fastest", ratio, ratio <= 1.25)
}
