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
	u.placeCounters(u.Arg(ArgBins), u.Add(u.Arg(ArgBins), imm(uint64(u.Variant.Pad))), 0,
		func(k operand) operand { return k })
}

// placeTableSums does so with a table of hot targets, of which it leaves out the empty slots.
func (u *Updater) placeTableSums() {
	u.placeCounters(imm(uint64(u.Variant.Slots)), u.slotStep(), u.sumsAt(),
		func(k operand) operand { return u.LoadShared(false, k) })
}

// placed is a counter whose target has been asked for what it holds.
type placed struct {
	inside, first  operand // is there one, and where its copies begin
	changes        operand // its partial result is not that of no updates
	changed, found operand // what the target held if so, else
}

// placeCounters adds the counters' partial results to their targets, and leaves in each copy what
// the target holds before that copy's first update. Counters lie as those of flushCopies, and
// targetOf returns the target of an element, EmptyKey for none. A result that no updates leave as
// well says nothing of whether there were some: then the target is read. A thread asks for several
// targets before it uses the first.
func (u *Updater) placeCounters(count, step operand, from uint64,
	targetOf func(k operand) operand) {
	u.Barrier()
	threads := u.Mul(machine.BlockWarps, imm(u.Lanes))
	u.Each(u.Tid(), count, u.Mul(threads, imm(together)), func(base operand) {
		var counters [together]placed
		for i := range counters {
			c := &counters[i]
			k := u.Add(base, u.Mul(threads, imm(uint64(i))))
			c.inside = u.Less(k, count)
			u.Keep(c.inside, func() {
				c.first = u.Add(k, imm(from))
				u.placeCounter(c, step, targetOf(k))
			})
		}
		for i := range counters {
			c := &counters[i]
			u.When(c.inside, func() {
				u.spreadCopies(c.first, step, u.SelectTo(u.Vec(), c.changes, c.changed, c.found))
			})
		}
	})
	u.Barrier()
}

// placeCounter adds a counter's partial result to its target, if it has one.
func (u *Updater) placeCounter(c *placed, step, target operand) {
	total := u.partialOf(c.first, step)
	c.changes = u.Differ(total, imm(arith.Neutral(u.call)))
	u.Keep(u.Differ(target, imm(machine.EmptyKey)), func() {
		u.Keep(c.changes, func() { c.changed = u.AtomicReturn(BufTarget, target, total) })
		u.Keep(u.Not(c.changes), func() { c.found = u.Load(BufTarget, target) })
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
