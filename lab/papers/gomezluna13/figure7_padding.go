package gomezluna13

import (
	"slices"

	"github.com/atomtune/atomtune/variant"
)

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
	cyclic := func(l layout) bool { return l.mapping == variant.Cyclic }
	gain = slices.Max(s.padded(true, cyclic))
	f.State("padding gains for sorted data up to, cyclic", gain, gain >= 10)
	f.furtherRows(s)
	low := s.padded(true, func(l layout) bool { return l.mapping == variant.Block && l.copies <= 4 })
	f.State("block mapping with sorting, effect of padding on 2 and 4 copies", low,
		slices.Max(low) <= 5 && slices.Min(low) >= -5)
	block := s.padded(true, func(l layout) bool { return l.mapping == variant.Block })
	f.State("block mapping with sorting, effect of padding on any number of copies", block,
		slices.Max(block) <= 5 && slices.Min(block) >= -5)
}

// furtherRows are about padding on top of sorting and cyclic mapping.
func (f *findings) furtherRows(s survey) {
	var best, smallest []float64
	for _, words := range voteSpaces {
		_, plain := s.series(words, variant.Cyclic, 0, true)
		_, padded := s.series(words, variant.Cyclic, 1, true)
		smallest = append(smallest, slices.Min(s.padded(true, func(l layout) bool { return l.words == words && l.mapping == variant.Cyclic })))
		if words != 512 && words != 4096 {
			best = append(best, 100*(1-slices.Min(padded)/slices.Min(plain)))
		}
	}
	f.State("padding improves cyclic mapping with sorting at the best factor by, all but 512 and 4,096 words",
		best, slices.Min(best) >= 1)
	f.State("padding improves cyclic mapping with sorting, every vote space and factor, by", smallest,
		slices.Min(smallest) >= 0.1)
	before, after := s.locked(func(words int) bool { return words >= lockWords })
	f.State("sorted patterns with a lock conflict, cyclic, from 1,024 words on, that padding leaves",
		100*after/before, after < 0.9*before)
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
		if padded, fits := s.get(with, true); l.pad == 0 && l.mapping == variant.Cyclic && fits && of(l.words) {
			before += s[setting{l, true}].locked
			after += padded.locked
		}
	})
	return before, after
}
