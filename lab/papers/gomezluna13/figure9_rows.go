package gomezluna13

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
)

// imageRows are the statements about the images themselves.
func (f *findings) imageRows(images []papers.Image, generated bool) {
	reason := "of the given images"
	if generated {
		reason = fmt.Sprintf("%d generated images of %d x %d pixels in place of the photographs of "+
			"[vanhateren98]", imageCount, imageWidth, imageHeight)
	}
	share := func(bins int) float64 {
		mean := 0.0
		for _, m := range images {
			mean += 100 * equalNeighbours(m, bins) / float64(len(images))
		}
		return mean
	}
	few, many := share(32), share(papers.ImageLevels)
	f.State("neighbouring pixels in the same bin, 32 bins", few, few > 50, reason)
	f.State("neighbouring pixels in the same bin, 4,096 bins", many, many < few/4, reason)
}

// memoryRows are the statements about the memory that the copies take.
func (f *findings) memoryRows(d *device.Profile, us times) {
	loss := map[impl.Mapping]float64{}
	for _, m := range mappings {
		within, beyond, lost := us.atLimit(d, m)
		loss[m] = lost
		f.State(mappingNames[m]+" mapping without padding: gain of copies within 1,024 words", within,
			slices.Min(within) >= 10)
		f.State(mappingNames[m]+" mapping without padding: gain of copies beyond 1,024 words", beyond,
			slices.Max(beyond) <= 0)
	}
	f.State("the most copies without padding cost cyclic mapping more than block mapping, 64 to 256 "+
		"bins, by",
		loss[impl.Cyclic]-loss[impl.Block], loss[impl.Cyclic] > loss[impl.Block],
		loss[impl.Cyclic], loss[impl.Block])
}

// atLimit compares numbers of copies without padding around 1,024 words: what
// copies within gain over one, what copies beyond gain over those within, in
// percent for each number of bins, and what the most copies lose against 1,024
// words, in percent over 64 to 256 bins.
func (us times) atLimit(d *device.Profile, m impl.Mapping) (within, beyond []float64,
	lost float64) {
	losses := 0
	for _, words := range voteSpaces {
		copies, time := us.histogramSeries(d, words, m, 0)
		fit := 1
		for fit < len(copies) && copies[fit]*words <= lockWords {
			fit++
		}
		if words < lockWords {
			within = append(within, 100*(1-slices.Min(time[:fit])/time[0]))
		}
		if fit < len(time) {
			beyond = append(beyond, 100*(1-slices.Min(time[fit:])/slices.Min(time[:fit])))
		}
		if fit < len(time) && words <= 256 {
			lost += 100 * (time[len(time)-1]/time[fit-1] - 1)
			losses++
		}
	}
	return within, beyond, lost / float64(max(losses, 1))
}

// histogramPaddingRows are the statements about padding.
func (f *findings) histogramPaddingRows(d *device.Profile, us times) {
	cyclic, block := us.paddingGains(d, impl.Cyclic), us.paddingGains(d, impl.Block)
	few, many := cyclic[:from(256)], cyclic[from(512):]
	f.State("padding improves cyclic mapping under 256 bins by", few, slices.Min(few) >= 10)
	f.State("padding improves block mapping by up to", slices.Max(block), slices.Max(block) >= 5)
	f.State("padding improves cyclic mapping from 512 bins on by", many,
		slices.Max(many) < slices.Min(few))
	within, beyond := us.blockPadding()
	f.State("padding improves block mapping within 1,024 words by", within, within <= 2)
	f.State("padding improves block mapping beyond 1,024 words by", beyond, beyond >= 5)
}

// paddingGains is by how many percent the best padded layout of each number of
// bins is faster than the best plain one.
func (us times) paddingGains(d *device.Profile, m impl.Mapping) []float64 {
	var gains []float64
	for _, words := range voteSpaces {
		_, plain := us.histogramSeries(d, words, m, 0)
		_, padded := us.histogramSeries(d, words, m, 1)
		gains = append(gains, 100*(1-slices.Min(padded)/slices.Min(plain)))
	}
	return gains
}

