package hwsim

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// voter assembles the kernel of a voting process. Its launch shape and its
// vote spaces are constants of the program, as in a CUDA template; the number
// of updates is the only argument.
type voter struct {
	*builder
	votes  Votes
	thread operand // number in the block
	copyAt operand // where the thread's copy begins
}

// argVotes is the number of updates.
const argVotes = 0

func newVoter(v Votes) *voter {
	b := &voter{builder: newBuilder("votes", 1), votes: v}
	b.thread = b.tid()
	return b
}

// votesKernel is the loop over the updates, between the clearing of the
// block's copies and their flush. Each turn loads an index and counts it, then
// loads and adds one component after the other.
func votesKernel(v Votes) *program {
	b := newVoter(v)
	b.clearCopies()
	b.findCopy()
	b.barrier()
	one := b.vec()
	b.mov(one, imm(oneOf(device.U32)))
	at := b.add(b.mul(scalarReg(scalarBlock), imm(uint64(v.Threads))), b.thread)
	b.loop(func() {
		b.leaveUnless(b.less(at, b.arg(argVotes)))
		place := b.add(b.copyAt, b.load(bufIndex, at))
		b.countShared(false, true, place, one)
		for i := 1; i < len(v.Spaces); i++ {
			b.scoped(func() {
				value := b.load(componentBuffer(i), at)
				b.atomicShared(false, b.add(place, imm(b.spaceAt(i))), value)
			})
		}
		b.inc(at, imm(uint64(v.Blocks*v.Threads)))
	})
	b.barrier()
	for i := range v.Spaces {
		b.flushSpace(i)
	}
	return b.done()
}

// componentBuffer returns the buffer with the values of vote space i, i > 0.
func componentBuffer(i int) int { return bufValue + i - 1 }

// spaceAt returns the word at which the copies of vote space i begin.
func (b *voter) spaceAt(i int) uint64 { return uint64(i*b.votes.copies()) * b.votes.step() }

// clearCopies zeroes the copies of all vote spaces.
func (b *voter) clearCopies() {
	b.scoped(func() {
		k := b.vec()
		b.mov(k, b.thread)
		b.loop(func() {
			b.leaveUnless(b.less(k, imm(b.votes.sharedWords())))
			b.storeShared(false, k, imm(0))
			b.inc(k, imm(uint64(b.votes.Threads)))
		})
	})
}

// findCopy finds the thread's copy, [gomezluna13] offsets (1) and (2).
func (b *voter) findCopy() {
	n, r := uint64(b.votes.Threads), uint64(b.votes.copies())
	which := b.thread
	if b.votes.Map == variant.Block {
		which = b.quotient(which, n/r)
	}
	// Offset (2) reaches beyond the last copy only where R does not divide N.
	if b.votes.Map != variant.Block || (n-1)/(n/r) >= r {
		mod := b.vec()
		remainder(b.builder, mod, which, r)
		which = mod
	}
	b.copyAt = b.mul(which, imm(b.votes.step()))
}

// quotient computes floor(a/n): a shift where n is a power of two, and
// otherwise a multiplication by the reciprocal, exact for the thread numbers of
// a block.
func (b *voter) quotient(a operand, n uint64) operand {
	if n&(n-1) == 0 {
		return b.shr(a, imm(uint64(bits.TrailingZeros64(n))))
	}
	return b.shr(b.mul(a, imm((1<<32)/n+1)), imm(32))
}

// flushSpace sums the copies of a vote space and adds the sums that are not
// zero to the global targets.
func (b *voter) flushSpace(i int) {
	addition := opAddT
	if i == 0 {
		addition = opAdd
	}
	b.scoped(func() {
		k := b.vec()
		b.mov(k, b.thread)
		b.loop(func() {
			b.leaveUnless(b.less(k, imm(uint64(b.votes.Size))))
			place := b.add(k, imm(b.spaceAt(i)))
			total := b.loadShared(false, place)
			for range b.votes.copies() - 1 {
				b.scoped(func() {
					b.inc(place, imm(b.votes.step()))
					b.to(total, addition, total, b.loadShared(false, place))
				})
			}
			target := b.add(k, imm(uint64(i*b.votes.Size)))
			b.when(b.differ(total, imm(0)), func() { b.atomic(bufTarget, i == 0, target, total) }, nil)
			b.inc(k, imm(uint64(b.votes.Threads)))
		})
	})
}
