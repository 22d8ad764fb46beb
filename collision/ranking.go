package collision

import "slices"

// rankedSingly is from which on a ranking lists frequencies; of lower ones it counts targets.
const rankedSingly = 1 << 12

type ranking struct {
	low    [rankedSingly]uint64 // targets of each frequency
	lowest int                  // from which on low is empty
	high   []uint64             // frequencies from rankedSingly on
}

func (r *ranking) reset() {
	clear(r.low[:r.lowest])
	r.lowest, r.high = 0, r.high[:0]
}

func (r *ranking) add(updates, targets uint64) {
	if updates < rankedSingly {
		r.low[updates] += targets
		r.lowest = max(r.lowest, int(updates)+1)
		return
	}
	for range targets {
		r.high = append(r.high, updates)
	}
}

func (r *ranking) join(s *ranking) {
	for updates, targets := range s.low[:s.lowest] {
		r.add(uint64(updates), targets)
	}
	r.high = append(r.high, s.high...)
}

// least returns a number of updates that changes no selection for one more target.
func (r *ranking) least() uint64 {
	const most = 1 << (len(Cover{}) - 1)
	targets := uint64(len(r.high))
	if targets >= most {
		return rankedSingly - 1
	}
	for updates := r.lowest - 1; updates > 0; updates-- {
		if targets += r.low[updates]; targets >= most {
			return uint64(updates)
		}
	}
	return 0
}

// descending hands out frequencies with their targets, the highest first and one perhaps several times.
func (r *ranking) descending(yield func(updates, targets uint64) bool) {
	slices.Sort(r.high)
	for _, updates := range slices.Backward(r.high) {
		if !yield(updates, 1) {
			return
		}
	}
	for updates := r.lowest - 1; updates > 0; updates-- {
		if !yield(uint64(updates), r.low[updates]) {
			return
		}
	}
}

// selection is the 2^j most frequent targets of a ranking, for each j: those with more updates than
// at, and a part of those with so many. Where there are fewer than 2^j these are all.
type selection struct {
	at      [len(Cover{})]uint64
	part    [len(Cover{})]float64
	updates [len(Cover{})]uint64 // of the selected targets
}

func (r *ranking) selection() (s selection) {
	var before, sum uint64 // targets with more updates, and all of these
	j := 0
	r.descending(func(updates, targets uint64) bool {
		for ; j < len(s.at) && before+targets >= 1<<j; j++ {
			taken := 1<<j - before
			s.at[j], s.part[j] = updates, float64(taken)/float64(targets)
			s.updates[j] = sum + taken*updates
		}
		before, sum = before+targets, sum+targets*updates
		return j < len(s.at)
	})
	for ; j < len(s.at); j++ {
		s.updates[j] = sum
	}
	return s
}

// add adds, for each j, what is selected of n updates of a target that has so many in the ranking.
func (s *selection) add(to *Cover, updates, n uint64) {
	for j := len(s.at) - 1; j >= 0 && updates >= s.at[j]; j-- {
		if updates > s.at[j] {
			to[j] += float64(n)
		} else {
			to[j] += s.part[j] * float64(n)
		}
	}
}
