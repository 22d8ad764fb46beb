package collision

import "gonum.org/v1/gonum/stat"

const (
	// hotBlocks is the number of blocks from which an exact analysis estimates
	// HotWarps and HotSegments.
	hotBlocks = 1024
	// hotUpdates bounds the updates of these blocks where blocks are long.
	hotUpdates = 1 << 20
	// hotBlocksMin is the number of blocks that are kept however long they are.
	hotBlocksMin = 16
	// hotChoice is the part of the sample, one in so many, in which targets are
	// chosen; the rest counts them.
	hotChoice = 4
)

// hotSampleSize returns how many blocks an exact analysis keeps.
func hotSampleSize(block int) int {
	return min(hotBlocks, max(hotUpdates/block, hotBlocksMin))
}

// hotSample is a stream of which some blocks are known.
type hotSample struct {
	warpSize int
	vector   vectorKernel
	blocks   uint64      // complete blocks of the stream, N
	kept     []keptBlock // complete blocks, in random order where some are not kept
	last     []uint32    // the incomplete block
	targets  uint64      // upper bound on the number of different targets
	hottest  uint32      // a target with many updates, counted in any case
	// What one update of a mean target makes, for a target that is not in the sample.
	warpsPerUpdate, segmentsPerUpdate float64
	// of the whole stream, with sorted logs; nil: not known
	counts *tally
}

// estimate fills in HotWarps and HotSegments, once MaxFrequency is known, and
// returns the half-widths of their intervals.
func (h *hotSample) estimate(s *Stats) (halfWarps, halfSegments float64) {
	var warps, segments float64
	n := float64((s.Updates + uint64(s.WarpSize) - 1) / uint64(s.WarpSize))
	h.warpsPerUpdate = s.DistinctPerWarp * n / float64(s.Updates)
	h.segmentsPerUpdate = 1 - s.ClusteredFraction
	if uint64(len(h.kept)) == h.blocks {
		c := h.highest(s.MaxFrequency)
		warps, segments = float64(c.warps), float64(c.segments)
	} else {
		warps, segments, halfWarps, halfSegments = h.estimateHighest()
	}
	most := float64(s.MaxFrequency)
	// A target with the most updates is in so many warps at least, and no target
	// in more warps or segments than it has updates. Two segments of one target
	// in a warp are at least a lane apart.
	warps = min(max(warps, most/float64(s.WarpSize)), most, n)
	segments = min(max(segments, warps), most, n*float64((s.WarpSize+1)/2))
	s.HotWarps, s.HotSegments = warps/n, segments/n
	return halfWarps / n, halfSegments / n
}

// highest returns the most warps, and the most segments, of one target in a
// stream that is known as a whole, of whose targets none has more than most
// updates.
func (h *hotSample) highest(most uint64) hotCount {
	best := h.count(h.hottest)
	if best.warps == most { // no target can have more
		return best
	}
	w, s := h.fill(newHotTable(h.targets), h.kept).hottest()
	best.raise(hotCount{warps: uint64(w.warps), segments: uint64(s.segments)})
	return best
}

// count counts a target in all known blocks.
func (h *hotSample) count(target uint32) hotCount {
	c := h.vector.countTarget(h.last, h.warpSize, target)
	for _, b := range h.kept {
		c.add(h.vector.countTarget(b.keys, h.warpSize, target))
	}
	return c
}

// fill counts the targets of some blocks and of the incomplete block.
func (h *hotSample) fill(t *hotTable, blocks []keptBlock) *hotTable {
	for _, b := range blocks {
		t.add(b.keys, h.warpSize)
	}
	t.add(h.last, h.warpSize)
	return t
}

// estimateHighest estimates the most warps and the most segments of one target
// in the stream: it chooses targets on a part of the sample and the incomplete
// block, and counts them on the rest, which stands for all other blocks. Counts
// of the blocks in which a target was chosen would be too high for the whole
// stream wherever targets are rare.
func (h *hotSample) estimateHighest() (warps, segments, halfWarps, halfSegments float64) {
	first := len(h.kept) / hotChoice
	updates := uint64(len(h.last))
	for _, b := range h.kept[:first] {
		updates += uint64(len(b.keys))
	}
	byWarps, bySegments := h.fill(newHotTable(min(updates, h.targets)), h.kept[:first]).hottest()
	seen := map[uint32]bool{}
	for _, target := range []uint32{h.hottest, byWarps.target, bySegments.target} {
		if seen[target] {
			continue
		}
		seen[target] = true
		w, s := h.estimateTarget(target, first)
		if w.total > warps {
			warps, halfWarps = w.total, w.half
		}
		if s.total > segments {
			segments, halfSegments = s.total, s.half
		}
	}
	return warps, segments, halfWarps, halfSegments
}

// estimated is a total over the stream and the half-width of its interval.
type estimated struct{ total, half float64 }

// estimateTarget estimates the warps that hold a target and its segments: those
// of the first blocks are known, the others stand for the rest of the stream.
func (h *hotSample) estimateTarget(target uint32, first int) (warps, segments estimated) {
	known := h.vector.countTarget(h.last, h.warpSize, target)
	for _, b := range h.kept[:first] {
		known.add(h.vector.countTarget(b.keys, h.warpSize, target))
	}
	var x, y, z []float64 // updates, warps and segments of each block
	for _, b := range h.kept[first:] {
		c := h.vector.countTarget(b.keys, h.warpSize, target)
		x, y = append(x, float64(c.updates)), append(y, float64(c.warps))
		z = append(z, float64(c.segments))
	}
	rest := population{blocks: h.blocks - uint64(first)}
	if h.counts == nil {
		warps.total, warps.half = rest.total(y, float64(known.warps))
		segments.total, segments.half = rest.total(z, float64(known.segments))
		return warps, segments
	}
	updates := float64(h.counts.frequency(target) - known.updates)
	warps.total, warps.half = rest.regress(x, y, updates, float64(known.warps), h.warpsPerUpdate)
	segments.total, segments.half = rest.regress(x, z, updates, float64(known.segments),
		h.segmentsPerUpdate)
	return warps, segments
}

// regress estimates the total of y over the stream, given x and y of the kept
// blocks, the known total of x, and what y is in the last block. It is the
// linear regression estimate of W. G. Cochran, Sampling Techniques, 3rd
// edition, 1977, section 7.1: with b the slope of y over x, the total of
// y - b·x as from any sample, plus b times the total of x.
// Where all x are the same the slope is ratio.
func (p *population) regress(x, y []float64, totalX, last, ratio float64) (total, half float64) {
	b := ratio
	if v := stat.Variance(x, nil); v > 0 {
		b = stat.Covariance(x, y, nil) / v
	}
	rest := make([]float64, len(y))
	for i := range rest {
		rest[i] = y[i] - b*x[i]
	}
	total, half = p.total(rest, last+b*totalX)
	return max(total, 0), half
}
