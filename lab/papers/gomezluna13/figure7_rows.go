package gomezluna13

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
)

// eachCopied calls do for every layout with more than one copy.
func eachCopied(do func(l layout)) {
	for _, words := range voteSpaces {
		for _, l := range layoutsOf(words)[1:] {
			do(l)
		}
	}
}

func (f *findings) layoutAccuracy(s survey, patterns int) {
	apart := 0.0
	for _, c := range s {
		apart = math.Max(apart, 100*math.Abs(c.closed/c.simulated-1))
	}
	f.State("mean latency of a layout, estimated against measured, differs by at most", apart,
		apart <= statedError, len(s), papers.Thousands(patterns))
}

// randomRows are the statements about patterns that are not sorted.
func (f *findings) randomRows(s survey) {
	apart := 0.0
	eachCopied(func(l layout) {
		other := l
		other.mapping = impl.Block
		apart = math.Max(apart, 100*math.Abs(s[setting{other, false}].cycles/s[setting{l,
			false}].cycles-1))
	})
	f.State("plain cyclic and block mapping, padded or not, differ by at most", apart, apart <= 1)
	for pad, name := range []string{"without padding", "padded"} {
		best, most := s.bestFactors(pad)
		f.State("best replication factor of random patterns, 32 to 1,024 words, "+name,
			list(best[impl.Cyclic]), slices.Equal(best[impl.Cyclic], most) &&
				slices.Equal(best[impl.Block], most)).PaperValue = papers.Text(list(most))
	}
	gain := s.gainBeyond()
	f.State("latency gained by replicating beyond 1,024 words", gain, gain <= 0.1)
}

// bestFactors lists the fastest replication factor of each vote space up to
// 1,024 words and mapping, and the highest factor that keeps the copies within
// the space that the paper states.
func (s survey) bestFactors(pad int) (best map[impl.Mapping][]int, most []int) {
	best = map[impl.Mapping][]int{}
	for _, words := range voteSpaces[:from(lockWords)+1] {
		most = append(most, int(statedSpace)/words)
		for _, m := range mappings {
			copies, latency := s.series(words, m, pad, false)
			best[m] = append(best[m], copies[lowest(latency)])
		}
	}
	return best, most
}

// gainBeyond is by how many percent the best layout beyond 1,024 words is
// faster than the best one within, or with one copy.
func (s survey) gainBeyond() float64 {
	gain := math.Inf(-1)
	for _, words := range voteSpaces {
		for _, m := range mappings {
			copies, latency := s.series(words, m, 0, false)
			within := 1
			for within < len(copies) && copies[within]*words <= lockWords {
				within++
			}
			if within < len(copies) {
				gain = math.Max(gain, 100*(1-slices.Min(latency[within:])/slices.Min(latency[:within])))
			}
		}
	}
	return gain
}

// lowest is the place of the smallest value.
func lowest(all []float64) int { return slices.Index(all, slices.Min(all)) }

func list(all []int) string {
	return strings.Join(papers.List(len(all), func(i int) string { return fmt.Sprint(all[i]) }), ", ")
}

