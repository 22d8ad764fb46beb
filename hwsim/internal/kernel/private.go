package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// addShared adds to the thread's copy.
func (u *Updater) addShared(index, value operand) {
	place := u.Add(u.CopyAt, index)
	if !u.Variant.Reduces() && u.call.Operand == device.One {
		u.CountShared(u.Wide(), false, place, value)
		return
	}
	u.AtomicShared(u.Wide(), place, value)
}

// openCopies zeroes the block's copies and finds the thread's own,
// [gomezluna13] offsets (1) and (2).
func (u *Updater) openCopies() {
	step := u.Add(u.Arg(ArgBins), imm(uint64(u.Variant.Pad)))
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	thread := u.Tid()
	u.Scoped(func() {
		total := u.Mul(step, imm(uint64(u.Variant.R())))
		k := u.Spread(thread)
		u.For(k, total, threads, func() {
			u.StoreShared(u.Wide(), k, imm(arith.Neutral(u.call)))
		})
	})
	u.Barrier()
	which := u.Vec()
	if u.Variant.Map == variant.Block {
		// floor(thread·R/N), which is floor(thread/(N/R)) where R divides N.
		u.To(which, machine.OpShr, u.Mul(thread, imm(uint64(u.Variant.R()))),
			u.Unary(u.Uni(), machine.OpFls, threads))
	} else {
		Remainder(u.Builder, which, thread, uint64(u.Variant.R()))
	}
	u.CopyAt = u.Mul(which, step)
}

// Remainder computes a mod n: a mask where n is a power of two, and otherwise
// a multiplication by the reciprocal, exact for the thread numbers of a block.
func Remainder(b *machine.Builder, dst, a operand, n uint64) {
	if n&(n-1) == 0 {
		b.To(dst, machine.OpAnd, a, imm(n-1))
		return
	}
	quotient := b.Shr(b.Mul(a, imm((1<<32)/n+1)), imm(32))
	b.To(dst, machine.OpSub, a, b.Mul(quotient, imm(n)))
}

// FlushCopies sums each target's copies and adds the sums that are not zero, or
// whatever no updates leave, to the global targets.
func (u *Updater) FlushCopies() {
	u.Barrier()
	step := u.Add(u.Arg(ArgBins), imm(uint64(u.Variant.Pad)))
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	k := u.Tid()
	u.For(k, u.Arg(ArgBins), threads, func() {
		total := u.LoadShared(u.Wide(), k)
		place := u.Spread(k)
		for range u.Variant.R() - 1 {
			u.Scoped(func() {
				u.Inc(place, step)
				u.To(total, machine.OpAddT, total, u.LoadShared(u.Wide(), place))
			})
		}
		u.When(u.Differ(total, imm(arith.Neutral(u.call))), func() {
			u.Atomic(BufTarget, false, k, total)
		})
	})
}
