package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/hwsim/internal/machine"
)

// The random sequence of `vr`, [egielski14] section 3.1: element p is p·sequenceStep modulo
// 2^32, of which the highest bits number a lane. The step is odd, so the period is 2^32. Group
// g of a launch, the warp's turn that handles updates g·lanes and on, draws the m elements
// from the seed position + m·g on. The article keeps its sequence in memory; as in the CUDA
// header, elements are computed in registers, with two instructions each.
const (
	sequenceStep = 2654435769
	sequenceUnit = sequenceStep << 32 // in the upper half of a register, which wraps by itself
)

// openSequence sets the warp's place in the sequence: the number of its first
// group, and how far its next one lies ahead.
func (u *Updater) openSequence(group, groups operand) {
	unit := imm(uint64(u.Implementation.M()) * sequenceUnit)
	u.State = u.Add(u.Mul(u.Arg(argSeed), imm(sequenceUnit)), u.Mul(group, unit))
	u.Advance = u.Mul(groups, unit)
}

// drawLane picks a lane of a mask by an element of the sequence: the lane that its highest bits
// number or, if that is not in the mask, the next one above it, cyclically.
func (u *Updater) drawLane(mask, element operand) operand {
	start := u.Shr(element, imm(uint64(64-bits.Len64(u.Lanes-1))))
	next := u.Unary(u.Uni(), machine.OpFfs, u.rotate(mask, start))
	return u.And(u.Add(start, next), imm(u.Lanes-1))
}

// rotate moves lane `by` of a mask to lane 0; above the lanes, others may stand again.
func (u *Updater) rotate(mask, by operand) operand {
	if 2*u.Lanes <= 64 {
		return u.Shr(u.Or(mask, u.Shl(mask, imm(u.Lanes))), by)
	}
	return u.Or(u.Shr(mask, by), u.Shl(mask, u.Sub(imm(u.Lanes), by)))
}

// voteAndReduce is `vr`, [egielski14] Algorithm 2: the index of a sampled lane is put to the
// vote, and from the threshold on its lanes are reduced to one add, beside the adds of the
// others. Each further sample is drawn among the lanes whose index was not yet voted on, and
// the groups that reach the threshold are reduced at the same time.
func (u *Updater) voteAndReduce(index, value operand) {
	u.Active = u.Ballot(u.Inside)
	element := u.Uniform(u.State)
	u.Inc(u.State, u.Advance)
	if u.Implementation.M() == 1 {
		same, voters := u.Vote(index, u.Active, element)
		u.WhenElse(u.Enough(voters), func() {
			u.ReducePeers(index, value, u.SelectTo(u.Vec(), same, voters, u.own))
		}, func() { u.addOne(index, value) })
		return
	}
	peers, rest, reduced := u.Spread(u.own), u.Uniform(u.Active), u.Uniform(imm(0))
	u.resample(index, element, peers, rest, reduced, u.Implementation.M())
	u.WhenElse(u.Differ(reduced, imm(0)), func() { u.ReducePeers(index, value, peers) },
		func() { u.addOne(index, value) })
}

// resample votes on further samples; peers get the lanes that are reduced together, reduced all of them.
func (u *Updater) resample(index, element, peers, rest, reduced operand, samples int) {
	same, voters := u.Vote(index, rest, element)
	u.When(u.Enough(voters), func() {
		u.SelectTo(peers, same, voters, peers)
		u.To(reduced, machine.OpOr, reduced, voters)
	})
	if samples == 1 {
		return
	}
	u.To(rest, machine.OpAndNot, rest, voters)
	u.Inc(element, imm(sequenceUnit))
	u.When(u.Enough(rest), func() { u.resample(index, element, peers, rest, reduced, samples-1) })
}

// Vote finds the active lanes that share the index of a lane drawn from mask.
func (u *Updater) Vote(index, mask, element operand) (same, voters operand) {
	same = u.Equal(index, u.Shuffle(index, u.drawLane(mask, element)))
	return same, u.Ballot(same)
}

// Enough tests whether a mask holds as many lanes as the threshold asks.
func (u *Updater) Enough(mask operand) operand {
	return u.AtLeast(u.Unary(u.Uni(), machine.OpPopc, mask), imm(uint64(u.Implementation.T(int(u.Lanes)))))
}
