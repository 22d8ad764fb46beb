package collision

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision/internal/kernel"
)

// missed are figures of what misses a table, added up over warps.
type missed [missFigures]uint64

const (
	missLanes = iota
	missDistinct
	missHighest
	missSectors4
	missSectors8
	missUpdates // of one target that misses
	missFigures
)

func (m *MissOf[N]) means() [missUpdates]*float64 {
	return [...]*float64{missLanes: &m.LanesPerWarp, missDistinct: &m.DistinctPerWarp, missHighest: &m.HighestPerWarp,
		missSectors4: &m.SectorsPerWarp4, missSectors8: &m.SectorsPerWarp8}
}

type missedTables [Tables]missed

func (m *missedTables) add(n *missedTables) {
	for i := range m {
		for figure := range m[i] {
			m[i][figure] += n[i][figure]
		}
	}
}

// measure returns what misses in a stretch whose warps are sorted.
func (c *contest) measure(sorted []uint32, opt *Options) (m missedTables) {
	var by [Tables + 1]missed // by the number of tables in which a target misses
	for warp := range slices.Chunk(sorted, opt.WarpSize) {
		c.measureWarp(opt.active(warp), &by)
	}
	for i := largest; i >= 0; i-- { // what misses in more tables misses in this one
		for figure := range m[i] {
			by[i][figure] += by[i+1][figure]
		}
		m[i] = by[i+1]
	}
	return m
}

func (c *contest) measureWarp(sorted []uint32, by *[Tables + 1]missed) {
	var highest [Tables + 1]uint64
	var sector4, sector8 int // the most tables in which a target of the present sector misses
	for begin, end := 0, 0; begin < len(sorted); begin = end {
		target := sorted[begin]
		for end = begin + 1; end < len(sorted) && sorted[end] == target; {
			end++
		}
		differ := ^uint32(0) // the bits in which the next target differs
		if end < len(sorted) {
			differ = sorted[end] ^ target
		}
		n, misses := uint64(end-begin), c.misses(target)
		by[misses][missLanes] += n
		by[misses][missDistinct]++
		highest[misses] = max(highest[misses], n)
		sector4, sector8 = max(sector4, misses), max(sector8, misses)
		if differ>>kernel.SectorBits8 != 0 {
			by[sector8][missSectors8]++
			sector8 = 0
		}
		if differ>>kernel.SectorBits4 != 0 {
			by[sector4][missSectors4]++
			sector4 = 0
		}
	}
	var most uint64 // of targets that miss in more tables
	for i := Tables; i > 0; i-- {
		by[i][missHighest] += max(highest[i], most) - most
		most = max(highest[i], most)
	}
}

// missTask is how many blocks a worker measures at once.
const missTask = 64

// measureMisses fills in Misses, given the most frequent targets of the whole stream. The updates
// that miss are known then; the rest is known where all blocks are kept.
func (h *hotSample) measureMisses(s *Stats, c *contest, opt Options, workers []*worker) {
	blocks := make([]missedTables, len(h.kept))
	kernel.Parallel(workers, (len(blocks)+missTask-1)/missTask, func(w *worker, task int) {
		for i := task * missTask; i < min((task+1)*missTask, len(blocks)); i++ {
			blocks[i] = c.measure(w.ready(opt).SortedWarps(h.kept[i]), &opt)
		}
	})
	last := c.measure(workers[0].ready(opt).SortedWarps(h.last), &opt)
	all := last
	for i := range blocks {
		all.add(&blocks[i])
	}
	for i := range s.Misses {
		m := &s.Misses[i]
		m.MaxFrequency = h.updates(c.losers[i])
		if uint64(len(blocks)) < h.blocks {
			h.regressMiss(s, i, c.tables[i], blocks, &last[i])
			continue
		}
		for figure, mean := range m.means() {
			*mean = float64(all[i][figure]) / perWarp.number(s)
		}
	}
	s.boundMisses()
}

// updates returns the updates of a contender in the whole stream, whose counts are known.
func (h *hotSample) updates(of contender) uint64 {
	if of.updates() < math.MaxUint32 {
		return of.updates()
	}
	return h.counts.Of(of.target())
}

// regressMiss estimates what misses a table by regression on the updates that miss, which are known.
func (h *hotSample) regressMiss(s *Stats, i int, table []contender, blocks []missedTables,
	last *missed) {
	values := func(figure int) []float64 {
		list := make([]float64, len(blocks))
		for b := range blocks {
			list[b] = float64(blocks[b][i][figure])
		}
		return list
	}
	updates := s.Updates
	for _, holder := range table {
		updates -= h.updates(holder)
	}
	stream, lanes := population{blocks: h.blocks}, values(missLanes)
	for figure, mean := range s.Misses[i].means() {
		total := float64(updates)
		if figure != missLanes { // what misses in no kept block is taken to miss alone in its warp
			total, _ = stream.regress(lanes, values(figure), total-float64(last[missLanes]),
				float64(last[figure]), 1)
		}
		*mean = total / perWarp.number(s)
	}
}
