package latency

import (
	"fmt"

	"github.com/atomtune/atomtune/variant"
)

// Votes is a vote space in shared memory: Replicas copies of Words words, each Pad words
// behind the one before, and which thread of a block of Threads uses which copy.
type Votes struct {
	Words    int // vote_space_size, K
	Replicas int // R
	Pad      int
	Map      variant.Mapping
	Threads  int // N, of a block
}

// Validate reports a vote space that cannot be laid out. Errors wrap ErrParams.
func (v Votes) Validate() error {
	const mostWords, mostThreads = 1 << 30, 1 << 20
	if min(v.Words, v.Replicas, v.Threads) < 1 || v.Pad < 0 || max(v.Words, v.Pad) > mostWords ||
		max(v.Replicas, v.Threads) > mostThreads || v.Map > variant.Block || v.Total() > mostWords {
		return fmt.Errorf("%w: %d copies of %d words, %d apart, for %d threads", ErrParams, v.Replicas,
			v.Words, v.Pad, v.Threads)
	}
	return nil
}

// Total is the words that all copies take together.
func (v Votes) Total() int { return v.Replicas*(v.Words+v.Pad) - v.Pad }

// Offset is the first word of the copy that a thread uses, [gomezluna13] section 3, with
// Pad added to the size of a copy. Cyclic, equation (1): copy thread mod R. Block, equation
// (2): copy floor(thread / floor(N/R)) mod R, so that N/R consecutive threads share a copy;
// with more copies than threads each thread has its own.
func (v Votes) Offset(thread int) int {
	if v.Map == variant.Block {
		thread /= max(1, v.Threads/v.Replicas)
	}
	return thread % v.Replicas * (v.Words + v.Pad)
}

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
