package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// noLane is the number of a lane where there is none.
const noLane = ^uint64(0)

// fetchGroups adds each group of peers once and stores each lane's old value: what the group's
// atomic found, with the values of the peers below the lane. It follows fetch_add_groups of the
// CUDA header: the highest lane of a group holds its sum after the scan, and adds.
func (u *Updater) fetchGroups(index, value, peers operand) {
	lower := u.And(peers, u.below)
	before, through := u.prefixes(value, lower)
	last := u.Unary(u.Vec(), machine.OpFls, peers)
	old := u.Vec()
	u.When(u.Equal(u.LaneID, last), func() {
		u.Mov(old, u.AtomicReturn(BufTarget, index, through))
	})
	u.Store(BufReturn, u.At, u.found(u.Shuffle(old, last), before))
}

// found is what a target held after the updates of a partial result, where it held old before.
func (u *Updater) found(old, partial operand) operand {
	if u.call.Op == device.Div {
		return u.Calc(machine.OpMakeT, old, partial)
	}
	return u.AddT(old, partial)
}

// prefixes returns the partial results over a lane's lower peers, without its own value and with
// it. Of ones the peers are counted.
func (u *Updater) prefixes(value, lower operand) (before, through operand) {
	if u.counted() {
		below := u.Unary(u.Vec(), machine.OpPopc, lower)
		before = u.Unary(u.Vec(), machine.OpNumT, below)
		return before, u.Unary(u.Vec(), machine.OpNumT, u.Add(below, imm(1)))
	}
	through = u.Spread(value)
	u.Scoped(func() { u.scanPeers(through, lower) })
	left := u.Unary(u.Vec(), machine.OpFls, lower)
	other := u.Shuffle(through, left)
	return u.SelectTo(u.Vec(), u.Equal(lower, imm(0)), imm(arith.Neutral(u.call)), other), through
}

// scanPeers makes value the partial result over a lane's peers up to itself, in lane order: it
// takes what the next peer below holds, then that of the next below those, and so on.
func (u *Updater) scanPeers(value, lower operand) {
	left := u.Unary(u.Vec(), machine.OpFls, lower)
	u.Loop(func() {
		more := u.Differ(left, imm(noLane))
		u.LeaveUnless(u.Differ(u.Ballot(more), imm(0)))
		from := u.SelectTo(u.Vec(), more, left, u.LaneID)
		other, further := u.Shuffle(value, from), u.Shuffle(left, from)
		u.SelectTo(value, more, u.AddT(other, value), value)
		u.SelectTo(left, more, further, left)
	})
}

// runPeers returns the lanes of each lane's run of equal neighbours; joined are the lanes that
// continue the run to their left.
func (u *Updater) runPeers(joined operand) operand {
	head := u.Unary(u.Vec(), machine.OpFls, u.AndNot(u.upTo, joined))
	return u.Sub(u.Shl(imm(1), u.runEnd(joined)), u.Shl(imm(1), head))
}
