package curve

import (
	"context"
	"fmt"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/model"
)

// point draws a number of points as often as there are seeds and judges the
// models.
func (c *curve) point(ctx context.Context, size, seeds int) (CurvePoint, error) {
	result := CurvePoint{Asked: size, Judged: len(c.judge)}
	for seed := range seeds {
		points, streams, whole := c.draw(size, uint64(seed))
		m, err := c.learnt(ctx, points)
		if err != nil {
			return result, err
		}
		f, err := c.judged(m)
		if err != nil {
			return result, err
		}
		result.add(f)
		result.Points, result.Streams = max(result.Points, len(points)), max(result.Streams, streams)
		if whole || size == 0 { // every seed draws the same
			break
		}
	}
	result.Mean.divide(float64(result.Draws))
	return result, nil
}

// learnt returns the model corrected by the points: the base for none.
func (c *curve) learnt(ctx context.Context, points []calibration.Measured) (*model.Model, error) {
	switch {
	case len(points) > 0:
		return calibration.Calibrate(ctx, c.device, c.base, points, calibration.Folds)
	case c.base != nil:
		return c.base, nil
	}
	// A single stream corrects nothing: what comes back are the closed forms.
	m, err := calibration.Calibrate(ctx, c.device, nil, c.learn[0], calibration.Folds)
	if err == nil && m.Calibration.Leaves > 0 {
		err = fmt.Errorf("a single stream corrects by a tree of %d leaves", m.Calibration.Leaves)
	}
	return m, err
}

// draw takes streams in an order drawn by the seed until they have as many points
// as asked for, or there are no more, which whole says.
func (c *curve) draw(size int, seed uint64) (points []calibration.Measured, streams int, whole bool) {
	r := synth.NewRand(seed + 1)
	order := make([]int, len(c.learn))
	for i := range order {
		j := int(r.Below(uint64(i + 1)))
		order[i], order[j] = order[j], i
	}
	for _, i := range order {
		if len(points) >= size {
			return points, streams, false
		}
		points = append(points, c.learn[i]...)
		streams++
	}
	return points, streams, true
}

func (p *CurvePoint) add(f CurveFigures) {
	if p.Draws == 0 {
		p.Worst = f
	}
	p.Draws++
	for _, v := range []struct {
		mean, worst *float64
		now         float64
		least       bool
	}{
		{&p.Mean.GeometricMean, &p.Worst.GeometricMean, f.GeometricMean, false},
		{&p.Mean.P90, &p.Worst.P90, f.P90, false},
		{&p.Mean.Max, &p.Worst.Max, f.Max, false},
		{&p.Mean.MedianErrorPercent, &p.Worst.MedianErrorPercent, f.MedianErrorPercent, false},
		{&p.Mean.CoveredPercent, &p.Worst.CoveredPercent, f.CoveredPercent, true},
	} {
		*v.mean += v.now
		if v.least {
			*v.worst = min(*v.worst, v.now)
		} else {
			*v.worst = max(*v.worst, v.now)
		}
	}
}

func (f *CurveFigures) divide(n float64) {
	for _, v := range []*float64{&f.GeometricMean, &f.P90, &f.Max, &f.MedianErrorPercent, &f.CoveredPercent} {
		*v /= n
	}
}

// The limits of a curve at 200 points, by the mean over the draws.
const (
	curvePoints                            = 200
	curveMeanLoss, curveP90, curveMostLoss = 1.03, 1.10, 1.3
)

// CurveChecks holds the curve's figures at 200 measured points to their limits.
func CurveChecks(curve []CurvePoint) []validate.Check {
	var all []validate.Check
	for _, p := range curve {
		if p.Asked != curvePoints {
			continue
		}
		check := func(item string, value, limit float64, unit string) {
			all = append(all, validate.Check{Item: fmt.Sprintf("held-out half, %d measured points learnt from: %s", p.Asked, item),
				Value: value, Limit: limit, Unit: unit, Rows: p.Judged, Status: validate.Enforced})
		}
		check("time of the choice over the best, geometric mean", p.Mean.GeometricMean, curveMeanLoss, validate.UnitTimes)
		check("time of the choice over the best, 90th percentile", p.Mean.P90, curveP90, validate.UnitTimes)
		check("time of the choice over the best, maximum", p.Mean.Max, curveMostLoss, validate.UnitTimes)
		check("predicted time of the choice, median error", p.Mean.MedianErrorPercent, validate.ChoiceMedian, validate.UnitPercent)
		check("measured times of choices within their 90 % interval", p.Mean.CoveredPercent, validate.NominalShare, validate.UnitPercent)
		all[len(all)-1].Least = true
	}
	return all
}
