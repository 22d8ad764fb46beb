package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// addShared adds to the thread's copy.
func (u *updater) addShared(index, value operand) {
	place := u.add(u.copyAt, index)
	if u.v.Reduction == variant.None && u.call.Operand == device.One {
		u.countShared(u.wide(), false, place, value)
		return
	}
	u.atomicShared(u.wide(), place, value)
}

// openCopies zeroes the block's copies and finds the thread's own,
// [gomezluna13] offsets (1) and (2).
func (u *updater) openCopies() {
	step := u.add(u.arg(argBins), imm(uint64(u.v.Pad)))
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	thread := u.tid()
	u.scoped(func() {
		total := u.mul(step, imm(uint64(u.v.R())))
		k := u.vec()
		u.mov(k, thread)
		u.loop(func() {
			u.leaveUnless(u.less(k, total))
			u.storeShared(u.wide(), k, imm(neutral(u.call)))
			u.inc(k, threads)
		})
	})
	u.barrier()
	which := u.vec()
	if u.v.Map == variant.Block {
		// floor(thread·R/N), which is floor(thread/(N/R)) where R divides N.
		u.to(which, opShr, u.mul(thread, imm(uint64(u.v.R()))), u.unary(u.uni(), opFls, threads))
	} else {
		remainder(u.builder, which, thread, uint64(u.v.R()))
	}
	u.copyAt = u.mul(which, step)
}

// remainder computes a mod n: a mask where n is a power of two, and otherwise
// a multiplication by the reciprocal, exact for the thread numbers of a block.
func remainder(b *builder, dst, a operand, n uint64) {
	if n&(n-1) == 0 {
		b.to(dst, opAnd, a, imm(n-1))
		return
	}
	quotient := b.shr(b.mul(a, imm((1<<32)/n+1)), imm(32))
	b.to(dst, opSub, a, b.mul(quotient, imm(n)))
}

// flushCopies sums each target's copies and adds the sums that are not zero, or whatever no updates leave,
// to the global targets.
func (u *updater) flushCopies() {
	u.barrier()
	step := u.add(u.arg(argBins), imm(uint64(u.v.Pad)))
	threads := u.mul(scalarReg(scalarWarps), imm(u.lanes))
	k := u.tid()
	u.loop(func() {
		u.leaveUnless(u.less(k, u.arg(argBins)))
		total := u.loadShared(u.wide(), k)
		place := u.vec()
		u.mov(place, k)
		for range u.v.R() - 1 {
			u.scoped(func() {
				u.inc(place, step)
				u.to(total, opAddT, total, u.loadShared(u.wide(), place))
			})
		}
		u.when(u.differ(total, imm(neutral(u.call))), func() { u.atomic(bufTarget, false, k, total) }, nil)
		u.inc(k, threads)
	})
}
