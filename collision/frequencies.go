package collision

import (
	"maps"
	"slices"
)

// Frequency is how many targets of a stream get the same number of updates.
type Frequency struct {
	Updates uint64 `json:"updates"` // of each of these targets, at least 1
	Targets uint64 `json:"targets"` // that have so many
}

// Frequencies lists how many targets of the stream so far have each number of updates, the highest
// number first. They are exact. A stream of n updates has no more than sqrt(2·n) different numbers,
// since these add up to n at most; that bounds the list and the memory to make it. Of a sample the
// frequencies of targets are not known, and the list is nil.
func (a *Accumulator) Frequencies() []Frequency {
	if a.opt.Sample > 0 {
		return nil
	}
	a.flush()
	a.countPending()
	var few [frequentFrom]uint64 // targets by their updates
	many := map[uint64]uint64{}
	for i := range a.counts.pages {
		p := &a.counts.pages[i]
		p.countLog(&a.workers[0].grouper)
		p.walk(func(_ uint32, n uint64) {
			if n < frequentFrom {
				few[n]++
			} else {
				many[n]++
			}
		})
	}
	for n, targets := range few {
		if targets > 0 {
			many[uint64(n)] = targets
		}
	}
	list := make([]Frequency, 0, len(many))
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(many))) {
		list = append(list, Frequency{n, many[n]})
	}
	return list
}

// frequentFrom is the number of updates from which targets are counted in a map.
const frequentFrom = 1 << 10
