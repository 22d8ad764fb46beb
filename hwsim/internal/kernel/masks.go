package kernel

import (
	"math/bits"

	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/variant"
)

// peerMasks finds, with masks=hash, where the warp's places begin besides.
func (u *Updater) peerMasks() {
	u.laneMasks()
	if u.Variant.Masks == variant.Hash {
		u.placesAt = u.Mul(machine.WarpID, imm(2*variant.MaskPlaces))
	}
}

// hashPeers returns the mask of each lane's peers, found by a hash in shared memory, which
// [westphal15] names and does not print. Each lane writes its key to the place of its hash. The
// lanes that read their own key there add their bits, by an atomic operation, to a mask beside it,
// which is that of their peers; the others try again. A warp thus takes as many turns as different
// keys meet on one place. The warp's masks lie behind its keys.
func (u *Updater) hashPeers(key operand) operand {
	low := u.And(u.Mul(key, imm(splitmix.Knuth)), imm(1<<32-1))
	place := u.Add(u.Shr(low, imm(uint64(33-bits.Len(variant.MaskPlaces)))), u.placesAt)
	mask, peers := u.Add(place, imm(variant.MaskPlaces)), u.Vec()
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
