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
