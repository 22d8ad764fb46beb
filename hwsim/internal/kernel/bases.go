package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// implementation is what the simulator knows of an implementation: how it lies in
// memory, what it launches, and how its kernels work. A new one is a case of baseOf or
// of reductionOf, with its kernel in the same file unless it launches several.
type implementation struct {
	base
	reduction
}

// ImplementationOf returns what is known of an implementation.
func ImplementationOf(v variant.Variant) implementation {
	return implementation{baseOf(v.Base), reductionOf(v.Reduction)}
}

// base is the part that says where sums are kept.
type base struct {
	place  func(*Session) // places arrays of its own, if any
	launch func(*Session) // launches what follows the clearing; nil: no kernel program

	// Of the kernel that loops over the stream: what comes before and after the
	// loop, if anything, and how lanes add.
	open, close func(*Updater)
	add         func(u *Updater, index, value operand)

	// Tiled: blocks take a tile of the stream each, in place of turns of a grid.
	Tiled bool
	// grouped: each target's updates stand in one stretch of the stream.
	grouped bool
	// Private: blocks share nothing but bandwidth and the targets to which they
	// add their copies in the end.
	Private bool
	// Direct: a turn of the loop adds to the targets at once, and so is short.
	Direct bool
}

func baseOf(b variant.Base) base {
	switch b {
	case variant.Global:
		return base{launch: (*Session).loop, add: (*Updater).addGlobal, Direct: true}
	case variant.Private:
		return base{
			launch: (*Session).loop, open: (*Updater).openCopies, close: (*Updater).FlushCopies,
			add: (*Updater).addShared, Private: true,
		}
	case variant.Sort:
		return base{place: (*Session).sortBuffers, launch: (*Session).sort, Tiled: true}
	case variant.SegReduce:
		return base{launch: (*Session).reduceStream, Tiled: true, grouped: true}
	case variant.ThreadPrivate:
		return base{launch: (*Session).threadPrivate}
	}
	return base{}
}

// addGlobal adds to the targets, and stores the old values if the call returns them.
func (u *Updater) addGlobal(index, value operand) {
	if u.call.Returns {
		u.Store(BufReturn, u.At, u.AtomicReturn(BufTarget, index, value))
		return
	}
	u.Atomic(BufTarget, false, index, value)
}

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
		u.Each(thread, u.Mul(step, imm(uint64(u.Variant.R()))), threads, func(k operand) {
			u.StoreShared(u.Wide(), k, imm(arith.Neutral(u.call)))
		})
	})
	u.Barrier()
	which := u.Vec()
	if u.Variant.Map == variant.Block {
		// floor(thread·R/N), which is floor(thread/(N/R)) where R divides N.
		shares := u.Mul(thread, imm(uint64(u.Variant.R())))
		if n := u.threads; n&(n-1) != 0 {
			u.Mov(which, Quotient(u.Builder, shares, n))
		} else {
			u.To(which, machine.OpShr, shares, u.Unary(u.Uni(), machine.OpFls, threads))
		}
	} else {
		Remainder(u.Builder, which, thread, uint64(u.Variant.R()))
	}
	u.CopyAt = u.Mul(which, step)
}

// Remainder computes a mod n: a mask where n is a power of two, and otherwise
// a multiplication by the reciprocal.
func Remainder(b *machine.Builder, dst, a operand, n uint64) {
	if n&(n-1) == 0 {
		b.To(dst, machine.OpAnd, a, imm(n-1))
		return
	}
	b.To(dst, machine.OpSub, a, b.Mul(Quotient(b, a, n), imm(n)))
}

// Quotient computes floor(a/n) by the reciprocal, exact for a·n below 2^32 as of the thread numbers
// of a block and their multiples.
func Quotient(b *machine.Builder, a operand, n uint64) operand {
	return b.Shr(b.Mul(a, imm((1<<32)/n+1)), imm(32))
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