// sortedCyclicRows are the statements about cyclic mapping after sorting.
func (f *findings) sortedCyclicRows(s survey) {
	var below, above []float64
	for _, words := range voteSpaces {
		_, plain := s.series(words, impl.Cyclic, 0, false)
		_, sorted := s.series(words, impl.Cyclic, 0, true)
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
		between(above, 1))
	near := s.neighbours(func(l layout) bool {
		return l.mapping == impl.Cyclic && l.pad == 0 &&
			l.words < lockWords
	})
	f.conflictRow("sorted neighbours with one word that meet on one bank, cyclic, under 1,024 words",
		100, near.onBank, near.pairs)
	near = s.neighbours(func(l layout) bool {
		return l.mapping == impl.Cyclic && l.pad == 0 &&
			l.words >= lockWords
	})
	f.conflictRow("sorted neighbours with one word that meet on one lock, cyclic, from 1,024 words on",
		100, near.onLock, near.pairs)
	near = s.neighbours(func(l layout) bool { return l.mapping == impl.Cyclic && l.pad == 1 })
	f.conflictRow("sorted neighbours with one word that meet on a bank or lock, cyclic, padded", 0,
		near.onWord+near.onBank+near.onLock, near.pairs)
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
		copies, latency := s.series(words, impl.Block, 0, true)
		for i, r := range copies {
			if r == 2 || r == 4 {
				gain = math.Max(gain, 100*(1-latency[i]/latency[0]))
			}
		}
	}
	f.State("block mapping with sorting, gain of 2 and 4 copies over one, at most", gain, gain <= 2)
	near := s.neighbours(func(l layout) bool {
		return l.mapping == impl.Block && l.pad == 0 &&
			l.copies <= 4
	})
	share := 100 * (near.onBank + near.onLock) / near.pairs
	f.State("block mapping with sorting, neighbours with one word that 2 and 4 copies set on one "+
		"bank or lock",
		share, near.pairs > 0 && share <= 10)
	first := s.fewestWithoutConflict()
	f.StateNumber("block mapping with sorting, copies that keep neighbours from meeting on a word, "+
		"32 to 256 words", statedBlockCopies, first, float64(first) == statedBlockCopies)
	most := s.gains(voteSpaces[:from(512)], func(words int) (before, after setting) {
		return setting{single(words).layout, true}, setting{fullest(impl.Block)(words).layout, true}
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
			return l.mapping == impl.Block && l.pad == 0 && l.copies == r && mostCopies(l.words) == lanes
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
	return papers.List(len(spaces), func(i int) float64 {
		before, after := of(spaces[i])
		return 100 * (1 - s[after].cycles/s[before].cycles)
	})
}

// padded lists by how many percent a word of padding makes layouts faster.
func (s survey) padded(sorted bool, of func(l layout) bool) []float64 {
	var gains []float64
	eachCopied(func(l layout) {
		with := l
		with.pad = 1
		if after, fits := s.get(with, sorted); l.pad == 0 && fits && of(l) {
			gains = append(gains, 100*(1-after.cycles/s[setting{l, sorted}].cycles))
		}
	})
	return gains
}

// paddingRows are the statements about padding.
func (f *findings) paddingRows(s survey) {
	anyLayout := func(layout) bool { return true }
	gain := slices.Max(s.padded(false, anyLayout))
	f.State("padding gains for random data at most", gain, gain <= 1)
	cyclic := func(l layout) bool { return l.mapping == impl.Cyclic }
	gain = slices.Max(s.padded(true, cyclic))
	f.State("padding gains for sorted data up to, cyclic", gain, gain >= 10)
	f.furtherRows(s)
	low := s.padded(true, func(l layout) bool { return l.mapping == impl.Block && l.copies <= 4 })
	f.State("block mapping with sorting, effect of padding on 2 and 4 copies", low, between(low, 5))
	block := s.padded(true, func(l layout) bool { return l.mapping == impl.Block })
	f.State("block mapping with sorting, effect of padding on any number of copies", block,
		between(block, 5))
}

// between reports whether no value is farther from 0 than the limit.
func between(values []float64, limit float64) bool {
	return slices.Min(values) >= -limit && slices.Max(values) <= limit
}

// furtherRows are about padding on top of sorting and cyclic mapping.
func (f *findings) furtherRows(s survey) {
	var best, smallest []float64
	for _, words := range voteSpaces {
		_, plain := s.series(words, impl.Cyclic, 0, true)
		_, padded := s.series(words, impl.Cyclic, 1, true)
		smallest = append(smallest, slices.Min(s.padded(true,
			func(l layout) bool { return l.words == words && l.mapping == impl.Cyclic })))
		if words != 512 && words != 4096 {
			best = append(best, 100*(1-slices.Min(padded)/slices.Min(plain)))
		}
	}
	f.State("padding improves cyclic mapping with sorting at the best factor by, all but 512 and "+
		"4,096 words",
		best, slices.Min(best) >= 1)
	f.State("padding improves cyclic mapping with sorting, every vote space and factor, by", smallest,
		slices.Min(smallest) >= 0.1)
	before, after := s.locked(func(words int) bool { return words >= lockWords })
	f.State("sorted patterns with a lock conflict, cyclic, from 1,024 words on, that padding leaves",
		100*after/before, after <= before/2)
	before, after = s.locked(func(words int) bool { return words == 512 })
	f.State("sorted patterns with a lock conflict, cyclic, 512 words, that padding leaves",
		100*after/before, after <= before)
}

// locked is the mean share of sorted patterns with a lock conflict, cyclic
// mapping, without and with padding.
func (s survey) locked(of func(words int) bool) (before, after float64) {
	eachCopied(func(l layout) {
		with := l
		with.pad = 1
		if padded, fits := s.get(with, true); l.pad == 0 && l.mapping == impl.Cyclic && fits &&
			of(l.words) {
			before += s[setting{l, true}].locked
			after += padded.locked
		}
	})
	return before, after
}
