package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/internal/splitmix"
)

// The table of hot rows: in shared memory the tags of a block come first, then the sums of each
// warp, a row for each slot.

// firstSum is the place of the sums, behind the tags.
func (u *rowUpdater) firstSum() uint64 { return (u.slots + 3) / 4 * u.together }

func (u *rowUpdater) columns() uint64 { return min(u.width, u.piece*u.group) }

func (u *rowUpdater) lanes() uint64 { return u.groups * u.group }

func (u *rowUpdater) openRows() {
	thread, threads, words := u.Tid(), imm(u.warps*u.lanes()), u.slots*u.columns()
	u.Each(thread, imm(u.slots), threads, func(k operand) {
		u.StoreShared(false, k, u.Load(bufScratch, k))
	})
	u.Each(thread, imm(words*u.warps), threads, func(k operand) {
		u.StoreShared(u.wide, u.Add(k, imm(u.firstSum())), imm(u.none))
	})
	u.Barrier()
	u.sums = u.Add(u.Mul(machine.WarpID, imm(words)), imm(u.firstSum()))
}

// releaseHot adds the sums of groups whose row has a slot, and returns which of those that are done
// have none. All lanes call it.
func (u *rowUpdater) releaseHot(done operand) (missed operand) {
	slot := hash(u.Builder, u.row, splitmix.Knuth, u.slots)
	tag := u.LoadShared(false, slot)
	hit := u.Both(done, u.Equal(tag, u.row))
	missed = u.Both(done, u.Not(hit))
	u.When(u.Differ(u.Ballot(hit), imm(0)), func() { u.addHits(hit, slot) })
	return missed
}

// addHits adds groups that hit the same slot to each other, and then the first of each slot to the
// warp's sums, until none is left.
func (u *rowUpdater) addHits(hit, slot operand) {
	if u.groups == 1 {
		u.When(hit, func() { u.addHit(slot) })
		return
	}
	mine := u.SelectTo(u.Vec(), hit, slot, imm(noRow))
	for distance := u.group; distance < u.lanes(); distance *= 2 {
		u.Scoped(func() { u.join(mine, distance) })
	}
	u.Loop(func() {
		left := u.Differ(mine, imm(noRow))
		u.LeaveUnless(u.Differ(u.Ballot(left), imm(0)))
		same := u.Unary(u.Vec(), machine.OpFfs, u.match(mine))
		groupBits := imm(uint64(bits.TrailingZeros64(u.group)))
		first := u.Both(left, u.Equal(u.Shr(same, groupBits), u.Shr(u.laneID, groupBits)))
		u.When(first, func() { u.addHit(mine) })
		u.SelectTo(mine, first, imm(noRow), mine)
	})
}

func (u *rowUpdater) match(key operand) operand { return u.Unary(u.Vec(), machine.OpMatch, key) }

// join lets the lower of two groups at that distance take over the sum of the other where both want
// the same slot.
func (u *rowUpdater) join(mine operand, distance uint64) {
	from, upper := u.Xor(u.laneID, imm(distance)), u.And(u.laneID, imm(distance))
	theirs := u.SelectTo(u.Vec(), u.Equal(u.Shuffle(mine, from), mine), mine, imm(noRow))
	same := u.Differ(theirs, imm(noRow))
	other := u.Piece(len(u.sum))
	for e, sum := range u.sum {
		u.To(other[e], machine.OpShuffle, sum, from)
	}
	u.When(u.Both(same, u.Equal(upper, imm(0))), func() {
		for e, sum := range u.sum {
			u.To(sum, machine.OpAddT, sum, other[e])
		}
	})
	u.SelectTo(mine, u.Both(same, u.Differ(upper, imm(0))), imm(noRow), mine)
}

// addHit adds the lane's piece to the warp's sums of a slot, which no other lane changes meanwhile.
func (u *rowUpdater) addHit(slot operand) {
	u.When(u.has, func() {
		at := u.Add(u.Add(u.Mul(slot, imm(u.columns())), u.column), u.sums)
		for e := uint64(0); e < u.piece; e += u.together {
			u.Scoped(func() { u.addSums(u.sum[e:min(u.piece, e+u.together)], u.Add(at, imm(e))) })
		}
	})
}

// addSums adds to neighbouring sums in shared memory: 16 bytes by one instruction, else one by one.
func (u *rowUpdater) addSums(sum []operand, at operand) {
	before := u.Piece(len(sum))
	if uint64(len(sum)) == u.together {
		u.LoadSharedPiece(u.wide, before, at)
		for e := range sum {
			u.To(before[e], machine.OpAddT, before[e], sum[e])
		}
		u.StoreSharedPiece(u.wide, at, before)
		return
	}
	for e := range sum {
		word := u.Add(at, imm(uint64(e)))
		u.StoreShared(u.wide, word, u.AddT(u.LoadShared(u.wide, word), sum[e]))
	}
}

func (u *rowUpdater) closeRows() {
	u.Barrier()
	columns, words := u.columns(), u.slots*u.columns()
	pieces := columns / u.piece
	u.Each(u.Tid(), imm(u.slots*pieces), imm(u.warps*u.lanes()), func(k operand) {
		slot := Quotient(u.Builder, k, pieces)
		column := u.Mul(u.Sub(k, u.Mul(slot, imm(pieces))), imm(u.piece))
		tag := u.LoadShared(false, slot)
		u.When(u.Differ(tag, imm(noRow)), func() {
			at := u.Add(u.Add(u.Mul(slot, imm(columns)), column), imm(u.firstSum()))
			u.empty()
			for warp := range u.warps {
				u.Scoped(func() {
					for e, sum := range u.sum {
						word := u.LoadShared(u.wide, u.Add(at, imm(warp*words+uint64(e))))
						u.To(sum, machine.OpAddT, sum, word)
					}
				})
			}
			any := u.Spread(imm(0))
			for _, e := range u.sum {
				u.To(any, machine.OpOr, any, u.Xor(e, imm(u.none)))
			}
			u.When(u.Differ(any, imm(0)), func() {
				u.addTargets(u.Add(u.Add(u.Mul(tag, imm(u.width)), u.first), column))
			})
		})
	})
}
