package training

import (
	"context"
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner/model"
)

// Fit grows the trees of a model from all rows of a sweep and measures them on points and
// families held out. The same rows in any order give the same model. The error wraps
// model.ErrRows, naming points, where rows are missing, repeated, foreign or too few;
// otherwise ErrSweep, ErrOptions or the context's.
func Fit(ctx context.Context, d *device.Profile, s model.Sweep, rows []Row,
	o model.FitOptions) (m *model.Model, err error) {
	defer wrap("fit", &err)
	if err := o.Validate(); err != nil {
		return nil, err
	}
	data, err := Prepare(d, s, rows)
	if err != nil {
		return nil, err
	}
	if m, err = data.model(ctx, o.Normal(), s.Screen); err != nil {
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
	trees, chosen, familyOut, err := n.final(ctx)
	if err != nil {
		return nil, err
	}
	sweepOut, err := n.sweepOut(ctx, chosen)
	if err != nil {
		return nil, err
	}
	m := model.New()
	m.Fit, m.Rows = o, len(t.Samples)
	var x [][]float64
	for i := range t.Samples {
		x = append(x, t.Samples[i].X)
	}
	m.Features = model.Ranges(x)
	inside := make([][]bool, len(t.Variants))
	for v, tree := range trees {
		rows := n.byVariant[v].samples
		m.Simulations += len(rows)
		if tree == nil {
			continue
		}
		c := model.Implementation{
			Name: t.Variants[v], Rows: len(rows), Tree: tree,
			Alpha: alphas[chosen[v].alpha], Shrink: chosen[v].shrink,
			KFold: t.off(rows, v, sweepOut.value), FamilyOut: t.off(rows, v, familyOut.value),
			ClosedForm: t.off(rows, v, uncorrected),
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

// off measures corrections of a variant against the simulated ones.
func (t *Training) off(rows []int, v int, by correction) model.Score {
	var squares, sum float64
	size := make([]float64, len(rows))
	for j, i := range rows {
		off := by(v, i) - t.Samples[i].Target[v]
		squares += float64(off * off)
		sum += off
		size[j] = math.Abs(off)
	}
	n := float64(len(rows))
	return model.Score{RMSE: math.Sqrt(squares / n), Bias: sum / n,
		P90: quantile.Of(size, 0.9)}
}
