// Package grow grows the decision trees of package dispatch.
//
// Streams come from parameter sweeps of datasets/synth. Of each it takes what the device will
// see, the features of a sample, and what the device will not: the exact collision statistics,
// by which the closed forms of package speedup price every candidate. The tree is a regression tree
// of package regtree, grown jointly on ln(time/least time) of all candidates; each leaf takes the
// candidate of least mean cost, to which bad losses add more than their logarithm. A tree by the features that the host knows stands above, and ends where a
// tree by all features loses less: there a call pays for a sample, and for the kernels of a
// partition where one may be best. Trees are pruned by what choices lose on families that they had
// not seen.
//
// To the streams of a sweep come plain ones: uniform, sorted, constant, one hot target, a constant half before a
// uniform one, of all sizes, each with the weight of four. Rows of recorded calls beside them, of the half that models are fitted to, with the weight of one
// to twelve streams, changed what other recorded calls lose by less than a percent either way, so there are none.
//
// A stream longer than a sweep makes is a shorter one several times over, whose statistics follow exactly.
// Each stream is a row for several lengths and calls. An implementation whose copies do not fit is priced with fewer,
// and one that cannot run as global atomics. Neither simulated points nor corrections by recorded calls enter:
// on recorded calls, choices by corrected times lose more.
//
// After a change of a profile or of closed forms, "script/regenerate dispatch trees" grows the trees
// anew and judges them. After a change of the sample, first make the features of recorded streams:
// "ATOMTUNE_UPDATE_GOLDEN=1 go test ./lab/validate/trees -run TestFeatures" with the folders of the
// files in ATOMTUNE_FILES.
package grow

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/dispatch"
	"github.com/atomtune/atomtune/tuner/model"
)

// Options say how a tree is grown.
type Options struct {
	KnownLeaves   int // cells of calls that may be told apart before the sample
	KnownMinLeaf  int // rows of such a cell
	MaxLeaves     int // of the tree of a cell, before it is pruned
	MinLeaf       int // rows of a leaf
	MaxCandidates int
}

// DefaultOptions are those of the embedded trees. Of few tried ones they lose no more than others, up
// to half a percent, on the fit half of the calls that were recorded on NVIDIA H200s.
func DefaultOptions() Options {
	return Options{KnownLeaves: 96, KnownMinLeaf: 400, MaxLeaves: (dispatch.MaxCutNodes + 1) / 2,
		MinLeaf: 10, MaxCandidates: dispatch.MaxCandidates}
}

// mode says what a call spends before it runs a candidate.
type mode int

const (
	settled  mode = iota // the host's features settle the candidate
	sampled              // the device samples and walks the tree
	followed             // the same, and the kernels of a partition wait for what it comes to
)

// Microseconds that a call takes longer than its implementation alone, measured on an NVIDIA H200.
const (
	DecideUS   = 2.3  // a sample and the walk through the tree, in a kernel of all implementations
	callUS     = 0.25 // the call itself
	fillUS     = 0.7  // a table of hot targets, filled from the sample that the walk took and as much again
	fillOnlyUS = 2.9  // the same with a sample of its own
	followUS   = 6.3  // the kernels of a partition that end at once
)

// overheadUS is what a candidate costs besides its implementation: without end where none of its kernels wait.
func overheadUS(a dispatch.Candidate, m mode) float64 {
	v := a.Implementation
	us := callUS
	if m != settled {
		us += DecideUS
	}
	switch {
	case m == sampled && v.Width > 0:
		return math.Inf(1)
	case m == followed && v.Width == 0:
		us += followUS
	}
	switch {
	case v.Slots == 0:
	case m == settled:
		us += fillOnlyUS
	default:
		us += fillUS
	}
	return us
}

// OverheadUS is what a call by a tree costs besides the implementation that it runs, in microseconds.
func OverheadUS(t *dispatch.Tree, f *dispatch.Features) float64 {
	cut := t.Cut(f)
	m := settled
	if len(cut) > 1 {
		m = sampled
	}
	for _, n := range cut {
		if m == sampled && n.Leaf() && t.Candidates[n.Right].Implementation.Width > 0 {
			m = followed
		}
	}
	return overheadUS(t.Choose(f), m)
}

// The rows of a tree are streams and calls.
type rows struct {
	x      [][]float64
	family []string
	us     [][]float64 // [candidate][row]: the prices
	least  []float64   // [row]: the time of a choice that costs nothing but the call
	// costs[mode][candidate][row] is what a tree minimizes.
	costs      [3][][]float64
	candidates []dispatch.Candidate
}

// A cost is the logarithm of what a call takes over the least, and those of what it takes over two limits, where
// it takes more: being wrong by a factor of ten once is worse than by 26 % ten times, and a library that makes
// plain atomics wants no call that takes longer than they do.
const (
	tailRoom, tailUS   = 1.25, 2.5 // over the least
	naiveRoom, naiveUS = 1.05, 0.5 // over plain atomics
)

