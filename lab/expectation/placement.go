package expectation

import (
	"slices"

	"github.com/atomtune/atomtune/latency"
)

// placement is the lanes of a warp by the copies that they use.
type placement struct {
	lanes, words int
	shares       []share
}

// share is the lanes on one copy, which starts at a word.
type share struct{ start, lanes int }

func newPlacement(v latency.Votes, first, active int) placement {
	c := placement{lanes: active, words: v.Words}
	for l := range active {
		start := v.Offset((first + l) % v.Threads)
		i := slices.IndexFunc(c.shares, func(s share) bool { return s.start == start })
		if i < 0 {
			i = len(c.shares)
			c.shares = append(c.shares, share{start: start})
		}
		c.shares[i].lanes++
	}
	return c
}

// together reports whether all lanes use one copy.
func (c placement) together() bool { return len(c.shares) == 1 }

// apart reports whether no two lanes use the same copy.
func (c placement) apart() bool { return len(c.shares) == c.lanes }

// groups puts lanes together whose words lie alike over so many places, which
// take the words in turn; 0 means that every word has a place of its own. It
// fails where two groups share some places without lying alike, since the loads
// of the places are then no multinomial, nor a product of such.
func (c placement) groups(places int) (lanes []int, ok bool) {
	var starts []int
	for _, s := range c.shares {
		i := slices.IndexFunc(starts, func(start int) bool {
			return s.start == start || places > 0 && (c.words%places == 0 || (s.start-start)%places == 0)
		})
		shared := slices.ContainsFunc(starts, func(start int) bool {
			d := s.start - start
			if places == 0 {
				return d == 0
			}
			d = (d%places + places) % places
			return d < c.words || d > places-c.words
		})
		switch {
		case i >= 0:
			lanes[i] += s.lanes
		case shared:
			return nil, false
		default:
			starts, lanes = append(starts, s.start), append(lanes, s.lanes)
		}
	}
	return lanes, true
}

// largest is the distribution of the largest load over so many places, where it
// is known: of the lock conflict degree with locks for places, of a native
// unit's bank conflict degree with banks.
func (c placement) largest(places int) (distribution, bool) {
	groups, ok := c.groups(places)
	all := distribution{1}
	for _, lanes := range groups {
		all = all.larger(largestLoad(lanes, c.words, places))
	}
	return all, ok
}
