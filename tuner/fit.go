package tuner

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/variant"
)

// Fit grows the trees of a model from all rows of a sweep, in any order, and
// measures them on points and families held out. The same rows give the same
// model, whatever their order and the number of cores.
//
// The error wraps ErrRows, naming points, where rows are missing, repeated or
// not of this sweep, or where no implementation has enough of them; otherwise
// ErrSweep, ErrOptions or the context's.
func Fit(ctx context.Context, d *device.Profile, s Sweep, rows []Row, o FitOptions) (*Model, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	data, err := prepare(d, s, rows)
	if err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	m, err := data.model(ctx, o.Normal())
	if err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	m.Device, m.ProfileHash, m.Sweep = d.Name, ProfileHash(d), s.Normal()
	for i := range m.Implementations {
		c := &m.Implementations[i]
		if c.ClosedFormCheck, err = closedFormCheck(c.Name, withoutHost(d)); err != nil {
			return nil, fmt.Errorf("fit: %w", err)
		}
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w: %w", ErrRows, err)
	}
	return m, nil
}

// model fits the final trees and both cross-validations.
func (t *training) model(ctx context.Context, o FitOptions) (*Model, error) {
	all := make([]int, len(t.samples)) // nothing held out: fold -1 fits on all
	for i := range all {
		all[i] = -1
	}
	final, err := t.fold(ctx, all, 1, o)
	if err != nil {
		return nil, err
	}
	kFold, err := t.fold(ctx, t.pointFolds(o.Folds), o.Folds, o)
	if err != nil {
		return nil, err
	}
	familyOut, err := t.fold(ctx, t.familyFolds(), len(t.families), o)
	if err != nil {
		return nil, err
	}
	m := &Model{Format: modelFormat, Version: modelVersion, checked: new(sync.Once), Fit: o, Rows: len(t.samples), Features: t.ranges()}
	for v, name := range t.variants {
		rows := t.rowsOf(v)
		m.Simulations += len(rows)
		if final.trees[0][v] == nil {
			continue
		}
		m.Implementations = append(m.Implementations, t.implementation(v, name, rows, final.trees[0][v], kFold, familyOut))
	}
	if len(m.Implementations) == 0 {
		return nil, fmt.Errorf("%w: no implementation has %d rows of two families", ErrRows, o.MinRows)
	}
	m.Evaluation = t.evaluate(kFold, familyOut)
	return m, nil
}

func (t *training) implementation(v int, name variant.Variant, rows []int, tree *regtree.Tree, kFold, familyOut *crossed) Implementation {
	c := Implementation{
		Name: name, Rows: len(rows), Tree: tree,
		KFold:      t.score(rows, v, func(i int) float64 { return kFold.correction(v, i).Value }),
		FamilyOut:  t.score(rows, v, func(i int) float64 { return familyOut.correction(v, i).Value }),
		ClosedForm: t.score(rows, v, func(int) float64 { return 0 }),
	}
	scaled := make([]float64, len(rows))
	for j, i := range rows {
		leaf := familyOut.correction(v, i)
		if s := scale(leaf.StdDev, c.FamilyOut.RMSE); s > 0 {
			scaled[j] = (t.samples[i].target[v] - leaf.Value) / s
		}
	}
	c.Low, c.High = spread(scaled)
	return c
}

// score measures corrections against the simulated ones.
func (t *training) score(rows []int, v int, correction func(i int) float64) Score {
	var squares, sum float64
	size := make([]float64, len(rows))
	for j, i := range rows {
		off := correction(i) - t.samples[i].target[v]
		squares += float64(off * off)
		sum += off
		size[j] = math.Abs(off)
	}
	n := float64(len(rows))
	return Score{RMSE: math.Sqrt(squares / n), Bias: sum / n, P90: sortedQuantile(size, 0.9)}
}

// ranges returns the span of every feature over the samples.
func (t *training) ranges() []Range {
	list := make([]Range, numFeatures)
	for f := range list {
		list[f] = Range{Name: featureNames[f], Min: math.Inf(1), Max: math.Inf(-1)}
		for i := range t.samples {
			x := t.samples[i].x[f]
			list[f].Min, list[f].Max = min(list[f].Min, x), max(list[f].Max, x)
		}
	}
	return list
}
