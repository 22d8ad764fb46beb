package apps

import (
	"fmt"
	"math/bits"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/variant"
)

// PeerSlots is how many places a warp has to find its peers by a hash: twice its lanes.
const PeerSlots = 64

// RunHashedPeers simulates one call of `peers` that finds its masks by a hash in shared memory,
// which [westphal15] names and does not print. Each lane writes its key to the place of its hash.
// The lanes that read their own key there add their bits, by an atomic operation, to a mask beside
// it, which is that of their peers; the others try again. A warp thus takes as many turns as
// different keys meet on one place. The final array is checked as by Run; cfg.Variant must be the
// zero Variant. Errors are those of Run.
func RunHashedPeers(cfg hwsim.Config, indices []uint32, bins uint64) (hwsim.Result, error) {
	s, err := hashedPeersSession(cfg, indices, bins)
	if err != nil {
		return hwsim.Result{}, err
	}
	const threads = 256
	shared := uint64(threads) / s.lanes * 2 * PeerSlots * 4
	s.Err = s.Begin()
	blocks := s.blocksFor(s.Updates, threads, shared)
	s.runBlocks(hashedPeersKernel(s.Call, int(s.lanes)), blocks, threads, shared, s.Updates, s.Bins,
		s.Seed)
	return s.added(cfg, indices)
}

// hashedPeersSession checks a call and lays out its memory.
func hashedPeersSession(cfg hwsim.Config, indices []uint32, bins uint64) (*appSession, error) {
	d, peers := cfg.Device, variant.Variant{Reduction: variant.Peers}
	if err := kernel.Check(d, cfg.Call, peers, indices, bins); err != nil {
		return nil, err
	}
	switch {
	case cfg.Variant != variant.Variant{}:
		return nil, fmt.Errorf("%w: peers by a hash are no form of %s", hwsim.ErrStream, cfg.Variant)
	case cfg.Call.Returns:
		return nil, fmt.Errorf("%w: peers by a hash return no old values", device.ErrCannot)
	case d.SharedAtomic(device.U32).Mechanism == device.Absent:
		return nil, fmt.Errorf("%w: peers by a hash on %s: no shared-memory atomic for u32",
			device.ErrCannot, d.Name)
	case d.Core.WarpLanes.Value > 32:
		return nil, fmt.Errorf("%w: peers by a hash on %s: a mask of 32 bits", device.ErrCannot, d.Name)
	}
	return newStreamSession(cfg, peers, indices, bins), nil
}

// hashedPeersKernel is the loop of `peers` over the stream.
func hashedPeersKernel(call device.Call, lanes int) *machine.Program {
	u := kernel.NewUpdater("peers.hash", kernel.UpdateArgs, variant.Variant{Reduction: variant.Peers},
		call, lanes)
	u.Masks()
	keysAt := u.Mul(machine.WarpID, imm(2*PeerSlots))
	warp, warps := u.GridWarps()
	stride := u.Mul(warps, imm(u.Lanes))
	u.At = u.Add(u.Mul(warp, imm(u.Lanes)), u.LaneID)
	u.Loop(func() {
		u.LeaveUnless(u.Less(u.At, u.Arg(kernel.ArgUpdates)))
		index, value := u.Load(kernel.BufIndex, u.At), u.OperandValue(u.At)
		u.ReducePeers(index, value, hashPeers(u, keysAt, index))
		u.Inc(u.At, stride)
	})
	return u.Done()
}

// hashPeers returns the mask of each lane's peers. The warp's keys begin at a word of shared
// memory, and its masks behind them.
func hashPeers(u *kernel.Updater, keysAt, key operand) operand {
	low := u.And(u.Mul(key, imm(hashFactor)), imm(1<<32-1))
	slot := u.Add(u.Shr(low, imm(uint64(33-bits.Len(PeerSlots)))), keysAt)
	mask, own := u.Add(slot, imm(PeerSlots)), u.Shl(imm(1), u.LaneID)
	peers := u.Vec()
	u.Loop(func() {
		u.StoreShared(false, slot, key)
		other := u.Differ(u.LoadShared(false, slot), key)
		u.When(u.Not(other), func() {
			u.StoreShared(false, mask, imm(0))
			u.FetchShared(mask, own)
			u.Mov(peers, u.LoadShared(false, mask))
		})
		u.LeaveUnless(other)
	})
	return peers
}