// blockPadding is the mean gain of padding in block mapping where the copies
// take 1,024 words at most, and where they take more.
func (us times) blockPadding() (within, beyond float64) {
	var sums, counts [2]float64
	eachCopied(func(l layout) {
		with := l
		with.pad = 1
		padded, runs := us[histogram(with)]
		if !runs || l.pad != 0 || l.mapping != impl.Block {
			return
		}
		side := 0
		if l.words*l.copies > lockWords {
			side = 1
		}
		sums[side] += 100 * (1 - padded/us[histogram(l)])
		counts[side]++
	})
	return sums[0] / counts[0], sums[1] / counts[1]
}

// histogramMappingRows compare block with cyclic mapping; alone are the ratios of a warp alone.
func (f *findings) histogramMappingRows(d *device.Profile, us times, alone []float64) {
	best := us.bestRatios(d, 0, 1)
	apart := farthest(best[from(512):])
	f.State("best times of block and cyclic mapping differ from 512 bins on by at most", apart,
		apart <= 10)
	apart = farthest(us.mappingRatios(longHistogram))
	longer := farthest(us.mappingRatios(func(l layout) bool { return l.words > 512 }))
	f.State("times of block and cyclic mapping differ from 512 bins on by at most", apart, apart <= 10,
		longer)
	padded := us.bestRatios(d, 1)[:from(256)]
	f.State("block mapping takes longer than cyclic mapping, padded, under 256 bins: ratio of the "+
		"best times",
		padded, slices.Min(padded) > 1)
	few := us.mappingRatios(func(l layout) bool { return !longHistogram(l) && fewerThanWarps(l) })
	f.State("block mapping never beats cyclic mapping below as many copies as warps, up to 256 bins: "+
		"ratio of the times", few, slices.Min(few) >= 1)
	many := us.mappingRatios(fewOfLong)
	f.State("block mapping never beats cyclic mapping below as many copies as warps, from 512 bins "+
		"on: ratio of the times", many, slices.Min(many) >= 1, slices.Min(alone), slices.Max(alone))
	needed := lanes
	for warpCopies(needed) == 1 && needed < voteThreads {
		needed *= 2
	}
	f.StateNumber("block mapping removes conflicts within a warp only with more copies than",
		statedBlockVotes, needed/2, float64(needed/2) == statedBlockVotes)
}

// fewerThanWarps are the layouts of which the paper says that block mapping performs worse.
func fewerThanWarps(l layout) bool { return l.copies < voteThreads/lanes }

// longHistogram are the layouts in which the paper finds both mappings very similar.
func longHistogram(l layout) bool { return l.words > 256 }

// fewOfLong are those of them with fewer copies than warps.
func fewOfLong(l layout) bool { return longHistogram(l) && fewerThanWarps(l) }

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
		if cyclic, runs := us[histogram(l)]; runs && l.mapping == impl.Cyclic && of(l) {
			block := l
			block.mapping = impl.Block
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

// activeThreads are what the CUDA literature recommends of threads that are resident on a
// multiprocessor of compute capability 2.0, in the CUDA C Best Practices Guide.
const activeThreads = 768

// resident is how many threads a launch has on a multiprocessor at once.
func (v voting) resident(d *device.Profile) int {
	blocks := (v.blocks + int(d.Core.SMs.Value) - 1) / int(d.Core.SMs.Value)
	most := int(d.Core.MaxWarps.Value*d.Core.WarpLanes.Value) / v.threads
	return v.threads * min(blocks, most, int(d.Core.MaxBlocks.Value))
}

// launchRows compare the execution configurations, which follow such recommendations.
func (f *findings) launchRows(d *device.Profile, us times) {
	var active, all []float64
	for _, v := range launches() {
		all = append(all, us[v])
		if v.resident(d) >= activeThreads {
			active = append(active, us[v])
		}
	}
	slowest := func(of []float64) float64 { return slices.Max(of) / slices.Min(of) }
	f.State("16 to 128 blocks of 128 to 1,024 threads with enough of them active: slowest over fastest",
		slowest(active), slowest(active) <= papers.Extreme.Factor(), len(active))
	f.State("16 to 128 blocks of 128 to 1,024 threads, all: slowest over fastest", slowest(all),
		slowest(all) <= papers.Extreme.Factor())
}
