package hwsim

import "github.com/atomtune/atomtune/variant"

// segments finds the heads of the runs of equal neighbours among the active
// lanes, which are the lowest ones; upTo masks the lanes up to this one. It returns the mask of heads and, per
// lane, the lane at which its run begins.
func (b *builder) segments(laneID, upTo, key operand) (heads, start operand) {
	before := b.shuffle(key, b.sub(laneID, imm(1)))
	heads = b.calc(opOr, b.ballot(b.test(opNe, key, before)), imm(1))
	start = b.to(b.vec(), opFls, b.and(upTo, heads), operand{})
	return heads, start
}

// segmentedScan adds up each run in distances 1, 2, 4 and so on, a lane never
// reaching beyond the head of its own run, and stops when no run is longer.
// [egielski14] Algorithm 1, mended: the printed form compares indices only,
// and so joins equal indices of different runs.
func (b *builder) segmentedScan(laneID, start, value operand, lanes, distance uint64) {
	if distance >= lanes {
		return
	}
	inRun := b.test(opGeq, laneID, b.add(start, imm(distance)))
	any := b.test(opNe, b.ballot(inRun), imm(0))
	b.when(any, func() {
		other := b.shuffle(value, b.sub(laneID, imm(distance)))
		b.selectTo(value, inRun, b.calc(opAddT, value, other), value)
		b.segmentedScan(laneID, start, value, lanes, 2*distance)
	}, nil)
}

// tails returns the mask of the lanes that end a run.
func (b *builder) tails(heads, active operand) operand {
	last := b.calc(opAndNot, active, b.shr(active, imm(1)))
	return b.calc(opOr, b.shr(heads, imm(1)), last)
}

// member tests whether this lane is in a mask.
func (b *builder) member(laneID, mask operand) operand {
	return b.test(opNe, b.and(b.to(b.vec(), opShr, mask, laneID), imm(1)), imm(0))
}

// scanAndReduce is `sr`: one add per run of equal neighbours; warps without
// equal neighbours add naively.
func (u *updater) scanAndReduce(index, value operand) {
	heads, start := u.segments(u.laneID, u.upTo, index)
	followers := u.to(u.uni(), opPopc, u.calc(opAndNot, u.active, heads), operand{})
	u.when(u.test(opGeq, followers, imm(variant.SegmentThreshold-1)), func() {
		u.segmentedScan(u.laneID, start, value, u.lanes, 1)
		u.when(u.member(u.laneID, u.tails(heads, u.active)), func() { u.addOne(index, value) }, nil)
	}, func() { u.addOne(index, value) })
}

// The random sequence of `vr`: a linear congruential generator modulo 2^32
// with full period, from which the higher bits are taken.
const (
	sequenceFactor = 1664525
	sequenceStep   = 1013904223
)

// voteAndReduce is `vr`, [egielski14] Algorithm 2: the index of a sampled lane
// is put to the vote; from the threshold on, its lanes are reduced and one
// lane adds their sum, the others add for themselves.
func (u *updater) voteAndReduce(index, value operand) {
	u.to(u.state, opMul, u.state, imm(sequenceFactor))
	u.inc(u.state, imm(sequenceStep))
	u.to(u.state, opAnd, u.state, imm(1<<32-1))
	count := u.to(u.uni(), opPopc, u.active, operand{})
	sampled := u.shr(u.mul(u.shr(u.state, imm(16)), count), imm(16))
	sample := u.shuffle(index, sampled)
	same := u.test(opEq, index, sample)
	votes := u.to(u.uni(), opPopc, u.ballot(same), operand{})
	threshold := uint64(variant.VoteThreshold(int(u.lanes)))
	u.when(u.test(opGeq, votes, imm(threshold)), func() {
		total := u.vec()
		u.selectTo(total, same, value, imm(0))
		for d := u.lanes / 2; d >= 1; d /= 2 {
			u.scoped(func() {
				from := u.add(u.laneID, imm(d))
				other := u.shuffle(total, from)
				u.selectTo(total, u.test(opLess, from, count), u.calc(opAddT, total, other), total)
			})
		}
		u.when(u.test(opEq, u.laneID, imm(0)), func() { u.addOne(sample, total) }, nil)
		u.when(u.not(same), func() { u.addOne(index, value) }, nil)
	}, func() { u.addOne(index, value) })
}

// claimPeers is get_peers of [westphal15]: the key of the first unclaimed lane
// is distributed, the lanes that share it are found by ballot and leave.
func (u *updater) claimPeers(index operand) operand {
	peers := u.vec()
	unclaimed := u.uni()
	u.mov(unclaimed, u.active)
	u.loop(func() {
		first := u.to(u.uni(), opFfs, unclaimed, operand{})
		mine := u.test(opEq, index, u.shuffle(index, first))
		claimed := u.ballot(mine)
		u.mov(peers, claimed)
		u.to(unclaimed, opXor, unclaimed, claimed)
		u.leaveUnless(u.not(mine))
	})
	return peers
}

// reducePeers is reduce_peers of [westphal15]: interleaved trees, one per
// group of peers; then the lowest lane of each group adds.
func (u *updater) reducePeers(index, value, peers operand) {
	first := u.to(u.vec(), opFfs, peers, operand{})
	position := u.to(u.vec(), opPopc, u.and(peers, u.below), operand{})
	rest := u.calc(opAndNot, peers, u.upTo)
	u.loop(func() {
		more := u.test(opNe, rest, imm(0))
		u.leaveUnless(u.test(opNe, u.ballot(more), imm(0)))
		next := u.to(u.vec(), opFfs, rest, operand{})
		other := u.shuffle(value, next)
		u.selectTo(value, more, u.calc(opAddT, value, other), value)
		done := u.ballot(u.test(opNe, u.and(position, imm(1)), imm(0)))
		u.to(rest, opAndNot, rest, done)
		u.to(position, opShr, position, imm(1))
	})
	u.when(u.test(opEq, u.laneID, first), func() { u.addOne(index, value) }, nil)
}
