package collision

import "math"

// hotFigures are what Cover and Misses are made of, in one block.
type hotFigures struct {
	cover  Cover // updates
	misses missedTables
}

// moments are those of one figure over some blocks (B. P. Welford. Note on a Method for Calculating
// Corrected Sums of Squares and Products. Technometrics 4, 1962).
type moments struct{ mean, squares float64 }

// add adds the value of the block of a number, counted from 1.
func (m *moments) add(value float64, number int) {
	off := value - m.mean
	m.mean += off / float64(number)
	m.squares += off * (value - m.mean)
}

// hotMoments are the moments of hotFigures.
type hotMoments struct {
	cover  [len(Cover{})]moments
	misses [Tables][missFigures]moments
}

func (m *hotMoments) add(f *hotFigures, number int) {
	for j, updates := range f.cover {
		m.cover[j].add(updates, number)
	}
	for table := range f.misses {
		for i, n := range f.misses[table] {
			m.misses[table][i].add(float64(n), number)
		}
	}
}

// estimateHot fills in Cover and Misses, once the targets are counted. The most frequent targets of
// each half of the kept blocks are looked for in the blocks of the other, so that none is measured
// where it was chosen. A stream that is known as a whole is measured with those of all blocks.
func (p *estimator) estimateHot(s *Stats) {
	known, kept, size := uint64(len(p.kept)) == p.pop.blocks, len(p.kept), p.opt.BlockSize
	selected := p.choose(known)
	var m hotMoments
	for i, keys := range p.kept {
		half := 0 // chose the targets
		if !known && i < kept/2 {
			half = 1
		}
		f := p.hotFigures(keys, p.sorted[i*size:][:size], half, known, &selected[half])
		m.add(&f, i+1)
	}
	last := p.hotFigures(p.last, p.sorted[kept*size:], 0, known, &selected[0])
	p.expandHot(s, &m, &last)
}

// choose finds the most frequent targets of each half, or those of all blocks, and selects the 2^j
// most frequent ones.
func (p *estimator) choose(known bool) (selected [2]selection) {
	for half := range p.frequent {
		p.frequent[half].reset()
	}
	for g := range p.groups.all {
		if known {
			p.frequent[0].add(g.key, g.value.sum())
			continue
		}
		for half := range p.frequent {
			if n := g.value.of(half); n > 0 {
				p.frequent[half].add(g.key, n)
			}
		}
	}
	for half := range p.frequent {
		f := &p.frequent[half]
		f.settle()
		selected[half] = f.selection()
	}
	return selected
}

// hotFigures measures a block with the targets of a half.
func (p *estimator) hotFigures(keys, sorted []uint32, half int, known bool, selected *selection,
) (f hotFigures) {
	for begin, end := 0, 0; begin < len(sorted); begin = end {
		for end = begin + 1; end < len(sorted) && sorted[end] == sorted[begin]; {
			end++
		}
		updates := p.groups.find(sorted[begin]).value
		n := updates.of(half)
		if known {
			n = updates.sum()
		}
		if n > 0 {
			selected.add(&f.cover, n, uint64(end-begin))
		}
	}
	c := &p.frequent[half].contest
	f.misses = c.measure(p.kernel.sortedWarps(keys), p.opt.WarpSize)
	for table, loser := range c.losers {
		switch {
		case loser == 0:
		case table > 0 && loser == c.losers[table-1]:
			f.misses[table][missUpdates] = f.misses[table-1][missUpdates]
		default:
			f.misses[table][missUpdates] =
				p.kernel.vector.countTarget(keys, p.opt.WarpSize, loser.target()).updates
		}
	}
	return f
}

// expandHot fills in Cover and Misses and their half-widths.
func (p *estimator) expandHot(s *Stats, m *hotMoments, last *hotFigures) {
	kept, h := len(p.kept), &s.Sampled.HalfWidth
	expand := func(m moments, last, units float64) (value, half float64) {
		if kept == 0 {
			return last / units, 0
		}
		value, half = p.pop.expand(kept, m.mean, m.squares/float64(kept-1), last)
		return value / units, half / units
	}
	for j, m := range m.cover {
		s.Cover[j], h.Cover[j] = expand(m, last.cover[j], float64(s.Updates))
		// No 2^j most frequent targets have fewer updates than any others in the mean.
		s.Cover[j] = max(s.Cover[j], min(1, math.Ldexp(1, j)/float64(s.Sampled.UniqueHigh)))
	}
	for table := range s.Misses {
		miss, widths := &s.Misses[table], &h.Misses[table]
		of, width := miss.means(), widths.means()
		for i := range of {
			*of[i], *width[i] = expand(m.misses[table][i], float64(last.misses[table][i]), perWarp.number(s))
		}
		updates, half := expand(m.misses[table][missUpdates],
			float64(last.misses[table][missUpdates]), 1)
		miss.Frequency, widths.Frequency = uint64(math.Round(updates)), half
	}
	s.boundMisses()
}
