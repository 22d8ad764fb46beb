package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// reduction is the part that says what a warp does before it adds.
type reduction struct {
	masks  func(*Updater)                          // prepares masks of lanes
	draw   func(u *Updater, group, groups operand) // opens its random sequence
	reduce func(u *Updater, index, value operand)  // reduces the warp's updates and adds

	runs bool // of neighbours, which a re-layout keeps together
	// Long: an iteration has many instructions.
	Long bool
}

func reductionOf(r impl.Reduction) reduction {
	switch r {
	case impl.SR:
		return reduction{masks: (*Updater).runMasks, reduce: (*Updater).scanAndReduce, runs: true}
	case impl.VR:
		return reduction{masks: (*Updater).laneMasks, draw: (*Updater).openSequence,
			reduce: (*Updater).voteAndReduce}
	case impl.Peers:
		return reduction{masks: (*Updater).peerMasks, reduce: (*Updater).findAndReduce,
			Long: true}
	case impl.Match:
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
	for range u.Implementation.T(int(u.Lanes)) - impl.MinThreshold {
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

// counted reports whether counting the lanes of a group gives their sum.
func (u *Updater) counted() bool { return u.call.Operand == device.One && u.call.Op == device.Add }

func (u *Updater) findAndReduce(index, value operand) {
	if u.Implementation.Masks == impl.Hash {
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

// sumPeers adds up each group of peers in its lowest lane.
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

// peerMasks finds, with masks=hash, where the warp's places begin besides.
func (u *Updater) peerMasks() {
	u.laneMasks()
	if u.Implementation.Masks == impl.Hash {
		u.placesAt = u.Mul(machine.WarpID, imm(2*impl.MaskPlaces))
	}
}

// hashPeers returns the mask of each lane's peers, found by a hash in shared memory, which
// [westphal15] names and does not print. Each lane writes its key to the place of its hash. The
// lanes that read their own key there add their bits, by an atomic operation, to a mask beside it,
// which is that of their peers; the others try again. A warp thus takes as many iterations as different
// keys meet on one place. The warp's masks lie behind its keys.
func (u *Updater) hashPeers(key operand) operand {
	low := u.And(u.Mul(key, imm(splitmix.Knuth)), imm(1<<32-1))
	place := u.Add(u.Shr(low, imm(uint64(33-bits.Len(impl.MaskPlaces)))), u.placesAt)
	mask, peers := u.Add(place, imm(impl.MaskPlaces)), u.Vec()
	u.Loop(func() {
		u.StoreShared(false, place, key)
		other := u.Differ(u.LoadShared(false, place), key)
		u.When(u.Not(other), func() {
			u.StoreShared(false, mask, imm(0))
			u.FetchShared(mask, u.own)
			u.Mov(peers, u.LoadShared(false, mask))
		})
		u.LeaveUnless(other)
	})
	return peers
}

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

// prefixes returns the partial results over a lane's lower peers, and with its own value.
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

// runPeers returns each lane's run of equal neighbours; joined lanes continue that to their left.
func (u *Updater) runPeers(joined operand) operand {
	head := u.Unary(u.Vec(), machine.OpFls, u.AndNot(u.upTo, joined))
	return u.Sub(u.Shl(imm(1), u.runEnd(joined)), u.Shl(imm(1), head))
}
