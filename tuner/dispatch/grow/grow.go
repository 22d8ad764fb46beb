package grow

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// Options say how a tree is grown.
type Options struct {
	MaxLeaves  int // of the tree, before it is pruned
	MinLeaf    int // streams of a leaf
	MaxActions int
}

// DefaultOptions are those of the embedded trees.
func DefaultOptions() Options {
	return Options{MaxLeaves: (dispatch.MaxNodes + 1) / 2, MinLeaf: 3, MaxActions: 40}
}

// The rows of a tree are the streams: logs[action][stream] is ln(time/least time).
type rows struct {
	x      [][]float64
	family []string
	logs   [][]float64
}

// Tree grows the tree of a device on streams.
func Tree(ctx context.Context, d *device.Profile, list []Stream, o Options) (*dispatch.Tree, error) {
	major, minor, err := d.ComputeCapability()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDevice, err)
	}
	all := Candidates()
	r, err := priced(NewPricer(d, all), list)
	if err != nil {
		return nil, err
	}
	chosen := r.pick(o.MaxActions)
	kept := *r
	kept.logs = nil
	for _, a := range chosen {
		kept.logs = append(kept.logs, r.logs[a])
	}
	t := &dispatch.Tree{Device: d.Name, Title: d.Title, Major: major, Minor: minor,
		SMs: d.Limits().SMs, ProfileHash: model.ProfileHash(d)}
	for _, a := range chosen {
		t.Actions = append(t.Actions, all[a])
	}
	g, err := kept.grower(o)
	if err != nil {
		return nil, err
	}
	held, alpha, err := g.familyOut(ctx)
	if err != nil {
		return nil, err
	}
	grown, err := g.grow(func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	grown.prune(alpha)
	t.Nodes = grown.nodes()
	t.Evaluation = kept.evaluate(t, held)
	dropUnused(t)
	return t, t.Check()
}

// The calls of each stream that become rows: so many, drawn among all kinds. One in callKinds
// hands out old values. All add to an array that is there.
const callsPerStream, callKinds = 5, 5

// callsOf draws the calls of a stream, each of other type, operand or kind.
func callsOf(s *Stream) (list []device.Call) {
	types := []device.Type{device.U32, device.F32, device.U64, device.F64}
	random := synth.NewRand(uint64(s.Point))
	for len(list) < callsPerStream {
		c := device.Call{Keeps: true, Returns: len(list)%callKinds == callKinds-1,
			Type:    types[random.Below(uint64(len(types)))],
			Operand: device.Operand(random.Below(2))}
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// priced returns the rows of streams.
func priced(p *Pricer, list []Stream) (*rows, error) {
	r := &rows{logs: make([][]float64, len(p.Actions))}
	for i := range list {
		s := &list[i]
		for _, call := range callsOf(s) {
			us, err := p.US(&s.Stats, call)
			if err != nil {
				return nil, fmt.Errorf("point %d: %w", s.Point, err)
			}
			x := make([]float64, dispatch.NumFeatures)
			for k, f := range s.Sample.Of(dispatch.CallOf(call, s.Stats.Bins)) {
				x[k] = float64(f)
			}
			r.x, r.family = append(r.x, x), append(r.family, s.family)
			least := slices.Min(us)
			for a := range us {
				r.logs[a] = append(r.logs[a], math.Log(us[a]/least))
			}
		}
	}
	return r, nil
}

// dropUnused leaves out the actions that no leaf takes, and numbers the others in the order of
// the leaves.
func dropUnused(t *dispatch.Tree) {
	place := map[uint16]uint16{}
	var used []dispatch.Action
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if !n.Leaf() {
			continue
		}
		if _, there := place[n.Right]; !there {
			place[n.Right] = uint16(len(used))
			used = append(used, t.Actions[n.Right])
		}
		n.Right = place[n.Right]
	}
	t.Actions = used
}
