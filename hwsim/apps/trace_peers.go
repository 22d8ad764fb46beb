package apps

import (
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/internal/arith"
	"github.com/atomtune/atomtune/hwsim/internal/kernel"
	"github.com/atomtune/atomtune/hwsim/internal/machine"
	"github.com/atomtune/atomtune/impl"
)

// PeersMatch is one iteration of get_peers of [westphal15].
type PeersMatch struct {
	Leader    int    // the first lane that is left, whose key is broadcast
	Matched   uint64 // the lanes that share it
	Remaining uint64 // the lanes that are left
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
	Matches  []PeersMatch
	Peers    []uint64 // per lane: the lanes with its key
	Position []uint64 // per lane: how many of them stand before it
	Steps    []PeersStep
	Final    []uint64 // bit patterns of the targets
	// MatchCycles and ReduceCycles are those of the two loops, of a warp alone.
	MatchCycles, ReduceCycles int64
}

// TracePeers runs `peers` of a call on the indices of one warp, at most one for
// each lane, and returns what happens in it. Errors are those of Run.
func TracePeers(cfg hwsim.Config, indices []uint32, bins uint64) (PeersTrace, error) {
	cfg.Implementation = impl.Spec{Reduction: impl.Peers}
	if err := kernel.Check(cfg.Device, cfg.Call, cfg.Implementation, indices, bins); err != nil {
		return PeersTrace{}, err
	}
	if cfg.Call.Operand == device.One {
		return PeersTrace{}, fmt.Errorf(
			"%w: lanes that add the constant 1 are counted, there is no tree to follow", hwsim.ErrStream)
	}
	if lanes := int(cfg.Device.Core.WarpLanes.Value); len(indices) > lanes {
		return PeersTrace{}, fmt.Errorf("%w: %d updates in a warp of %d lanes", hwsim.ErrStream,
			len(indices), lanes)
	}
	s := kernel.NewSession(cfg.Device, cfg.Call, cfg.Implementation, cfg.Seed)
	s.Place(indices, bins)
	s.SetValues(nil)
	if err := s.Clear(kernel.BufTarget); err != nil {
		return PeersTrace{}, err
	}
	t := newPeersWatcher(cfg, s.Machine.Lanes)
	s.Machine.Watch = t.see
	if err := s.Launch(t.program, device.Shape{Blocks: 1, Threads: t.lanes, BlocksPerSM: 1},
		s.Updates, s.Bins, 0); err != nil {
		return PeersTrace{}, err
	}
	t.Final = s.Output(kernel.BufTarget)
	t.MatchCycles, t.ReduceCycles = t.reached[1]-t.reached[0], t.reached[2]-t.reached[1]
	if !arith.Correct(cfg.Call, cfg.Seed, indices, bins, t.Final) {
		return PeersTrace{}, fmt.Errorf("%w: peers: wrong final array", hwsim.ErrSimulation)
	}
	return t.PeersTrace, nil
}

// peersWatcher fills the trace from what the instructions of one warp leave in registers.
type peersWatcher struct {
	PeersTrace
	program *machine.Program
	lanes   int
	peers   operand
	places  [3]int32 // where the loops begin, and what follows them
	reached [3]int64 // the cycles of the first instructions there
	passed  [3]bool
	ballot  uint64
}

// newPeersWatcher assembles the body of the update kernel, once.
func newPeersWatcher(cfg hwsim.Config, lanes int) *peersWatcher {
	u := kernel.NewUpdater("peers of one warp", kernel.UpdateArgs, cfg.Implementation, cfg.Call, lanes)
	t := &peersWatcher{lanes: lanes}
	u.Masks()
	u.Inside = u.Less(u.LaneID, u.Arg(kernel.ArgUpdates))
	u.When(u.Inside, func() {
		u.Active = u.Ballot(u.Inside)
		u.At = u.LaneID
		index := u.Load(kernel.BufIndex, u.At)
		value := u.OperandValue(u.At)
		u.Mov(index, index) // waits for the load
		u.Mov(value, value)
		t.places[0] = u.Place()
		t.peers = u.FindPeers(index)
		t.places[1] = u.Place()
		u.ReducePeers(index, value, t.peers)
	})
	t.program, t.places[2] = u.Done(), t.places[1]
	for t.program.Code[t.places[2]].Op != machine.OpEndLoop {
		t.places[2]++
	}
	return t
}

func (t *peersWatcher) see(w *machine.Warp, at int32, _ uint64, now int64) {
	for i, place := range t.places {
		if at >= place && !t.passed[i] {
			t.reached[i], t.passed[i] = now, true
		}
	}
	in := &t.program.Code[at]
	switch {
	case at >= t.places[0] && at < t.places[1]:
		t.matched(w, in)
	case at >= t.places[1] && at < t.places[2]:
		t.reduced(w, in)
	}
}

func (t *peersWatcher) matched(w *machine.Warp, in *machine.Instruction) {
	switch in.Op {
	case machine.OpFfs:
		t.Matches = append(t.Matches, PeersMatch{Leader: int(w.Scalars[in.Dst.Reg])})
	case machine.OpBallot:
		t.Matches[len(t.Matches)-1].Matched = w.Scalars[in.Dst.Reg]
	case machine.OpXor:
		t.Matches[len(t.Matches)-1].Remaining = w.Scalars[in.Dst.Reg]
	}
}

func (t *peersWatcher) reduced(w *machine.Warp, in *machine.Instruction) {
	lanes := func(o operand) []uint64 { return slices.Clone(w.Vec(o, t.lanes, new([64]uint64))) }
	switch {
	case in.Op == machine.OpPopc:
		t.Peers, t.Position = lanes(t.peers), lanes(in.Dst)
	case in.Op == machine.OpFfs:
		t.Steps = append(t.Steps, PeersStep{Next: lanes(in.Dst)})
	case in.Op == machine.OpSel:
		t.Steps[len(t.Steps)-1].Value = lanes(in.Dst)
	case in.Op == machine.OpBallot:
		t.ballot = w.Scalars[in.Dst.Reg]
	case in.Op == machine.OpAndNot && len(t.Steps) > 0:
		step := &t.Steps[len(t.Steps)-1]
		step.Done, step.Rest = t.ballot, lanes(in.Dst)
	}
}
