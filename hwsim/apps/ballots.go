package apps

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// voter assembles the kernel of a voting process. Its launch shape and its
// vote spaces are constants of the program, as in a CUDA template; the number
// of updates is the only argument.
type voter struct {
	*machine.Builder
	votes  Votes
	thread operand // number in the block
	copyAt operand // where the thread's copy begins
}

func newVoter(v Votes) *voter {
	b := &voter{Builder: machine.NewBuilder("votes", 1), votes: v}
	b.thread = b.Tid()
	return b
}

// votesKernel is the loop over the updates, between the clearing of the
// block's copies and their flush. Each iteration loads an index and counts it, then
// loads and adds one component after the other.
func votesKernel(v Votes) *machine.Program {
	b := newVoter(v)
	b.clearCopies()
	b.findCopy()
	b.Barrier()
	one := b.Spread(imm(arith.OneOf(device.U32)))
	at := b.Add(b.Mul(machine.BlockID, imm(uint64(v.Threads))), b.thread)
	b.Loop(func() {
		b.LeaveUnless(b.Less(at, b.Arg(0)))
		place := b.Add(b.copyAt, b.Load(kernel.BufIndex, at))
		b.CountShared(false, true, place, one)
		for i := 1; i < len(v.Spaces); i++ {
			b.Scoped(func() {
				value := b.Load(kernel.BufValue+i-1, at)
				b.AtomicShared(false, b.Add(place, imm(b.spaceAt(i))), value)
			})
		}
		b.Inc(at, imm(uint64(v.Blocks*v.Threads)))
	})
	b.Barrier()
	for i := range v.Spaces {
		b.flushSpace(i)
	}
	return b.Done()
}

// spaceAt returns the word at which the copies of vote space i begin.
func (b *voter) spaceAt(i int) uint64 { return uint64(i*b.votes.copies()) * b.votes.step() }

// clearCopies zeroes the copies of all vote spaces.
func (b *voter) clearCopies() {
	b.Scoped(func() {
		k := b.Spread(b.thread)
		b.For(k, imm(b.votes.sharedWords()), imm(uint64(b.votes.Threads)), func() {
			b.StoreShared(false, k, imm(0))
		})
	})
}

// findCopy finds the thread's copy, [gomezluna13] offsets (1) and (2).
func (b *voter) findCopy() {
	n, r := uint64(b.votes.Threads), uint64(b.votes.copies())
	which := b.thread
	if b.votes.Map == impl.Block {
		which = b.quotient(which, n/r)
	}
	// Offset (2) reaches beyond the last copy only where R does not divide N.
	if b.votes.Map != impl.Block || (n-1)/(n/r) >= r {
		mod := b.Vec()
		kernel.Remainder(b.Builder, mod, which, r)
		which = mod
	}
	b.copyAt = b.Mul(which, imm(b.votes.step()))
}

// quotient computes floor(a/n): a shift where n is a power of two, and
// otherwise a multiplication by the reciprocal, exact for the thread numbers of
// a block.
func (b *voter) quotient(a operand, n uint64) operand {
	if n&(n-1) == 0 {
		return b.Shr(a, imm(uint64(bits.TrailingZeros64(n))))
	}
	return b.Shr(b.Mul(a, imm((1<<32)/n+1)), imm(32))
}

// flushSpace sums the copies of a vote space and adds the sums that are not
// zero to the global targets.
func (b *voter) flushSpace(i int) {
	addition := machine.OpAddT
	if i == 0 {
		addition = machine.OpAdd
	}
	b.Scoped(func() {
		k := b.Spread(b.thread)
		b.For(k, imm(uint64(b.votes.Size)), imm(uint64(b.votes.Threads)), func() {
			place := b.Add(k, imm(b.spaceAt(i)))
			total := b.LoadShared(false, place)
			for range b.votes.copies() - 1 {
				b.Scoped(func() {
					b.Inc(place, imm(b.votes.step()))
					b.To(total, addition, total, b.LoadShared(false, place))
				})
			}
			target := b.Add(k, imm(uint64(i*b.votes.Size)))
			b.When(b.Differ(total, imm(0)), func() { b.Atomic(kernel.BufTarget, i == 0, target, total) })
		})
	})
}
