package hwsim

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// scanAndReduce is `sr`: one add per run of equal neighbours, from its first
// lane; warps in which no run reaches the threshold add naively.
func (u *updater) scanAndReduce(index, value operand) {
	u.active = u.ballot(u.inside)
	before := u.shuffle(index, u.left)
	joins := u.both(u.equal(index, before), u.notFirst)
	joined := u.ballot(joins)
	u.when(u.hasRun(joined), func() {
		u.sumRuns(joined, value)
		u.when(u.not(joins), func() { u.addOne(index, value) }, nil)
	}, func() { u.addOne(index, value) })
}

// hasRun tests whether some run reaches the threshold: one lane more than stand
// side by side among those that join their left neighbour.
func (u *updater) hasRun(joined operand) operand {
	for range u.v.T(int(u.lanes)) - variant.MinThreshold {
		joined = u.and(joined, u.shl(joined, imm(1)))
	}
	return u.differ(joined, imm(0))
}

// sumRuns adds each run up in its first lane: value gets the sum, of ones the
// length of the run.
func (u *updater) sumRuns(joined, value operand) {
	ends := u.andNot(u.xor(joined, imm(^uint64(0)>>(64-u.lanes))), u.upTo)
	end := u.unary(u.vec(), opFfs, ends)
	if u.counted() {
		u.unary(value, opNumT, u.sub(end, u.laneID))
		return
	}
	longer := u.uni()
	u.mov(longer, joined)
	u.sumAcross(value, end, longer, 1)
}

// sumAcross adds to each lane the one at a distance in its own run, then at twice
// the distance while longer is not 0: it holds a bit exactly where a run exceeds
// the distance. [egielski14] Algorithm 1, mended: the printed form compares
// indices only, and so joins equal indices of different runs.
func (u *updater) sumAcross(value, end, longer operand, distance uint64) {
	from := u.add(u.laneID, imm(distance))
	sum := u.addT(value, u.shuffle(value, from))
	u.selectTo(value, u.less(from, end), sum, value)
	u.to(longer, opAnd, longer, u.shl(longer, imm(distance)))
	if 2*distance < u.lanes {
		u.when(u.differ(longer, imm(0)), func() { u.sumAcross(value, end, longer, 2*distance) }, nil)
	}
}

// counted reports whether the lanes of a group add the constant 1, so that
// counting them gives their sum.
func (u *updater) counted() bool { return u.call.Operand == device.One && u.call.Op == device.Add }

// ballotAndReduce is `peers`.
func (u *updater) ballotAndReduce(index, value operand) {
	u.active = u.ballot(u.inside)
	u.reducePeers(index, value, u.claimPeers(index))
}

// matchAndReduce is `match`, whose instruction finds the groups at once.
func (u *updater) matchAndReduce(index, value operand) {
	u.reducePeers(index, value, u.unary(u.vec(), opMatch, index))
}

// claimPeers is get_peers of [westphal15]: the key of the first unclaimed lane
// is distributed, the lanes that share it are found by ballot and leave.
func (u *updater) claimPeers(index operand) operand {
	peers := u.vec()
	unclaimed := u.uni()
	u.mov(unclaimed, u.active)
	u.loop(func() {
		first := u.unary(u.uni(), opFfs, unclaimed)
		mine := u.equal(index, u.shuffle(index, first))
		claimed := u.ballot(mine)
		u.mov(peers, claimed)
		u.to(unclaimed, opXor, unclaimed, claimed)
		u.leaveUnless(u.not(mine))
	})
	return peers
}

// reducePeers is reduce_peers of [westphal15]: interleaved trees, one per
// group of peers; then the lowest lane of each group adds. Of ones, the lanes of
// each group are counted.
func (u *updater) reducePeers(index, value, peers operand) {
	lower := u.and(peers, u.below)
	if u.counted() {
		u.unary(value, opNumT, u.unary(u.vec(), opPopc, peers))
	} else {
		u.scoped(func() { u.sumPeers(value, peers, lower) })
	}
	u.when(u.equal(lower, imm(0)), func() { u.addOne(index, value) }, nil)
}

// sumPeers adds up each group of peers in its lowest lane; lower are the peers
// below the lane itself.
func (u *updater) sumPeers(value, peers, lower operand) {
	position := u.unary(u.vec(), opPopc, lower)
	rest := u.andNot(peers, u.upTo)
	u.loop(func() {
		more := u.differ(rest, imm(0))
		u.leaveUnless(u.differ(u.ballot(more), imm(0)))
		next := u.unary(u.vec(), opFfs, rest)
		other := u.shuffle(value, next)
		u.selectTo(value, more, u.addT(value, other), value)
		done := u.ballot(u.differ(u.and(position, imm(1)), imm(0)))
		u.to(rest, opAndNot, rest, done)
		u.to(position, opShr, position, imm(1))
	})
}
