package collision

import (
	"math"
)

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

// choice is the most frequent targets by some of the updates that the kept blocks have.
type choice struct {
	frequent
	selection
	of func(halves) uint64 // these updates
}

func (c *choice) choose(groups *hashTable[halves], of func(halves) uint64) {
	c.of = of
	c.reset()
	for g := range groups.all {
		if n := of(g.value); n > 0 {
			c.frequent.add(g.key, n)
		}
	}
	c.settle()
	c.selection = c.ranking.selection()
}

// estimateHot fills in Cover and Misses, once the targets are counted. Each half of the kept blocks
// is measured with the most frequent targets of the other, so that none counts where it was chosen;
// a stream that is known as a whole, with those of all blocks.
func (p *estimator) estimateHot(s *Stats) {
	kept, size := len(p.kept), p.opt.BlockSize
	others, own := &p.chosen[0], &p.chosen[0] // who measure the first half, and the other
	if uint64(kept) == p.pop.blocks {
		own.choose(&p.groups, halves.sum)
	} else {
		others = &p.chosen[1]
		own.choose(&p.groups, func(h halves) uint64 { return h.of(0) })
		others.choose(&p.groups, func(h halves) uint64 { return h.of(1) })
	}
	var m hotMoments
	for i, keys := range p.kept {
		c := own
		if i < kept/2 {
			c = others
		}
		f := p.hotFigures(keys, p.sorted[i*size:][:size], c)
		m.add(&f, i+1)
	}
	last := p.hotFigures(p.last, p.sorted[kept*size:], own) // which the other half has counted
	p.expandHot(s, &m, &last)
}

func (p *estimator) hotFigures(keys, sorted []uint32, by *choice) (f hotFigures) {
	sorted = p.opt.active(sorted)
	for begin, end := 0, 0; begin < len(sorted); begin = end {
		for end = begin + 1; end < len(sorted) && sorted[end] == sorted[begin]; {
			end++
		}
		if n := by.of(p.groups.find(sorted[begin]).value); n > 0 {
			by.selection.add(&f.cover, n, uint64(end-begin))
		}
	}
	f.misses = by.measure(p.kernel.SortedWarps(keys), &p.opt)
	for i, loser := range by.losers {
		switch {
		case loser == 0:
		case i > 0 && loser == by.losers[i-1]:
			f.misses[i][missUpdates] = f.misses[i-1][missUpdates]
		default:
			f.misses[i][missUpdates] =
				p.kernel.CountTarget(keys, loser.target()).Updates
		}
	}
	return f
}

func (p *estimator) expandHot(s *Stats, m *hotMoments, last *hotFigures) {
	h := &s.Sampled.HalfWidth
	for j, m := range m.cover {
		s.Cover[j], h.Cover[j] = p.expand(m, last.cover[j], float64(s.Updates))
		s.Cover[j] = max(s.Cover[j], 1/float64(s.Updates)) // 0 would say that they are not known
	}
	for i := range s.Misses {
		miss, width := &s.Misses[i], &h.Misses[i]
		of, halves := miss.means(), width.means()
		expand := func(figure int, units float64) (value, half float64) {
			return p.expand(m.misses[i][figure], float64(last.misses[i][figure]), units)
		}
		for figure := range of {
			*of[figure], *halves[figure] = expand(figure, perWarp.number(s))
		}
		updates, half := expand(missUpdates, 1)
		miss.MaxFrequency, width.MaxFrequency = uint64(math.Round(updates)), half
	}
}

func (p *estimator) expand(m moments, last, units float64) (value, half float64) {
	if len(p.kept) == 0 {
		return last / units, 0
	}
	value, half = p.pop.expand(len(p.kept), m.mean, m.squares/float64(len(p.kept)-1), last)
	return value / units, half / units
}
