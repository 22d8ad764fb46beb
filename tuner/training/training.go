// Package training grows the trees of package model.
//
//  1. Collect simulates the points of a Sweep into a checkpoint that survives interruption and may be split into
//     shards.
//  2. Prepare turns the rows into samples: the features of each, and of each simulated implementation the target
//     ln(simulated/closed form).
//  3. Trees are grown jointly [breiman84], for all implementations with the same comparisons, without each stream
//     family in turn, for each number of leaves and each factor that shrinks the corrections. They choose for that
//     family.
//  4. Of these settings the simplest is taken that loses nearly the least, if choices by it lose on families held
//     out hardly more than those by the closed forms: in the mean, in the 90th percentile and, if any setting can,
//     at most. Where none does, the tree is one leaf that corrects nothing.
//  5. Fit grows the tree of that setting on all samples. Its Evaluation is of families that had no part in the choice
//     of the setting either.
//
// Points come in parameter sweeps (datasets/synth): one call on streams of one family in which one quantity
// changes. After both ends, each point halves the interval in which the choice changes. A row depends
// on the sweep, the profile, the simulator and the closed forms that screen out slow implementations. It
// depends neither on the number of cores nor on shards or interruptions. A simulated time holds what the host adds to
// a later call (Launch.LaterStart of the profile), as the closed forms do.
//
// "script/regenerate models" makes the embedded models from the points that it keeps under .build, the same
// bytes each time, and gives those of the H100 and H200 intervals (tuner/validation). After a change of
// closed forms or for a new candidate, "renewed" keeps the points that are screened the same and simulates
// the others; "points" simulates all, which takes long. deploy runs shards on many machines.
//
// References:
//
//	[breiman84] L. Breiman, J. Friedman, R. Olshen, C. Stone.
//	          Classification and Regression Trees. Wadsworth, 1984.
package training

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Training holds the rows of a sweep as learners read them.
type Training struct {
	Implementations []impl.Spec // the candidates, by number
	Families        []string    // of streams, sorted
	Samples         []Sample    // by point
	prices          *model.Predictors
}

// A Sample is one stream and call. Closed, Simulated and Target have an entry for each
// implementation, NaN where it was not simulated.
type Sample struct {
	Family    string
	Line      int       // of the sweep; points of a line resemble each other
	X         []float64 // the columns of the stream, in the order of Features
	Closed    []float64 // closed form, us
	Simulated []float64 // us
	Target    []float64 // ln(Simulated/Closed), what the trees learn
}

// Prepare checks the rows against the sweep and computes features and closed forms. Errors
// wrap ErrSweep or model.ErrRows.
func Prepare(d *device.Profile, s model.Sweep, rows []Row) (*Training, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	sorted, err := complete(rows, s.Points)
	if err != nil {
		return nil, err
	}
	all := d.Ranked()
	t := Training{Implementations: all, prices: model.NewPredictors(all, d, nil)}
	for _, r := range sorted {
		one, err := t.sample(s, r)
		if err != nil {
			return nil, fmt.Errorf("%w: point %d: %w", model.ErrRows, r.Point, err)
		}
		t.Samples, t.Families = append(t.Samples, one), append(t.Families, one.Family)
	}
	slices.Sort(t.Families)
	t.Families = slices.Compact(t.Families)
	return &t, nil
}

func (t *Training) sample(s model.Sweep, r Row) (Sample, error) {
	p, err := PointOf(s, r)
	if err != nil {
		return Sample{}, err
	}
	if r.Stats.Updates != uint64(p.Stream.N) || r.Stats.Bins != uint64(p.Stream.K) {
		return Sample{}, fmt.Errorf("%d updates of %d targets, the sweep's point has %d of %d",
			r.Stats.Updates, r.Stats.Bins, p.Stream.N, p.Stream.K)
	}
	if err := model.CheckStats(&r.Stats, int(t.prices.Device.Core.WarpLanes.Value)); err != nil {
		return Sample{}, err
	}
	if err := t.prices.Predict(&r.Stats, p.Call); err != nil {
		return Sample{}, err
	}
	var x model.Vector
	x.Fill(&r.Stats, p.Call)
	one := Sample{Family: p.Stream.Family, Line: s.LineOf(r.Point), X: slices.Clone(x[:])}
	known := 0
	for _, v := range t.Implementations {
		closed, us := math.NaN(), math.NaN()
		if time, ran := r.US[v.String()]; ran {
			price, err := t.prices.Of(v)
			if err != nil {
				return Sample{}, err
			}
			if closed, us = price.Closed, time; !(math.Abs(math.Log(us/closed)) <= model.MaxLogFactor) {
				return Sample{}, fmt.Errorf("%s: simulated %v us, closed form %v us", v, us, closed)
			}
			known++
		}
		one.Closed, one.Simulated = append(one.Closed, closed), append(one.Simulated, us)
		one.Target = append(one.Target, math.Log(us/closed))
	}
	if known != len(r.US) || known == 0 {
		return Sample{}, fmt.Errorf("%d of its %d implementations are candidates", known, len(r.US))
	}
	return one, nil
}

func (s *Sample) Has(v int) bool { return !math.IsNaN(s.Target[v]) }

// Best returns the shortest time of a sample, us.
func (s *Sample) Best() float64 {
	least := math.Inf(1)
	for _, us := range s.Simulated {
		if us < least { // no NaN is
			least = us
		}
	}
	return least
}
