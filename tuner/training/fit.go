package training

import (
	"context"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// Fit grows the trees of a model from all rows of a sweep and measures them on points and
// families held out. The same rows in any order give the same model. The error wraps
// model.ErrRows, naming points, where rows are missing, repeated, foreign or too few;
// otherwise ErrSweep, ErrOptions or the context's.
func Fit(ctx context.Context, d *device.Profile, s model.Sweep, rows []Row,
	o model.FitOptions) (*model.Model, error) {
	m, err := fit(ctx, d, s, rows, o)
	if err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	return m, nil
}

func fit(ctx context.Context, d *device.Profile, s model.Sweep, rows []Row,
	o model.FitOptions) (*model.Model, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	data, err := Prepare(d, s, rows)
	if err != nil {
		return nil, err
	}
	m, err := data.model(ctx, o.Normal(), s.Screen)
	if err != nil {
		return nil, err
	}
	m.Device, m.ProfileHash, m.Sweep = d.Name, model.ProfileHash(d), s.Normal()
	for i := range m.Implementations {
		c := &m.Implementations[i]
		if c.ClosedFormCheck, err = model.ClosedFormCheck(c.Name, model.WithoutHost(d)); err != nil {
			return nil, err
		}
	}
	if err := m.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", model.ErrRows, err)
	}
	return m, nil
}

// model fits the final trees and both cross-validations.
func (t *Training) model(ctx context.Context, o model.FitOptions, screen float64) (*model.Model,
	error) {
	n, err := t.ensemble(o)
	if err != nil {
		return nil, err
	}
	trees, err := n.whole(ctx)
	if err != nil {
		return nil, err
	}
	final, familyOut, err := n.familyOut(ctx)
	if err != nil {
		return nil, err
	}
	sweepOut, err := n.sweepOut(ctx, final)
	if err != nil {
		return nil, err
	}
	m := model.New()
	m.Fit, m.Rows, m.Features = o, len(t.Samples), t.ranges()
	inside := make([][]bool, len(t.Variants))
	for v := range t.Variants {
		rows := t.rowsOf(v)
		m.Simulations += len(rows)
		if trees[v] == nil {
			continue
		}
		c, err := n.implementation(v, rows, trees[v], final[v], sweepOut, familyOut)
		if err != nil {
			return nil, err
		}
		c.Low, c.High, inside[v] = t.interval(v, rows, familyOut, c.FamilyOut.RMSE)
		m.Implementations = append(m.Implementations, c)
	}
	if len(m.Implementations) == 0 {
		return nil, fmt.Errorf("%w: no implementation has %d rows of two families", model.ErrRows,
			o.MinRows)
	}
	m.Evaluation = t.evaluate(sweepOut, familyOut, inside, screen)
	return m, nil
}

func (t *ensemble) implementation(v int, rows []int, trees pruned, s hyperparameters, sweepOut,
	familyOut *heldOut) (model.Implementation, error) {
	tree, err := t.tree(v, trees, s)
	if err != nil {
		return model.Implementation{}, err
	}
	return model.Implementation{
		Name: t.Variants[v], Rows: len(rows), Alpha: alphas[s.alpha], Shrink: s.shrink, Tree: tree,
		KFold:      t.score(rows, v, func(i int) float64 { return sweepOut.value(v, i) }),
		FamilyOut:  t.score(rows, v, func(i int) float64 { return familyOut.value(v, i) }),
		ClosedForm: t.score(rows, v, func(int) float64 { return 0 }),
	}, nil
}

// score measures corrections against the simulated ones.
func (t *Training) score(rows []int, v int, correction func(i int) float64) model.Score {
	var squares, sum float64
	size := make([]float64, len(rows))
	for j, i := range rows {
		off := correction(i) - t.Samples[i].Target[v]
		squares += float64(off * off)
		sum += off
		size[j] = math.Abs(off)
	}
	n := float64(len(rows))
	return model.Score{RMSE: math.Sqrt(squares / n), Bias: sum / n,
		P90: model.SortedQuantile(size, 0.9)}
}

// ranges returns the span of every feature over the samples.
func (t *Training) ranges() []model.Range {
	var x [][]float64
	for i := range t.Samples {
		x = append(x, t.Samples[i].X)
	}
	return model.Ranges(x)
}
