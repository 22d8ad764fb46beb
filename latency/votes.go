package latency

import (
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// Votes is a vote space in shared memory, replicated: Replicas copies of Words
// words, each copy Pad words behind the one before, and which thread of a
// block of Threads uses which copy.
type Votes struct {
	Words    int // vote_space_size, K
	Replicas int // R
	Pad      int
	Map      variant.Mapping
	Threads  int // N, of a block
}

// Validate reports a vote space that cannot be laid out. Errors wrap
// ErrParams.
func (v Votes) Validate() error {
	const mostWords, mostThreads = 1 << 30, 1 << 20
	outside := func(n, least, most int) bool { return n < least || n > most }
	if outside(v.Words, 1, mostWords) || outside(v.Pad, 0, mostWords) ||
		outside(v.Replicas, 1, mostThreads) ||
		outside(v.Threads, 1, mostThreads) || v.Map > variant.Block || v.Total() > mostWords {
		return fmt.Errorf("%w: %d copies of %d words, %d apart, for %d threads", ErrParams, v.Replicas,
			v.Words, v.Pad, v.Threads)
	}
	return nil
}

// Total is the words that all copies take together.
func (v Votes) Total() int { return v.Replicas*(v.Words+v.Pad) - v.Pad }

// Copy is the copy that a thread uses, [gomezluna13] section 3. Cyclic,
// equation (1): thread mod R. Block, equation (2): floor(thread / floor(N/R))
// mod R, so that N/R consecutive threads share a copy; with more copies than
// threads each thread has its own.
func (v Votes) Copy(thread int) int {
	if v.Map == variant.Block {
		return thread / max(1, v.Threads/v.Replicas) % v.Replicas
	}
	return thread % v.Replicas
}

// Offset is the first word of a thread's copy: [gomezluna13] equations (1) and
// (2) with Pad added to the size of a copy.
func (v Votes) Offset(thread int) int { return v.Copy(thread) * (v.Words + v.Pad) }

// Place moves a warp's pattern over the vote space to the copies of its lanes:
// out[l] = pattern[l] + Offset(thread of lane l). The first lane is the thread
// number first of its block. out and pattern may be the same.
func (v Votes) Place(out, pattern []int32, first int) {
	for l, word := range pattern {
		out[l] = word
		if word != Inactive {
			out[l] = word + int32(v.Offset((first+l)%v.Threads))
		}
	}
}

// placement is the lanes of a warp by the copies that they use.
type placement struct {
	lanes, words int
	shares       []share
}

// share is the lanes on one copy, which starts at a word.
type share struct{ start, lanes int }

func newPlacement(v Votes, first, active int) placement {
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
