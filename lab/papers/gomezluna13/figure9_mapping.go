package gomezluna13

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/variant"
)

// histogramMappingRows compare block with cyclic mapping.
func (f *findings) histogramMappingRows(d *device.Profile, us times) {
	best := us.bestRatios(d, 0, 1)
	apart := farthest(best[from(512):])
	f.Enforce(papers.Row{
		Item: "best times of block and cyclic mapping differ from 512 bins on by at most", PaperValue: papers.Text("very similar"), Ours: papers.Number(apart), Unit: "%",
		Reason: "each with its best factor and padding; at most 10 %", Holds: apart <= 10,
	})
	apart = farthest(us.mappingRatios(func(l layout) bool { return l.words > 256 }))
	f.Gap(papers.Row{
		Item: "times of block and cyclic mapping differ from 512 bins on by at most", PaperValue: papers.Text("very similar"), Ours: papers.Number(apart), Unit: "%",
		Reason: "at every factor and padding, at most 10 %: many cyclic copies cost more, since all warps vote in the same ones and meet at the locks that these share",
		Holds:  apart <= 10,
	})
	padded := us.bestRatios(d, 1)[:from(256)]
	f.Enforce(papers.Row{
		Item: "block mapping takes longer than cyclic mapping, padded, under 256 bins: ratio of the best times", PaperValue: papers.Text("above 1"),
		Ours: papers.Interval(slices.Min(padded), slices.Max(padded)), Unit: "", Reason: "each with its best factor up to the number of warps", Holds: slices.Min(padded) > 1,
	})
	ratios := us.mappingRatios(func(l layout) bool { return l.pad == 0 && l.copies < voteThreads/lanes })
	f.Gap(papers.Row{
		Item: "block mapping never beats cyclic mapping below as many copies as warps: ratio of the times", PaperValue: papers.Text("1 or more"),
		Ours: papers.Interval(slices.Min(ratios), slices.Max(ratios)), Unit: "",
		Reason: "without padding; all warps vote in the same cyclic copies and meet at their locks, which block mapping keeps apart: " +
			"in the simulator that outweighs the conflicts within a warp",
		Holds: slices.Min(ratios) >= 1,
	})
	needed := lanes
	for warpCopies(needed) == 1 && needed < voteThreads {
		needed *= 2
	}
	f.Enforce(papers.Row{
		Item: "block mapping removes conflicts within a warp only with more copies than", PaperValue: papers.Number(32), Ours: papers.Number(float64(needed / 2)), Unit: "copies",
		Reason: "equation (2) with blocks of 32 warps: the largest power of two that leaves every warp on one copy", Holds: needed == 2*lanes,
	})
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
	f.Gap(papers.Row{
		Item: "16 to 128 blocks of 128 to 1,024 threads: slowest over fastest", PaperValue: papers.Text("similar"), Ours: papers.Number(ratio), Unit: "",
		Reason: "256 bins, 4 copies, at most 1.25: in the simulator 16 blocks of 128 threads, four warps on a multiprocessor, do not hide the latency of their loads and votes",
		Holds:  ratio <= 1.25,
	})
}
