package collision

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// hotCount says where one target occurs in a stretch of a stream.
type hotCount struct {
	updates  uint64 // its updates
	warps    uint64 // warps that hold it
	segments uint64 // maximal runs of it inside warps
}

func (c *hotCount) add(d hotCount) {
	c.updates += d.updates
	c.warps += d.warps
	c.segments += d.segments
}

// raise raises warps and segments to those of another target.
func (c *hotCount) raise(d hotCount) {
	c.warps = max(c.warps, d.warps)
	c.segments = max(c.segments, d.segments)
}

// countTarget counts one target in a stretch that begins at a warp border.
func (v *vectorKernel) countTarget(keys []uint32, warpSize int, target uint32) hotCount {
	c, done := v.countTargetWarps(keys, target)
	for rest := keys[done:]; len(rest) > 0; {
		warp := rest[:min(warpSize, len(rest))]
		rest = rest[len(warp):]
		var updates, segments, before uint64
		for _, key := range warp {
			var equal uint64
			if key == target {
				equal = 1
			}
			updates += equal
			segments += equal &^ before
			before = equal
		}
		c.updates += updates
		c.segments += segments
		c.warps += min(updates, 1)
	}
	return c
}

// hotTable counts all targets of a stretch. A slot is last seen in a warp, counted from 1.
type hotTable struct {
	hashTable[hotTarget]
	warp uint32 // the present warp
}

// hotTarget counts one target.
type hotTarget struct{ warps, segments uint32 }

// newHotTable has space for so many different targets.
func newHotTable(targets uint64) *hotTable {
	t := &hotTable{}
	t.reset(max(targets, 1))
	return t
}

// add counts a stretch that begins at a warp border, each run of one target in a warp.
func (t *hotTable) add(keys []uint32, warpSize int) {
	for warp := range slices.Chunk(keys, warpSize) {
		t.warp++
		before := ^warp[0]
		for _, target := range warp {
			if target != before {
				s := t.find(target)
				s.value.segments++
				if s.seen != t.warp {
					s.seen = t.warp
					s.value.warps++
				}
			}
			before = target
		}
	}
}

// hottest returns the slots with the most warps and with the most segments; of equal ones that of
// the lowest target.
func (t *hotTable) hottest() (byWarps, bySegments slot[hotTarget]) {
	for s := range t.all {
		n, w, g := s.value, byWarps.value.warps, bySegments.value.segments
		if n.warps > w || n.warps == w && s.key < byWarps.key {
			byWarps = *s
		}
		if n.segments > g || n.segments == g && s.key < bySegments.key {
			bySegments = *s
		}
	}
	return byWarps, bySegments
}

// HotTargets estimates how many targets are as frequent as the hottest, from what
// repeats within warps, the mean of which has so many updates. A target with share f of
// the updates has lanes·f of them in a warp, in HotWarps of the warps, so it repeats
// lanes·f - HotWarps times; all targets together repeat lanes - DistinctPerWarp times:
//
//	(lanes - DistinctPerWarp) / (lanes·f - HotWarps), at least 1
//
// It is 1 where the hottest target repeats in no warp, or HotWarps is not known.
func (s *Stats) HotTargets(lanes float64) float64 {
	held := lanes * float64(int64(s.MaxFrequency)) / float64(int64(s.Updates))
	own := held - s.HotWarps
	if s.HotWarps == 0 || own <= noRepeat*held {
		return 1
	}
	return max(1, (lanes-s.DistinctPerWarp)/own)
}

// noRepeat is the part of a target's updates that the rounding of statistics may show.
const noRepeat = 1e-6

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

// highest returns the most warps, and the most segments, of one target in a stream that is known
// as a whole, of whose targets none has more than most updates.
func (h *hotSample) highest(most uint64) hotCount {
	best := h.count(h.hottest)
	if best.warps == most { // no target can have more
		return best
	}
	w, s := h.fill(newHotTable(h.targets), h.kept).hottest()
	best.raise(hotCount{warps: uint64(w.value.warps), segments: uint64(s.value.segments)})
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

// estimateHighest estimates the most warps and the most segments of one target in the stream: it
// chooses targets on a part of the sample and the incomplete block, and counts them on the rest,
// which stands for all other blocks. Counts of the blocks in which a target was chosen would be
// too high for the whole stream wherever targets are rare.
func (h *hotSample) estimateHighest() (warps, segments, halfWarps, halfSegments float64) {
	first := len(h.kept) / hotChoice
	updates := uint64(len(h.last))
	for _, b := range h.kept[:first] {
		updates += uint64(len(b.keys))
	}
	byWarps, bySegments := h.fill(newHotTable(min(updates, h.targets)), h.kept[:first]).hottest()
	seen := map[uint32]bool{}
	for _, target := range []uint32{h.hottest, byWarps.key, bySegments.key} {
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

// regress estimates the total of y over the stream, given x and y of the kept blocks, the known
// total of x, and what y is in the last block. It is the linear regression estimate of W. G.
// Cochran, Sampling Techniques, 3rd edition, 1977, section 7.1: with b the slope of y over x, the
// total of y - b·x as from any sample, plus b times the total of x. Where all x are the same the
// slope is ratio.
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
