package hwsim

import "math/bits"

// The random sequence of `vr`, [egielski14] section 3.1: element p is
// p·sequenceStep modulo 2^32, of which the highest bits number a lane. The step
// is odd, so all 2^32 elements differ before the first comes again. Group g of a
// launch, the warp's turn that handles updates g·lanes and on, draws the element
// at the seed position + g, or with m samples the m elements from the seed
// position + m·g on. The article keeps its sequence in memory; as the CUDA header
// does, elements are computed in registers, with two instructions each in place
// of a load.
const (
	sequenceStep = 2654435769
	// sequenceUnit is the step in the upper half of a register of 64 bits, which
	// then wraps by itself.
	sequenceUnit = sequenceStep << 32
)

// sampledLane is SampledLane of package hwsim.
func sampledLane(seed, warp uint64, samples, lanes int) int {
	element := (seed + warp*uint64(samples)) * sequenceUnit
	return int(element >> (64 - bits.Len(uint(lanes-1))))
}

// openSequence sets the warp's place in the sequence: the number of its first
// group, and how far its next one lies ahead.
func (u *updater) openSequence(group, groups operand) {
	unit := imm(uint64(u.v.M()) * sequenceUnit)
	u.state = u.add(u.mul(u.arg(argSeed), imm(sequenceUnit)), u.mul(group, unit))
	u.advance = u.mul(groups, unit)
}

// drawLane picks a lane of a mask by an element of the sequence: the lane that
// its highest bits number or, if that is not in the mask, the next one above it,
// cyclically.
func (u *updater) drawLane(mask, element operand) operand {
	start := u.shr(element, imm(uint64(64-bits.Len64(u.lanes-1))))
	next := u.unary(u.uni(), opFfs, u.rotate(mask, start))
	return u.and(u.add(start, next), imm(u.lanes-1))
}

// rotate moves lane `by` of a mask to lane 0; above the lanes, others may stand
// again.
func (u *updater) rotate(mask, by operand) operand {
	if 2*u.lanes <= 64 {
		return u.shr(u.or(mask, u.shl(mask, imm(u.lanes))), by)
	}
	return u.or(u.shr(mask, by), u.shl(mask, u.sub(imm(u.lanes), by)))
}

// voteAndReduce is `vr`, [egielski14] Algorithm 2: the index of a sampled lane
// is put to the vote, and from the threshold on its lanes are reduced to one
// add, beside the adds of the others. With several samples, each further index
// is drawn among the lanes whose index was not yet voted on, and the groups that
// reach the threshold are reduced at the same time.
func (u *updater) voteAndReduce(index, value operand) {
	u.active = u.ballot(u.inside)
	element := u.uni()
	u.mov(element, u.state)
	u.inc(u.state, u.advance)
	if u.v.M() == 1 {
		same, voters := u.vote(index, u.active, element)
		u.when(u.enough(voters), func() {
			peers := u.vec()
			u.selectTo(peers, same, voters, u.own)
			u.reducePeers(index, value, peers)
		}, func() { u.addOne(index, value) })
		return
	}
	peers, rest, reduced := u.vec(), u.uni(), u.uni()
	u.mov(peers, u.own)
	u.mov(rest, u.active)
	u.mov(reduced, imm(0))
	u.sampleAgain(index, element, peers, rest, reduced, u.v.M())
	u.when(u.differ(reduced, imm(0)), func() { u.reducePeers(index, value, peers) },
		func() { u.addOne(index, value) })
}

// sampleAgain votes on further samples, as long as enough lanes are left. peers
// gets the lanes that are reduced together, reduced all of them.
func (u *updater) sampleAgain(index, element, peers, rest, reduced operand, samples int) {
	same, voters := u.vote(index, rest, element)
	u.when(u.enough(voters), func() {
		u.selectTo(peers, same, voters, peers)
		u.to(reduced, opOr, reduced, voters)
	}, nil)
	if samples == 1 {
		return
	}
	u.to(rest, opAndNot, rest, voters)
	u.inc(element, imm(sequenceUnit))
	u.when(u.enough(rest), func() {
		u.sampleAgain(index, element, peers, rest, reduced, samples-1)
	}, nil)
}

// vote finds the active lanes that share the index of a lane drawn from mask.
func (u *updater) vote(index, mask, element operand) (same, voters operand) {
	same = u.equal(index, u.shuffle(index, u.drawLane(mask, element)))
	return same, u.ballot(same)
}

// enough tests whether a mask holds as many lanes as the threshold asks.
func (u *updater) enough(mask operand) operand {
	return u.atLeast(u.unary(u.uni(), opPopc, mask), imm(uint64(u.v.T(int(u.lanes)))))
}
