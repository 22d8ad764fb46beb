package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// implementation is what the simulator knows of an implementation: how it lies in
// memory, what it launches, and how its kernels work. A new one is a case of algorithmOf or
// of reductionOf, with its kernel in the same file unless it launches several.
type implementation struct {
	algorithm
	reduction
}

func ImplementationOf(v impl.Spec) implementation {
	return implementation{algorithmOf(v.Algorithm), reductionOf(v.Reduction)}
}

// algorithm is the part that says where sums are kept.
type algorithm struct {
	place  func(*Session) // places arrays of its own, if any
	launch func(*Session) // launches what follows the clearing; nil: no kernel program

	// Of the kernel that loops over the stream: what opens the block's copies and which they are, if
	// there are some, and how lanes add. Calls that return old values pass over the stream twice then.
	open   func(*Updater)
	copies func(*Updater) copies
	add    func(u *Updater, index, value operand)

	// Tiled: blocks take a tile of the stream each, in place of iterations of a grid.
	Tiled bool
	// Whole: blocks go through the ranges of the targets, so that no part of the stream stands for it.
	Whole bool
	// grouped: each target's updates are in one stretch of the stream.
	grouped bool
	// Private: blocks share nothing but bandwidth and the targets to which they
	// add their copies in the end.
	Private bool
	// Direct: a turn of the loop adds to the targets at once, and so is short.
	Direct bool
}

func algorithmOf(b impl.Algorithm) algorithm {
	switch b {
	case impl.Global:
		return algorithm{launch: (*Session).loop, add: (*Updater).addGlobal, Direct: true}
	case impl.Private:
		return algorithm{launch: (*Session).loop, open: (*Updater).openCopies, copies: (*Updater).allCopies,
			add: (*Updater).addShared, Private: true}
	case impl.Hot:
		return algorithm{place: (*Session).placeTable, launch: (*Session).loopTable, open: (*Updater).openTable,
			copies: (*Updater).tableCopies, add: (*Updater).addHot, Direct: true}
	case impl.Sort:
		return algorithm{place: (*Session).sortBuffers, launch: (*Session).sort, Tiled: true}
	case impl.Partition:
		return algorithm{place: (*Session).placeParts, launch: (*Session).partition,
			add: (*Updater).addShared, Whole: true}
	case impl.SegReduce:
		return algorithm{launch: (*Session).reduceStream, Tiled: true, grouped: true}
	case impl.ThreadPrivate:
		return algorithm{launch: (*Session).threadPrivate}
	}
	return algorithm{}
}

func (u *Updater) addGlobal(index, value operand) {
	if u.call.Returns {
		u.Store(BufReturn, u.At, u.AtomicReturn(BufTarget, index, value))
		return
	}
	u.Atomic(BufTarget, false, index, value)
}

func (u *Updater) addShared(index, value operand) {
	place := u.Add(u.CopyAt, index)
	if u.call.Returns && !u.counting {
		u.Store(BufReturn, u.At, u.UpdateShared(u.Wide(), place, value))
		return
	}
	if !u.Implementation.Reduces() && u.call.Operand == device.One {
		u.CountShared(u.Wide(), false, place, value)
		return
	}
	u.AtomicShared(u.Wide(), place, value)
}

// openCopies zeroes the block's copies and finds the thread's own. With ranges of targets
// ArgBins is the number of targets of one, and block b serves range b mod G.
func (u *Updater) openCopies() {
	step := u.Add(u.Arg(ArgBins), imm(uint64(u.Implementation.Pad)))
	u.CopyAt = u.clearCopies(step, 0)
	if g := uint64(u.Implementation.G()); g > 1 {
		which := u.Uni()
		Remainder(u.Builder, which, machine.BlockID, g)
		u.rangeAt = u.Mul(which, u.Arg(ArgBins))
	}
}

// clearCopies zeroes the block's copies, which begin at an element of shared memory, each a step
// behind the one before. It returns where the thread's own begins, [gomezluna13] offsets (1) and
// (2).
func (u *Updater) clearCopies(step operand, from uint64) operand {
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	thread := u.Tid()
	u.Scoped(func() {
		first, end := thread, u.Mul(step, imm(uint64(u.Implementation.R())))
		if from > 0 {
			first, end = u.Add(first, imm(from)), u.Add(end, imm(from))
		}
		u.Each(first, end, threads, func(k operand) {
			u.StoreShared(u.Wide(), k, imm(arith.Neutral(u.call)))
		})
	})
	u.Barrier()
	which := u.Vec()
	if u.Implementation.Map == impl.Block {
		// floor(thread·R/N), which is floor(thread/(N/R)) where R divides N.
		shares := u.Mul(thread, imm(uint64(u.Implementation.R())))
		if n := u.threads; n&(n-1) != 0 {
			u.Mov(which, Quotient(u.Builder, shares, n))
		} else {
			u.To(which, machine.OpShr, shares, u.Unary(u.Uni(), machine.OpFls, threads))
		}
	} else {
		Remainder(u.Builder, which, thread, uint64(u.Implementation.R()))
	}
	at := u.Mul(which, step)
	if from > 0 {
		u.Inc(at, imm(from))
	}
	return at
}

