package expectation

import "github.com/atomtune/atomtune/latency"

// placement is the lanes of a warp by the copies that they use.
type placement struct {
	lanes, words int
	shares       []share
}

// share is the lanes on one copy, which starts at a word.
type share struct{ start, lanes int }

func newPlacement(v latency.Votes, first, active int) placement {
	c := placement{lanes: active, words: v.Words}
	at := map[int]int{}
	for l := range active {
		start := v.Offset((first + l) % v.Threads)
		i, ok := at[start]
		if !ok {
			i = len(c.shares)
			at[start] = i
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
next:
	for _, s := range c.shares {
		for i, other := range starts {
			switch {
			case c.alike(s.start, other, places):
				lanes[i] += s.lanes
				continue next
			case !c.disjoint(s.start, other, places):
				return nil, false
			}
		}
		starts, lanes = append(starts, s.start), append(lanes, s.lanes)
	}
	return lanes, true
}

func (c placement) alike(a, b, places int) bool {
	return a == b || places > 0 && (c.words%places == 0 || (a-b)%places == 0)
}

func (c placement) disjoint(a, b, places int) bool {
	if places == 0 {
		return a != b
	}
	d := ((a-b)%places + places) % places
	return c.words <= d && d <= places-c.words
}

// largest is the distribution of the largest load over so many places, where it
// is known: of the lock conflict degree with locks for places, of a native
// unit's bank conflict degree with banks.
func (c placement) largest(places int) (distribution, bool) {
	groups, ok := c.groups(places)
	if !ok {
		return nil, false
	}
	all := distribution{1}
	for _, lanes := range groups {
		all = all.larger(largestLoad(lanes, c.words, places))
	}
	return all, true
}
