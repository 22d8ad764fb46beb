package collision

import (
	"slices"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// hotTable counts all targets of a stretch. A slot is last seen in a warp, counted from 1.
type hotTable struct {
	hashTable[hotTarget]
	warp uint32 // the present warp
}

// hotTarget counts the warps and the segments of one target.
type hotTarget [2]uint32

// add counts a stretch that begins at a warp border, each run of one target in a warp.
func (t *hotTable) add(keys []uint32, warpSize int, padded bool) {
	for warp := range slices.Chunk(keys, warpSize) {
		t.warp++
		before := ^warp[0]
		for _, target := range warp {
			if target != before && !(padded && target == Inactive) {
				s := t.find(target)
				s.value[1]++
				if s.seen != t.warp {
					s.seen = t.warp
					s.value[0]++
				}
			}
			before = target
		}
	}
}

// hottest returns the slots with the most warps and the most segments, of equal ones the lowest target's.
func (t *hotTable) hottest() (most [2]slot[hotTarget]) {
	for s := range t.all {
		for i, n := range s.value {
			if m := most[i].value[i]; n > m || n == m && s.key < most[i].key {
				most[i] = *s
			}
		}
	}
	return most
}

// HotTargets estimates how many targets are as frequent as the hottest, from what
// repeats within warps, the mean of which has so many updates. With f the hottest target's share,
//
//	(lanes - DistinctPerWarp) / (lanes·f - HotWarps), at least 1
//
// It is 1 where the hottest target repeats in no warp, or HotWarps is not known.
func (s *Stats) HotTargets(lanes float64) float64 {
	held := lanes * float64(int64(s.MaxFrequency)) / float64(int64(s.Updates))
	own := held - s.HotWarps
	if s.HotWarps == 0 || own <= 1e-6*held { // which the rounding of statistics may show
		return 1
	}
	return max(1, (lanes-s.DistinctPerWarp)/own)
}

const (
	hotBlocks    = 1024    // from which an exact analysis estimates HotWarps and HotSegments
	hotUpdates   = 1 << 20 // of these blocks at most, where blocks are long
	hotBlocksMin = 16      // that are kept however long they are
	hotChoice    = 4       // in one of so many blocks targets are chosen; the rest counts them
)

func hotSampleSize(block int) int {
	return min(hotBlocks, max(hotUpdates/block, hotBlocksMin))
}

// hotSample is a stream of which some blocks are known.
type hotSample struct {
	warpSize int
	padded   bool
	kernel   *kernel.Kernel
	blocks   uint64     // complete blocks of the stream, N
	kept     [][]uint32 // complete blocks, in random order where some are not kept
	last     []uint32   // the incomplete block
	targets  uint64     // upper bound on the number of different targets
	hottest  uint32     // a target with many updates, counted in any case
	// of the whole stream, summarized; nil: not known
	counts *tally
}

// estimate fills in HotWarps and HotSegments, not bounded yet, once MaxFrequency is known, and
// returns the half-widths of their intervals.
func (h *hotSample) estimate(s *Stats) (halfWarps, halfSegments float64) {
	var found [2]estimated
	if uint64(len(h.kept)) == h.blocks {
		found[0].total, found[1].total = h.highest(s.MaxFrequency)
	} else {
		found = h.estimateHighest(s)
	}
	n := perWarp.number(s)
	s.HotWarps, s.HotSegments = found[0].total/n, found[1].total/n
	return found[0].half / n, found[1].half / n
}

// mostSegments is the most segments of one target in a warp.
func mostSegments(warpSize int) float64 { return float64((warpSize + 1) / 2) }

// highest returns the most warps, and the most segments, of one target in a stream that is known
// as a whole, of whose targets none has more than most updates.
func (h *hotSample) highest(most uint64) (warps, segments float64) {
	c := h.count(h.hottest, h.kept)
	if c.Warps < most { // else no target can have more
		found := h.hottestOf(h.kept, h.targets)
		c.Warps, c.Segments = max(c.Warps, uint64(found[0].value[0])), max(c.Segments, uint64(found[1].value[1]))
	}
	return float64(c.Warps), float64(c.Segments)
}

func (h *hotSample) count(target uint32, blocks [][]uint32) kernel.TargetCount {
	c := h.kernel.CountTarget(h.last, target)
	for _, keys := range blocks {
		c.Add(h.kernel.CountTarget(keys, target))
	}
	return c
}

func (h *hotSample) hottestOf(blocks [][]uint32, targets uint64) [2]slot[hotTarget] {
	var t hotTable
	t.reset(max(targets, 1))
	for _, keys := range blocks {
		t.add(keys, h.warpSize, h.padded)
	}
	t.add(h.last, h.warpSize, h.padded)
	return t.hottest()
}

// estimated is a total over the stream and the half-width of its interval.
type estimated struct{ total, half float64 }

// estimateHighest estimates the most warps and the most segments of one target in the stream: it
// chooses targets on a part of the sample and the incomplete block, and counts them on the rest,
// which stands for all other blocks. Counts of the blocks in which a target was chosen would be
// too high for the whole stream wherever targets are rare.
func (h *hotSample) estimateHighest(s *Stats) (most [2]estimated) {
	chosen := h.kept[:len(h.kept)/hotChoice]
	updates := uint64(len(h.last))
	for _, b := range chosen {
		updates += uint64(len(b))
	}
	found := h.hottestOf(chosen, min(updates, h.targets))
	for _, target := range slices.Compact([]uint32{h.hottest, found[0].key, found[1].key}) {
		for i, e := range h.estimateTarget(target, len(chosen), s) {
			if e.total > most[i].total {
				most[i] = e
			}
		}
	}
	return most
}

// estimateTarget estimates the warps that hold a target and its segments: those of the first
// blocks are known, the others stand for the rest of the stream. A target that is not in the
// sample is taken for a mean one.
func (h *hotSample) estimateTarget(target uint32, first int, s *Stats) (both [2]estimated) {
	known := h.count(target, h.kept[:first])
	var x []float64 // updates of each block
	var y [2][]float64
	for _, b := range h.kept[first:] {
		c := h.kernel.CountTarget(b, target)
		x = append(x, float64(c.Updates))
		y[0], y[1] = append(y[0], float64(c.Warps)), append(y[1], float64(c.Segments))
	}
	rest := population{blocks: h.blocks - uint64(first)}
	last := [2]float64{float64(known.Warps), float64(known.Segments)}
	perUpdate := [2]float64{s.DistinctPerWarp * perWarp.number(s) / float64(s.Updates), 1 - s.ClusteredFraction}
	for i := range both {
		e := &both[i]
		if h.counts == nil {
			e.total, e.half = rest.total(y[i], last[i])
			continue
		}
		updates := float64(h.counts.Of(target) - known.Updates)
		e.total, e.half = rest.regress(x, y[i], updates, last[i], perUpdate[i])
	}
	return both
}

// regress estimates the total of y over the stream, given x and y of the kept blocks, the known
// total of x, and what y is in the last block. It is the linear regression estimate of W. G.
// Cochran, Sampling Techniques, 3rd edition, 1977, section 7.1: with b the slope of y over x, the
// total of y - b·x as from any sample, plus b times the total of x. Where all x are the same the
// slope is ratio.
func (p *population) regress(x, y []float64, totalX, last, ratio float64) (total, half float64) {
	b := ratio
	if _, v := meanVariance(x); v > 0 {
		b = covariance(x, y) / v
	}
	rest := make([]float64, len(y))
	for i := range rest {
		rest[i] = y[i] - b*x[i]
	}
	total, half = p.total(rest, last+b*totalX)
	return max(total, 0), half
}