// Remainder computes a mod n: a mask where n is a power of two, and otherwise from Quotient.
func Remainder(b *machine.Builder, dst, a operand, n uint64) {
	if n&(n-1) == 0 {
		b.To(dst, machine.OpAnd, a, imm(n-1))
		return
	}
	b.To(dst, machine.OpSub, a, b.Mul(Quotient(b, a, n), imm(n)))
}

// Quotient returns floor(a/n), of any other n than a power of two by a multiplication by the
// reciprocal, exact for a·n below 2^32, as of the threads of a block, their multiples and
// the blocks of a grid.
func Quotient(b *machine.Builder, a operand, n uint64) operand {
	if n&(n-1) == 0 {
		return b.Shr(a, imm(uint64(bits.TrailingZeros64(n))))
	}
	return b.Shr(b.Mul(a, imm((1<<32)/n+1)), imm(32))
}

// copies are the counters of a block: so many elements from one on, each copy a step behind the one
// before, and to which target an element belongs, EmptyKey for none.
type copies struct {
	count, step operand
	from        uint64
	target      func(k operand) operand
}

func (u *Updater) allCopies() copies {
	return copies{u.Arg(ArgBins), u.Add(u.Arg(ArgBins), imm(uint64(u.Implementation.Pad))), 0,
		func(k operand) operand {
			if u.Implementation.G() > 1 {
				return u.Add(k, u.rangeAt)
			}
			return k
		}}
}

func (u *Updater) FlushCopies() {
	u.Barrier()
	u.flush(u.how.copies(u))
}

// flush adds the sums of copies that are not what no updates leave to the targets.
func (u *Updater) flush(c copies) {
	u.sumCopies(c, func(k, total operand) { u.Atomic(BufTarget, false, c.target(k), total) })
}

// sumCopies calls body for the sums of copies that are not what no updates leave.
func (u *Updater) sumCopies(c copies, body func(k, total operand)) {
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	k := u.Tid()
	u.For(k, c.count, threads, func() {
		first := k
		if c.from > 0 {
			first = u.Add(k, imm(c.from))
		}
		total := u.partialOf(first, c.step)
		u.When(u.Differ(total, imm(arith.Neutral(u.call))), func() { body(k, total) })
	})
}

// Old values from counters in shared memory take two passes over the stream. The first adds up what
// a block's updates bring to each counter. That goes to the target by one atomic, which finds where
// the block's updates begin, and the second pass adds them again from there on.

// placed is a counter whose target has been asked for what it holds.
type placed struct {
	inside, first  operand // is there one, and where its copies begin
	changes        operand // its partial result is not that of no updates
	changed, found operand // what the target held if so, else
}

// placeCounters adds the counters' partial results to their targets, and leaves in each copy what
// the target holds before that copy's first update. A result that no updates leave as well says nothing of
// whether there were some: then the target is read. A thread asks for several targets before it uses the
// first.
func (u *Updater) placeCounters(of copies) {
	u.Barrier()
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	u.Each(u.Tid(), of.count, u.Mul(threads, imm(together)), func(base operand) {
		var counters [together]placed
		for i := range counters {
			c := &counters[i]
			k := u.Add(base, u.Mul(threads, imm(uint64(i))))
			c.inside = u.Less(k, of.count)
			u.Keep(c.inside, func() {
				c.first = u.Add(k, imm(of.from))
				u.placeCounter(c, of.step, of.target(k))
			})
		}
		for i := range counters {
			c := &counters[i]
			u.When(c.inside, func() {
				u.spreadCopies(c.first, of.step, u.SelectTo(u.Vec(), c.changes, c.changed, c.found))
			})
		}
	})
	u.Barrier()
}

func (u *Updater) placeCounter(c *placed, step, target operand) {
	total := u.partialOf(c.first, step)
	c.changes = u.Differ(total, imm(arith.Neutral(u.call)))
	u.Keep(u.Differ(target, imm(machine.EmptyKey)), func() {
		u.Keep(c.changes, func() { c.changed = u.AtomicReturn(BufTarget, target, total) })
		u.Keep(u.Not(c.changes), func() { c.found = u.Load(BufTarget, target) })
	})
}

func (u *Updater) partialOf(first, step operand) operand {
	total, place := u.LoadShared(u.Wide(), first), u.Spread(first)
	for range u.Implementation.R() - 1 {
		u.Scoped(func() {
			u.Inc(place, step)
			u.To(total, machine.OpAddT, total, u.LoadShared(u.Wide(), place))
		})
	}
	return total
}

// spreadCopies has each copy of an element begin where the one before ends, the first with next.
func (u *Updater) spreadCopies(first, step, next operand) {
	place := u.Spread(first)
	for c := range u.Implementation.R() {
		u.Scoped(func() {
			if c > 0 {
				u.Inc(place, step)
			}
			own := u.LoadShared(u.Wide(), place)
			u.StoreShared(u.Wide(), place, next)
			u.To(next, machine.OpAddT, next, own)
		})
	}
}
