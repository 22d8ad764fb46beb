package collision

// Frequency is how many targets of a stream get the same number of updates.
type Frequency struct {
	Updates uint64 `json:"updates"` // of each of these targets, at least 1
	Targets uint64 `json:"targets"` // that have so many
}

// Frequencies lists how many targets of the stream so far have each number of updates, the highest
// number first. They are exact. A stream of n updates has no more than sqrt(2·n) different numbers,
// since these add up to n at most; that bounds the list. Of a sample the
// frequencies of targets are not known, and the list is nil.
func (a *Accumulator) Frequencies() []Frequency {
	if a.opt.Sample > 0 {
		return nil
	}
	a.flush()
	a.countPending()
	var all ranking
	for i := range a.counts.pages {
		p := &a.counts.pages[i]
		p.countLog(&a.workers[0].sorter)
		p.walk(func(_ uint32, n uint64) { all.add(n, 1) })
	}
	list := []Frequency{}
	all.descending(func(updates, targets uint64) bool {
		if last := len(list) - 1; last >= 0 && list[last].Updates == updates {
			list[last].Targets += targets
		} else if targets > 0 {
			list = append(list, Frequency{updates, targets})
		}
		return true
	})
	return list
}
