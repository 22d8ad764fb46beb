package kernel

import (
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// Old values from counters in shared memory take two passes over the stream. The first adds up what
// a block's updates bring to each counter. That goes to the target by one atomic, which finds where
// the block's updates begin, and the second pass adds them again from there on.

// placeCopies does so with private copies of all targets.
func (u *Updater) placeCopies() {
	u.Barrier()
	u.placeCounters(u.Arg(ArgBins), u.Add(u.Arg(ArgBins), imm(uint64(u.Variant.Pad))), 0,
		func(k operand, body func(target operand)) { body(k) })
	u.Barrier()
}

// placeTableSums does so with a table of hot targets, of which it leaves out the empty slots.
func (u *Updater) placeTableSums() {
	u.Barrier()
	u.placeCounters(imm(uint64(u.Variant.Slots)), u.slotStep(), u.sumsAt(),
		func(k operand, body func(target operand)) {
			tag := u.LoadShared(false, k)
			u.When(u.Differ(tag, imm(machine.EmptyKey)), func() { body(tag) })
		})
	u.Barrier()
}

// placeCounters adds the counters' partial results to their targets, and leaves in each copy what
// the target holds before that copy's first update. counters lie as those of flushCopies; withTarget
// calls body with the target of an element that has one. A result that no updates leave as well
// says nothing of whether there were some: then the target is read.
func (u *Updater) placeCounters(count, step operand, from uint64,
	withTarget func(k operand, body func(target operand))) {
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	u.Each(u.Tid(), count, threads, func(k operand) {
		withTarget(k, func(target operand) {
			first := k
			if from > 0 {
				first = u.Add(k, imm(from))
			}
			next := u.partialOf(first, step)
			u.WhenElse(u.Differ(next, imm(arith.Neutral(u.call))),
				func() { u.Mov(next, u.AtomicReturn(BufTarget, target, next)) },
				func() { u.LoadTo(next, BufTarget, target) })
			u.spreadCopies(first, step, next)
		})
	})
}

// partialOf returns the partial result of an element over its copies.
func (u *Updater) partialOf(first, step operand) operand {
	total, place := u.LoadShared(u.Wide(), first), u.Spread(first)
	for range u.Variant.R() - 1 {
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
	for c := range u.Variant.R() {
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
