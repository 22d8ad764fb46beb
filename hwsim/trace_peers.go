package hwsim

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// PeersClaim is one turn of get_peers of [westphal15].
type PeersClaim struct {
	Leader    int    // the first unclaimed lane, whose key is distributed
	Claimed   uint64 // the lanes that share it
	Unclaimed uint64 // the lanes that are left
}

// PeersStep is one iteration of reduce_peers of [westphal15], each slice with
// one element per lane.
type PeersStep struct {
	Next  []uint64 // the lane whose value is added, or the number of lanes: none
	Value []uint64 // bit patterns after the addition
	Done  uint64   // the lanes that are reduced away
	Rest  []uint64 // the peers that are left to add
}

// PeersTrace is what one warp does in peers, step by step.
type PeersTrace struct {
	Claims   []PeersClaim
	Peers    []uint64 // per lane: the lanes with its key
	Position []uint64 // per lane: how many of them stand before it
	Steps    []PeersStep
	Final    []uint64 // bit patterns of the targets
	// ClaimCycles and ReduceCycles are those of the two loops, of a warp alone.
	ClaimCycles, ReduceCycles int64
}

// peersProgram is a program of one warp with the places of its parts.
type peersProgram struct {
	*program
	value, peers       operand
	claim, reduce, end int32 // where the loops begin, and what follows them
}

// TracePeers runs `peers` of a call on the indices of one warp, at most one for
// each lane, and returns what happens in it. Errors are those of Run.
func TracePeers(cfg Config, indices []uint32, bins uint64) (PeersTrace, error) {
	cfg.Variant = variant.Variant{Reduction: variant.Peers}
	if err := check(cfg.Device, cfg.Call, cfg.Variant, indices, bins); err != nil {
		return PeersTrace{}, err
	}
	if cfg.Call.Operand == device.One {
		return PeersTrace{}, fmt.Errorf("%w: lanes that add the constant 1 are counted, there is no tree to follow", ErrStream)
	}
	if lanes := int(cfg.Device.Core.WarpLanes.Value); len(indices) > lanes {
		return PeersTrace{}, fmt.Errorf("%w: %d updates in a warp of %d lanes", ErrStream, len(indices), lanes)
	}
	s := newSession(cfg.Device, cfg.Call, cfg.Variant, cfg.Seed)
	s.place(indices, bins)
	s.setValues(nil)
	if err := s.clear(bufTarget); err != nil {
		return PeersTrace{}, err
	}
	p := tracedPeers(cfg, s.machine.lanes)
	t := &peersWatcher{p: p, lanes: s.machine.lanes}
	if err := s.machine.launchWatched(kernel{prog: p.program, blocks: 1, threads: s.machine.lanes, blocksPerSM: 1, args: []uint64{s.updates, s.bins, 0}}, t.see); err != nil {
		return PeersTrace{}, err
	}
	t.Final = s.output(bufTarget)
	t.ClaimCycles, t.ReduceCycles = t.reached[1]-t.reached[0], t.reached[2]-t.reached[1]
	if !correct(cfg.Call, cfg.Seed, indices, bins, t.Final) {
		return PeersTrace{}, fmt.Errorf("%w: peers: wrong final array", ErrSimulation)
	}
	return t.PeersTrace, nil
}

// tracedPeers is the body of the update kernel, once.
func tracedPeers(cfg Config, lanes int) *peersProgram {
	u := newUpdater("peers of one warp", updateArgs, cfg.Variant, cfg.Call, lanes)
	p := &peersProgram{}
	u.masks()
	u.inside = u.less(u.laneID, u.arg(argUpdates))
	u.when(u.inside, func() {
		u.active = u.ballot(u.inside)
		u.at = u.laneID
		index := u.load(bufIndex, u.at)
		p.value = u.operandValue(u.at)
		u.mov(index, index) // waits for the load
		u.mov(p.value, p.value)
		p.claim = u.place()
		p.peers = u.claimPeers(index)
		p.reduce = u.place()
		u.reducePeers(index, p.value, p.peers)
	}, nil)
	p.program = u.done()
	p.end = p.reduce
	for p.code[p.end].op != opEndLoop {
		p.end++
	}
	return p
}

// peersWatcher fills the trace from what the instructions leave in registers.
type peersWatcher struct {
	PeersTrace
	p       *peersProgram
	lanes   int
	reached [3]int64 // cycles: first instructions of the loops, and of what follows
	passed  [3]bool
	ballot  uint64
}

func (t *peersWatcher) see(w *warp, done issued) {
	at := done.at
	for i, place := range [3]int32{t.p.claim, t.p.reduce, t.p.end} {
		if at >= place && !t.passed[i] {
			t.reached[i], t.passed[i] = done.now, true
		}
	}
	in := &t.p.code[at]
	switch {
	case at >= t.p.claim && at < t.p.reduce:
		t.claimed(w, in)
	case at >= t.p.reduce && at < t.p.end:
		t.reduced(w, in)
	}
}

func (t *peersWatcher) claimed(w *warp, in *instruction) {
	switch in.op {
	case opFfs:
		t.Claims = append(t.Claims, PeersClaim{Leader: int(w.scalars[in.dst.reg])})
	case opBallot:
		t.Claims[len(t.Claims)-1].Claimed = w.scalars[in.dst.reg]
	case opXor:
		t.Claims[len(t.Claims)-1].Unclaimed = w.scalars[in.dst.reg]
	}
}

func (t *peersWatcher) reduced(w *warp, in *instruction) {
	lanes := func(o operand) []uint64 { return slices.Clone(w.vec(o, t.lanes, nil)) }
	switch {
	case in.op == opPopc:
		t.Peers, t.Position = lanes(t.p.peers), lanes(in.dst)
	case in.op == opFfs:
		t.Steps = append(t.Steps, PeersStep{Next: lanes(in.dst)})
	case in.op == opSel:
		t.Steps[len(t.Steps)-1].Value = lanes(in.dst)
	case in.op == opBallot:
		t.ballot = w.scalars[in.dst.reg]
	case in.op == opAndNot && len(t.Steps) > 0:
		step := &t.Steps[len(t.Steps)-1]
		step.Done, step.Rest = t.ballot, lanes(in.dst)
	}
}
