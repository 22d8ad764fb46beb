package calibration

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// Measured is what was measured on one stream for one kind of call.
type Measured struct {
	Label string // names the stream: points of one label stay together
	Stats collision.Stats
	Call  device.Call
	// US holds the measured time in microseconds of any implementations; of ss
	// and sr+ss without the re-layout on the host.
	US map[variant.Variant]float64
}

// Calibrate corrects a model by measured points: the predicted time becomes closed ·
// exp(Tree + Forest). A nil base stands for the closed forms alone; an earlier calibration
// is left out. The order of points does not matter.
//
// The forest is the mean of trees on halves of the streams [breiman96], which all implementations
// share, with a value for each of them in every leaf. A root holds what they have in common and the
// deviations of sites and implementations, shrunk towards 0 by n/(n + σ²/τ²) [efron73]. Whether
// trees, roots alone or no correction are kept, and whether choices go by them, is decided by
// cross-validation over so many folds, such as Folds, of whole families of streams, which
// recordings.Family tells from labels, or of whole streams where there are fewer families: see
// model.Calibration.
//
// The error wraps ErrRows and names the point, with a *StreamError where its statistics are
// at fault, ErrModel for a base of another device, ErrOptions, or is the context's.
func Calibrate(ctx context.Context, d *device.Profile, base *model.Model, points []Measured,
	folds int) (m *model.Model, err error) {
	defer func() {
		if err != nil {
			m, err = nil, fmt.Errorf("calibrate: %w", err)
		}
	}()
	if folds < 2 {
		return nil, fmt.Errorf("%d folds, want at least 2: %w", folds, model.ErrOptions)
	}
	base = base.Uncalibrated()
	if base != nil {
		if err := base.Fits(d); err != nil {
			return nil, err
		}
	}
	t, err := measuredTable(d, base, points)
	if err != nil {
		return nil, err
	}
	chosen, err := t.selectGrowth(ctx, folds)
	if err != nil {
		return nil, err
	}
	if m, err = extended(base, d, t); err != nil {
		return nil, err
	}
	correctBy(m, t, chosen)
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrRows, err)
	}
	return m, nil
}

// extended returns a model that has every implementation of the table, those that base does
// not correct with a constant tree.
func extended(m *model.Model, d *device.Profile, t *measured) (*model.Model, error) {
	bare := model.WithoutHost(d)
	if m == nil {
		m = model.New()
		m.Device, m.ProfileHash = d.Name, model.ProfileHash(d)
		m.Features, m.Evaluation = t.ranges(), model.NoEvaluation()
	}
	for i, r := range t.ranges() {
		own := &m.Features[i]
		own.Min, own.Max = min(own.Min, r.Min), max(own.Max, r.Max)
	}
	for _, v := range t.variants {
		if m.Find(v) != nil {
			continue
		}
		check, err := model.ClosedFormCheck(v, bare)
		if err != nil {
			return nil, err
		}
		none, err := constantTree(0)
		if err != nil {
			return nil, err
		}
		m.Implementations = append(m.Implementations, model.Implementation{
			Name: v, Tree: none, Low: -1, High: 1, ClosedFormCheck: check,
			// the interval of a closed form alone
			FamilyOut: model.Score{RMSE: portable.Log(model.ClosedFormFactor)},
		})
	}
	return m, nil
}

// correctBy fits the chosen correction to all points.
func correctBy(m *model.Model, t *measured, chosen selection) {
	m.Forest = t.grow(t.rows(func(int) bool { return true }), chosen.growth)
	m.MeasuredPoints, m.Calibration = len(t.points), chosen.report(t, m.Forest)
}

// constantTree returns the tree that predicts one value.
func constantTree(value float64) (*regtree.Tree, error) {
	return regtree.New(model.FeatureNames[:], []regtree.Node{{Feature: -1,
		Leaf: regtree.Leaf{Value: value, Count: 1, Min: value, Max: value}}})
}

// runnable lists the candidates that have a closed form for some type, and behind these the
// other measured implementations.
func runnable(d *device.Profile, points []Measured) (list []variant.Variant, candidates int) {
	bare := model.WithoutHost(d)
	for _, v := range append(variant.Candidates(), variant.Sized()...) {
		if slices.ContainsFunc(device.Types(), func(t device.Type) bool {
			return speedup.Check(v, bare, device.Call{Type: t}) == nil
		}) {
			list = append(list, v)
		}
	}
	var others []variant.Variant
	for _, p := range points {
		for v := range p.US {
			if !slices.Contains(list, v) && !slices.Contains(others, v) {
				others = append(others, v)
			}
		}
	}
	slices.SortFunc(others, func(a, b variant.Variant) int {
		return cmp.Compare(a.String(), b.String())
	})
	return append(list, others...), len(list)
}
