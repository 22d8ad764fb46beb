package kernel

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// reduction is the part that says what a warp does before it adds.
type reduction struct {
	masks  func(*Updater)                          // prepares masks of lanes
	draw   func(u *Updater, group, groups operand) // opens its random sequence
	reduce func(u *Updater, index, value operand)  // reduces the warp's updates and adds

	runs bool // of neighbours, which a re-layout keeps together
	// Long: a turn has many instructions.
	Long bool
}

func reductionOf(r variant.Reduction) reduction {
	switch r {
	case variant.SR:
		return reduction{masks: (*Updater).runMasks, reduce: (*Updater).scanAndReduce, runs: true}
	case variant.VR:
		return reduction{masks: (*Updater).laneMasks, draw: (*Updater).openSequence,
			reduce: (*Updater).voteAndReduce}
	case variant.Peers:
		return reduction{masks: (*Updater).peerMasks, reduce: (*Updater).findAndReduce,
			Long: true}
	case variant.Match:
		return reduction{masks: (*Updater).laneMasks, reduce: (*Updater).matchAndReduce, Long: true}
	}
	return reduction{masks: func(*Updater) {}, reduce: (*Updater).addOne}
}

// scanAndReduce is `sr`: one add per run of equal neighbours, from its first
// lane; warps in which no run reaches the threshold add naively.
func (u *Updater) scanAndReduce(index, value operand) {
	u.Active = u.Ballot(u.Inside)
	before := u.Shuffle(index, u.Left)
	joins := u.Both(u.Equal(index, before), u.NotFirst)
	joined := u.Ballot(joins)
	u.WhenElse(u.hasRun(joined), func() {
		if u.call.Returns {
			u.fetchGroups(index, value, u.runPeers(joined))
			return
		}
		end := u.sumRuns(joined, value)
		u.When(u.Not(joins), func() { u.addRun(index, value, end) })
	}, func() { u.addOne(index, value) })
}

// hasRun tests whether some run reaches the threshold: one lane more than stand
// side by side among those that join their left neighbour.
func (u *Updater) hasRun(joined operand) operand {
	for range u.Variant.T(int(u.Lanes)) - variant.MinThreshold {
		joined = u.And(joined, u.Shl(joined, imm(1)))
	}
	return u.Differ(joined, imm(0))
}

// sumRuns adds each run up in its first lane: value gets the sum, of ones the length of the run. It
// returns the lane after the last of each lane's run.
func (u *Updater) sumRuns(joined, value operand) (end operand) {
	end = u.runEnd(joined)
	if u.counted() {
		u.Unary(value, machine.OpNumT, u.Sub(end, u.LaneID))
		return end
	}
	longer := u.Uniform(joined)
	u.sumAcross(value, end, longer, 1)
	return end
}

// runEnd is the lane after the last of each lane's run.
func (u *Updater) runEnd(joined operand) operand {
	ends := u.AndNot(u.Xor(joined, imm(^uint64(0)>>(64-u.Lanes))), u.upTo)
	return u.Unary(u.Vec(), machine.OpFfs, ends)
}

// sumAcross adds to each lane the one at a distance in its own run, then at twice
// the distance while longer is not 0: it holds a bit exactly where a run exceeds
// the distance. [egielski14] Algorithm 1, mended: the printed form compares
// indices only, and so joins equal indices of different runs.
func (u *Updater) sumAcross(value, end, longer operand, distance uint64) {
	from := u.Add(u.LaneID, imm(distance))
	sum := u.AddT(value, u.Shuffle(value, from))
	u.SelectTo(value, u.Less(from, end), sum, value)
	u.To(longer, machine.OpAnd, longer, u.Shl(longer, imm(distance)))
	if 2*distance < u.Lanes {
		u.When(u.Differ(longer, imm(0)), func() { u.sumAcross(value, end, longer, 2*distance) })
	}
}

// counted reports whether the lanes of a group add the constant 1, so that
// counting them gives their sum.
func (u *Updater) counted() bool { return u.call.Operand == device.One && u.call.Op == device.Add }

// findAndReduce is `peers`.
func (u *Updater) findAndReduce(index, value operand) {
	if u.Variant.Masks == variant.Hash {
		u.ReducePeers(index, value, u.hashPeers(index))
		return
	}
	u.Active = u.Ballot(u.Inside)
	u.ReducePeers(index, value, u.FindPeers(index))
}

// matchAndReduce is `match`, whose instruction finds the groups at once.
func (u *Updater) matchAndReduce(index, value operand) {
	u.ReducePeers(index, value, u.Unary(u.Vec(), machine.OpMatch, index))
}

// FindPeers is get_peers of [westphal15]: the key of the first remaining lane
// is distributed, the lanes that share it are found by ballot and leave.
func (u *Updater) FindPeers(index operand) operand {
	peers := u.Vec()
	remaining := u.Uniform(u.Active)
	u.Loop(func() {
		first := u.Unary(u.Uni(), machine.OpFfs, remaining)
		mine := u.Equal(index, u.Shuffle(index, first))
		found := u.Ballot(mine)
		u.Mov(peers, found)
		u.To(remaining, machine.OpXor, remaining, found)
		u.LeaveUnless(u.Not(mine))
	})
	return peers
}

// ReducePeers is reduce_peers of [westphal15]: interleaved trees, one per group of peers; then the
// lowest lane of each group adds. Of ones, the lanes of each group are counted. Old values that
// are asked for take a scan in place of the trees.
func (u *Updater) ReducePeers(index, value, peers operand) {
	if u.call.Returns {
		u.fetchGroups(index, value, peers)
		return
	}
	lower := u.And(peers, u.below)
	if u.counted() {
		u.Unary(value, machine.OpNumT, u.Unary(u.Vec(), machine.OpPopc, peers))
	} else {
		u.Scoped(func() { u.sumPeers(value, peers, lower) })
	}
	u.When(u.Equal(lower, imm(0)), func() { u.addGroup(index, value, peers) })
}

// sumPeers adds up each group of peers in its lowest lane; lower are the peers
// below the lane itself.
func (u *Updater) sumPeers(value, peers, lower operand) {
	position := u.Unary(u.Vec(), machine.OpPopc, lower)
	rest := u.AndNot(peers, u.upTo)
	u.Loop(func() {
		more := u.Differ(rest, imm(0))
		u.LeaveUnless(u.Differ(u.Ballot(more), imm(0)))
		next := u.Unary(u.Vec(), machine.OpFfs, rest)
		other := u.Shuffle(value, next)
		u.SelectTo(value, more, u.AddT(value, other), value)
		done := u.Ballot(u.Differ(u.And(position, imm(1)), imm(0)))
		u.To(rest, machine.OpAndNot, rest, done)
		u.To(position, machine.OpShr, position, imm(1))
	})
}