func costOf(us, least, naive float64) float64 {
	return math.Log(us/least) + max(0, math.Log(us/(tailRoom*least+tailUS))) +
		max(0, math.Log(us/(naiveRoom*(naive+naiveUS))))
}

// wholeUS is what a choice takes for a row.
func (r *rows) wholeUS(row int, c choice) float64 {
	return r.us[c.candidate][row] + overheadUS(r.candidates[c.candidate], c.mode)
}

type choice struct {
	candidate int
	mode      mode
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
	chosen := r.pick(o.MaxCandidates)
	t := &dispatch.Tree{Device: d.Name, Title: d.Title, Major: major, Minor: minor,
		SMs: d.Limits().SMs, ProfileHash: model.ProfileHash(d)}
	kept := rows{x: r.x, family: r.family, least: r.least}
	for _, a := range chosen {
		t.Candidates = append(t.Candidates, all[a])
		kept.us = append(kept.us, r.us[a])
		for m := range r.costs {
			kept.costs[m] = append(kept.costs[m], r.costs[m][a])
		}
	}
	kept.candidates = slices.Clone(t.Candidates)
	g := kept.grower(o)
	held, alpha, err := g.familyOut(ctx)
	if err != nil {
		return nil, err
	}
	root, err := g.grow(func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	grown := root.tree(alpha)
	t.Nodes = grown.nodes()
	t.Evaluation = kept.evaluate(grown, held)
	dropUnused(t)
	return t, t.Check()
}

// The rows of a stream: so many lengths, and calls of each, one of which hands out old values. All
// add to existing values.
const lengthsPerStream, callsPerLength = 3, 4

// A use is one row's length of a stream and its call.
type use struct {
	length int // a place of Samples
	call   device.Call
}

// usesOf draws the uses of a stream, each of other length, type or operand.
func usesOf(s *Stream) (list []use) {
	types := []device.Type{device.U32, device.F32, device.U64, device.F64}
	random := synth.NewRand(uint64(s.Point))
	for _, length := range distinct(random, lengthsPerStream, len(s.Samples)) {
		kinds := distinct(random, callsPerLength, len(types))
		for i, kind := range kinds {
			list = append(list, use{length, device.Call{Keeps: true, Returns: i == 0,
				Type: types[kind], Operand: device.Operand(random.Below(2))}})
		}
	}
	return list
}

// distinct draws different numbers below a bound, all of them where they are not more.
func distinct(random *synth.Rand, count, below int) (list []int) {
	for len(list) < min(count, below) {
		if k := int(random.Below(uint64(below))); !slices.Contains(list, k) {
			list = append(list, k)
		}
	}
	return list
}

func priced(p *Pricer, list []Stream) (*rows, error) {
	r := &rows{us: make([][]float64, len(p.Candidates)), candidates: p.Candidates}
	for i := range list {
		s := &list[i]
		for _, u := range usesOf(s) {
			stats := s.repeated(1 << u.length)
			us, err := p.US(&stats, u.call, s.Samples[u.length].Found)
			if err != nil {
				return nil, fmt.Errorf("point %d: %w", s.Point, err)
			}
			x := make([]float64, dispatch.NumFeatures)
			for k, f := range s.Samples[u.length].Of(u.call, stats.Bins) {
				x[k] = float64(f)
			}
			for range s.weight {
				r.x, r.family = append(r.x, x), append(r.family, s.family)
				r.least = append(r.least, slices.Min(us)+callUS)
				for a := range us {
					r.us[a] = append(r.us[a], us[a])
				}
			}
		}
	}
	naive := slices.IndexFunc(p.Candidates, func(a dispatch.Candidate) bool { return a.Implementation == impl.Spec{} })
	for m := range r.costs {
		for a := range r.us {
			costs := make([]float64, len(r.x))
			for row, least := range r.least {
				costs[row] = costOf(r.wholeUS(row, choice{a, mode(m)}), least, r.us[naive][row])
			}
			r.costs[m] = append(r.costs[m], costs)
		}
	}
	return r, nil
}

// dropUnused leaves out the candidates that no leaf takes, and numbers the others in the order of
// the leaves.
func dropUnused(t *dispatch.Tree) {
	place := map[uint16]uint16{}
	var used []dispatch.Candidate
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if !n.Leaf() {
			continue
		}
		if _, there := place[n.Right]; !there {
			place[n.Right] = uint16(len(used))
			used = append(used, t.Candidates[n.Right])
		}
		n.Right = place[n.Right]
	}
	t.Candidates = used
}

// The sentinels that this package's errors wrap.
var (
	ErrStreams = errors.New("unusable streams")       // a checkpoint of other streams, or no checkpoint
	ErrDevice  = errors.New("no tree for the device") // that lacks what the candidates need
)
