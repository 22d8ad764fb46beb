package reuse

import (
	"cmp"
	"math/bits"
	"slices"
)

// Samples is how many indices say which rows are hot, where a block finds them itself.
const Samples = 2048

// Tables are the sizes of the tables of hot rows: 2, 4, ... 1024 slots.
const Tables = 10

// Table is what a table of hot rows of so many slots leaves over. It holds the rows that a sample of
// Samples indices of the stream finds, as bindings/cuda/atomtune_hot_tags.cuh does.
type Table struct {
	Cover float64 `json:"cover"` // share of the updates whose row has a slot
	Slots int     `json:"slots"` // that have a row
	// Busiest are the updates of the busiest 2^j neighbouring rows, those whose row has a slot left out.
	Busiest ByGroup `json:"busiest"`
}

// Of the header: the factors of the hash of a slot, of a counter and of a place in the sample.
const (
	slotFactor    = 2654435761
	counterFactor = 2246822519
	golden        = 2654435769
	fewCounters   = 4096
)

// tables fills in the tables of a stream, and the busiest rows.
func (s *Stats) tables(indices []uint32, counts Counts) {
	var busiest [Groups]*ranking
	for j := range busiest {
		busiest[j] = rank(counts, j)
		s.Busiest[j] = busiest[j].most(nil)
	}
	sample := sampled(indices)
	for i := range s.Tables {
		var hits uint64
		held := map[uint32]uint64{}
		for _, row := range tagsOf(sample, 2<<i) {
			if row != Inactive {
				held[row] = counts.Of(row)
				hits += held[row]
			}
		}
		table := Table{Cover: float64(hits) / float64(s.Updates), Slots: len(held)}
		for j := range busiest {
			less := map[uint32]uint64{}
			for row, n := range held {
				less[row>>j] += n
			}
			table.Busiest[j] = busiest[j].most(less)
		}
		s.Tables[i] = table
	}
}

type ranking struct{ list []group }

type group struct {
	number  uint32
	updates uint64
}

const ranked = 2<<(Tables-1) + 1

// rank ranks the aligned groups of 2^j neighbouring rows.
func rank(counts Counts, j int) *ranking {
	var r ranking
	least := uint64(0)
	offer := func(g group) {
		if g.updates <= least {
			return
		}
		if r.list = append(r.list, g); len(r.list) == 2*ranked {
			r.cut()
			least = r.list[ranked-1].updates
		}
	}
	var last group
	counts.Walk(func(row uint32, n uint64) {
		if number := row >> j; number != last.number {
			offer(last)
			last = group{number: number}
		}
		last.updates += n
	})
	offer(last)
	r.cut()
	return &r
}

func (r *ranking) cut() {
	slices.SortFunc(r.list, func(a, b group) int {
		return cmp.Or(cmp.Compare(b.updates, a.updates), cmp.Compare(a.number, b.number))
	})
	r.list = r.list[:min(len(r.list), ranked)]
}

// most is how many updates the busiest group has where groups have so many less.
func (r *ranking) most(less map[uint32]uint64) (most uint64) {
	for _, g := range r.list {
		if g.updates <= most {
			break
		}
		most = max(most, g.updates-less[g.number])
	}
	return most
}

// sampled returns the indices at floor((j + f)·n / Samples), with the fraction f of j times the golden
// ratio, or all where there are no more.
func sampled(indices []uint32) []uint32 {
	n := uint64(len(indices))
	if n <= Samples {
		return indices
	}
	out := make([]uint32, Samples)
	for j := range uint64(Samples) {
		within := uint64(uint32(j*golden)) * n >> 32
		out[j] = indices[(j*n+within)/Samples]
	}
	return out
}

// tagsOf gives each slot the row of the sample that is most frequent there, of equally frequent ones
// that of the earliest index. Rows that are there once stay out.
func tagsOf(sample []uint32, slots uint32) []uint32 {
	counters := max(fewCounters, 8*slots)
	counterOf := func(row uint32) uint32 {
		return row * counterFactor >> (33 - bits.Len32(counters))
	}
	count := make([]uint32, counters)
	for _, row := range sample {
		if row != Inactive {
			count[counterOf(row)]++
		}
	}
	tags, best := make([]uint32, slots), make([]uint32, slots)
	for slot := range tags {
		tags[slot], best[slot] = Inactive, 1
	}
	for _, row := range sample {
		if row == Inactive {
			continue
		}
		slot := row * slotFactor >> (33 - bits.Len32(slots))
		if n := count[counterOf(row)]; n > best[slot] {
			tags[slot], best[slot] = row, n
		}
	}
	return tags
}
