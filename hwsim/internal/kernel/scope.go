package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// exchange is what the warps of a block hand to the first of them in an iteration, with scope=block: a
// record of a target and a partial result for each group that another warp may have as well. Of `sr`
// these are a warp's first run and its last, of `vr` the lanes that it has voted for. The second
// reduction is the first one, on records in place of updates.
//
// [egielski14] Algorithm 1 takes a barrier for each step. Here warps have reduced before, and there
// are two sets of records, so that one barrier in each iteration is enough: whoever has passed the next
// one knows that the first warp is done with the set before.
type exchange struct {
	set operand // 0, or impl.Records
	own operand // the warp's first record
}

// The records' targets are the first words of shared memory, of both sets; their partial results
// follow.
const exchangeWords = 2 * impl.Records

func (u *Updater) sumAt(record operand) operand {
	return u.Add(record, imm(exchangeWords*4/uint64(u.call.Type.Bytes())))
}

func (u *Updater) byBlock() bool { return u.Implementation.Scope == impl.BlockScope }

// loopBlock is LoopUpdates of all warps of a block together: each iteration ends in an exchange, so that
// warps beyond the limit stay.
func (u *Updater) loopBlock(limit, step operand, load func() (index, value operand)) {
	u.exchange = exchange{set: u.Uniform(imm(0)), own: u.Mul(machine.WarpID, imm(impl.WarpRecords))}
	first := u.Sub(u.Unary(u.Uni(), machine.OpFirst, u.At), u.Mul(machine.WarpID, imm(u.Lanes)))
	u.Loop(func() {
		u.LeaveUnless(u.Less(first, limit))
		u.When(u.Less(u.LaneID, imm(impl.WarpRecords)), func() {
			u.StoreShared(false, u.record(u.LaneID), imm(machine.EmptyKey))
		})
		u.Inside = u.Less(u.At, limit)
		u.When(u.Inside, func() { u.ReduceAndAdd(load()) })
		u.Barrier()
		u.When(u.Equal(machine.WarpID, imm(0)), u.reduceRecords)
		u.To(u.exchange.set, machine.OpXor, u.exchange.set, imm(impl.Records))
		u.Inc(u.At, step)
		u.Inc(first, step)
	})
}

func (u *Updater) record(number operand) operand {
	return u.Add(number, u.Add(u.exchange.own, u.exchange.set))
}

func (u *Updater) handOver(number uint64, index, value operand) {
	place := u.record(imm(number))
	u.StoreShared(false, place, index)
	u.StoreShared(u.Wide(), u.sumAt(place), value)
}

// reduceRecords reduces and adds what the warps have handed over in this iteration.
func (u *Updater) reduceRecords() {
	w := *u
	w.Implementation.Scope = impl.WarpScope
	w.call.Operand = device.Loaded // a record may stand for many ones
	if w.Implementation.Reduction == impl.VR {
		w.Implementation.Threshold = impl.MinThreshold
	}
	index, place := u.Spread(imm(machine.EmptyKey)), u.Add(u.LaneID, u.exchange.set)
	records := u.Mul(machine.BlockWarps, imm(impl.WarpRecords))
	u.When(u.Less(u.LaneID, records), func() { u.Mov(index, u.LoadShared(false, place)) })
	w.Inside = u.Differ(index, imm(machine.EmptyKey))
	u.When(w.Inside, func() { w.how.reduce(&w, index, u.LoadShared(u.Wide(), u.sumAt(place))) })
}

// addRun adds the sum of a run, of which end is the lane after the last. A block's warp hands it
// over where the run may begin in the warp before or go on in the next one. A run of a whole warp is
// its first and, with nothing to add, its last, so that records of one run stand side by side.
func (u *Updater) addRun(index, value, end operand) {
	if !u.byBlock() {
		u.addOne(index, value)
		return
	}
	first, last := u.Equal(u.LaneID, imm(0)), u.Equal(end, imm(u.Lanes))
	u.When(first, func() { u.handOver(0, index, value) })
	u.When(last, func() {
		u.handOver(1, index, u.SelectTo(u.Vec(), first, imm(arith.Neutral(u.call)), value))
	})
	u.When(u.Both(u.Not(first), u.Not(last)), func() { u.addOne(index, value) })
}

// addGroup adds the sum of a group of peers. A block's warp hands it over if there are several of
// them.
func (u *Updater) addGroup(index, value, peers operand) {
	if !u.byBlock() {
		u.addOne(index, value)
		return
	}
	u.WhenElse(u.Differ(peers, u.own), func() { u.handOver(0, index, value) },
		func() { u.addOne(index, value) })
}
