package gomezluna13

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/variant"
)

// sortedCyclicRows are the statements about cyclic mapping after sorting.
func (f *findings) sortedCyclicRows(s survey) {
	var below, above []float64
	for _, words := range voteSpaces {
		_, plain := s.series(words, variant.Cyclic, 0, false)
		_, sorted := s.series(words, variant.Cyclic, 0, true)
		var gains []float64
		for i := range plain {
			gains = append(gains, 100*(1-sorted[i]/plain[i]))
		}
		if words < lockWords {
			below = append(below, slices.Max(gains))
		} else {
			above = append(above, gains...)
		}
	}
	f.State("sorting improves cyclic mapping, vote spaces under 1,024 words, by", below,
		slices.Min(below) >= 10)
	f.State("sorting improves cyclic mapping, vote spaces of 1,024 words and more, by", above,
		slices.Max(above) <= 1)
	near := s.neighbours(func(l layout) bool { return l.mapping == variant.Cyclic && l.pad == 0 && l.words < lockWords })
	f.conflictRow("sorted neighbours with one word that meet on one bank, cyclic, under 1,024 words", 100, near.onBank, near.pairs)
	near = s.neighbours(func(l layout) bool { return l.mapping == variant.Cyclic && l.pad == 0 && l.words >= lockWords })
	f.conflictRow("sorted neighbours with one word that meet on one lock, cyclic, from 1,024 words on", 100, near.onLock, near.pairs)
	near = s.neighbours(func(l layout) bool { return l.mapping == variant.Cyclic && l.pad == 1 })
	f.conflictRow("sorted neighbours with one word that meet on a bank or lock, cyclic, padded", 0, near.onWord+near.onBank+near.onLock, near.pairs)
}

// neighbours sums the pairs of consecutive lanes over layouts of several
// copies, after sorting.
func (s survey) neighbours(of func(l layout) bool) (sum neighbours) {
	eachCopied(func(l layout) {
		if of(l) {
			n := s[setting{l, true}].neighbours
			sum.pairs += n.pairs
			sum.onWord += n.onWord
			sum.onLock += n.onLock
			sum.onBank += n.onBank
		}
	})
	return sum
}

// conflictRow adds a statement about which share of the pairs meets.
func (f *findings) conflictRow(item string, stated, meet, pairs float64) {
	share := 100 * meet / pairs
	f.State(item, share, pairs > 0 && math.Abs(share-stated) < 1e-6)
}

// sortedBlockRows are the statements about block mapping after sorting.
func (f *findings) sortedBlockRows(s survey) {
	gain := math.Inf(-1)
	for _, words := range voteSpaces {
		copies, latency := s.series(words, variant.Block, 0, true)
		for i, r := range copies {
			if r == 2 || r == 4 {
				gain = math.Max(gain, 100*(1-latency[i]/latency[0]))
			}
		}
	}
	f.State("block mapping with sorting, gain of 2 and 4 copies over one, at most", gain, gain <= 2)
	near := s.neighbours(func(l layout) bool { return l.mapping == variant.Block && l.pad == 0 && l.copies <= 4 })
	share := 100 * (near.onBank + near.onLock) / near.pairs
	f.State("block mapping with sorting, neighbours with one word that 2 and 4 copies set on one bank or lock",
		share, near.pairs > 0 && share <= 10)
	first := s.fewestWithoutConflict()
	f.State("block mapping with sorting, copies that keep neighbours from meeting on a word, 32 to 256 words",
		first, first == lanes)
	most := s.gains(voteSpaces[:from(512)], func(words int) (before, after setting) {
		return setting{single(words).layout, true}, setting{fullest(variant.Block)(words).layout, true}
	})
	f.State("block mapping with sorting, gain of 32 copies over one, 32 to 256 words", most,
		slices.Min(most) >= 10)
}

// fewestWithoutConflict is the smallest number of copies with which no two
// consecutive lanes of a sorted pattern share a word in block mapping, over the
// vote spaces that a copy for each lane fits.
func (s survey) fewestWithoutConflict() int {
	for _, r := range factors(lanes)[1:] {
		near := s.neighbours(func(l layout) bool {
			return l.mapping == variant.Block && l.pad == 0 && l.copies == r && mostCopies(l.words) == lanes
		})
		if near.pairs > 0 && near.onWord == 0 {
			return r
		}
	}
	return 0
}

// gains is by how many percent the setting after is faster than the one
// before, for each vote space.
func (s survey) gains(spaces []int, of func(words int) (before, after setting)) []float64 {
	all := make([]float64, len(spaces))
	for i, words := range spaces {
		before, after := of(words)
		all[i] = 100 * (1 - s[after].cycles/s[before].cycles)
	}
	return all
}
