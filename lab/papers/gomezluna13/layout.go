package gomezluna13

import (
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/papers"
)

// sharedWords is the shared memory of a Fermi multiprocessor in words of 4
// bytes.
const sharedWords = patterns.Words

// voteSpaces are the sizes of the vote spaces of [gomezluna13] sections 3 and
// 4.2, in words.
var voteSpaces = []int{32, 64, 128, 256, 512, 1024, 2048, 4096}

// lockWords is the number of words from which on locks are shared.
const lockWords = 1024

// layout is how the copies of a vote space lie in shared memory, and which
// thread uses which copy, [gomezluna13] section 3.
type layout struct {
	words, copies, pad int
	mapping            impl.Mapping
}

// copyOf returns the copy that a thread of a block of n uses: by equation (1)
// t mod R, or by equation (2) ⌊t/⌊n/R⌋⌋ mod R. There are n copies at most.
func (l layout) copyOf(t, n int) int {
	if l.mapping == impl.Block {
		return t / (n / l.copies) % l.copies
	}
	return t % l.copies
}

// offsets returns where the copy of each thread of a block of one warp begins.
func (l layout) offsets() (at [lanes]int32) {
	for t := range at {
		at[t] = int32(l.copyOf(t, lanes) * (l.words + l.pad))
	}
	return at
}

// total is the words that the copies take together.
func (l layout) total() int { return l.copies*(l.words+l.pad) - l.pad }

// fits reports whether the copies fit into shared memory.
func (l layout) fits() bool { return l.total() <= sharedWords }

// mappingNames are the names of impl.Cyclic and impl.Block.
var mappingNames = [...]string{impl.Cyclic: "cyclic", impl.Block: "block"}

// mostCopies is the largest replication factor of [gomezluna13] section 3: as
// many copies as fit, and no more than a warp has lanes.
func mostCopies(words int) int { return min(lanes, sharedWords/words) }

// factors lists the replication factors that are tried: the powers of two and
// the largest one.
func factors(most int) []int {
	var all []int
	for r := 1; r <= most; r *= 2 {
		all = append(all, r)
	}
	if all[len(all)-1] < most {
		all = append(all, most)
	}
	return all
}

// place moves a pattern over the vote space to the copies of its lanes.
func place(out, pattern []int32, offsets *[lanes]int32) {
	for l, word := range pattern {
		out[l] = word + offsets[l]
	}
}

// findings collects the outcome of one experiment.
type findings struct{ papers.Findings }
