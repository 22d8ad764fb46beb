package choices

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/model"
)

// CurvePoint is what was reached with one number of measured points.
type CurvePoint struct {
	Asked   int `json:"asked"`
	Points  int `json:"points"`  // stream and kind of call; the most of a draw
	Streams int `json:"streams"` // the most of a draw
	Draws   int `json:"draws"`
	Judged  int `json:"judged"` // points of the other half
	// Figure by figure the mean over the draws, and the worst draw's.
	Mean  CurveFigures `json:"mean"`
	Worst CurveFigures `json:"worst"`
}

// CurveFigures judge choices on streams that were not learnt from.
type CurveFigures struct {
	// GeometricMean, P90 and Max are of the measured time of the choice over the best.
	GeometricMean float64 `json:"geometric_mean"`
	P90           float64 `json:"p90"`
	Max           float64 `json:"max"`
	// MedianErrorPercent is of |predicted/measured - 1| of the choice, and
	// CoveredPercent the share of measured times of choices in their 90 % interval.
	MedianErrorPercent float64 `json:"median_error_percent"`
	CoveredPercent     float64 `json:"covered_percent"`
}

// LearningCurve corrects a model by ascending numbers of measured points, whole streams of an
// archive's half to fit to, and judges the choices on the other half. A number
// beyond what there is takes all, which are drawn once. Errors wrap ErrValidate.
func LearningCurve(
	ctx context.Context, a *archive.Archive, base *model.Model, sizes []int, draws int,
) (list []CurvePoint, err error) {
	defer validate.Wrap(&err)
	c, err := newCurve(a, base)
	if err != nil {
		return nil, err
	}
	for _, size := range sizes {
		p, err := c.point(ctx, size, draws)
		if err != nil {
			return nil, fmt.Errorf("learning curve: %d points: %w", size, err)
		}
		list = append(list, p)
	}
	return list, nil
}

// curve holds the two halves.
type curve struct {
	device *device.Profile
	base   *model.Model
	learn  [][]calibration.Measured // by stream
	judge  []recorded.Question
}

func newCurve(a *archive.Archive, base *model.Model) (c curve, err error) {
	c.base = base
	fit, err := recorded.OfPart(a, recordings.Fit)
	if err != nil {
		return c, err
	}
	slices.SortStableFunc(fit, func(a, b recorded.Question) int {
		return strings.Compare(a.Label, b.Label)
	})
	for i, q := range fit {
		if i == 0 || q.Label != fit[i-1].Label {
			c.learn = append(c.learn, nil)
		}
		at := len(c.learn) - 1
		c.learn[at] = append(c.learn[at],
			calibration.Measured{Label: q.Label, Stats: *q.Stats, Call: q.Call, US: q.US})
	}
	c.device = fit[0].Device
	c.judge, err = recorded.OfPart(a, recordings.HeldOut)
	return c, err
}

// point draws a number of points so many times and judges the models.
func (c *curve) point(ctx context.Context, size, draws int) (CurvePoint, error) {
	p := CurvePoint{Asked: size, Judged: len(c.judge)}
	for seed := range draws {
		points, streams, whole := c.draw(size, uint64(seed))
		m, err := c.base, error(nil)
		if len(points) > 0 {
			m, err = calibration.Calibrate(ctx, c.device, m, points, calibration.Folds)
		}
		if err != nil {
			return p, err
		}
		list, _, err := answers(c.judge, m)
		if err != nil {
			return p, err
		}
		p.add(figuresOf(list))
		p.Points, p.Streams = max(p.Points, len(points)), max(p.Streams, streams)
		if whole || size == 0 { // every seed draws the same
			break
		}
	}
	for _, v := range p.Mean.all() {
		*v /= float64(p.Draws)
	}
	return p, nil
}

// draw takes streams in an order drawn by the seed until they have as many points
// as asked for, or there are no more, which whole says.
func (c *curve) draw(
	size int, seed uint64,
) (points []calibration.Measured, streams int, whole bool) {
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

func figuresOf(list []tunerAnswer) CurveFigures {
	var ratios, off []float64
	var own []forecast
	for i := range list {
		c := list[i].choice
		ratios = append(ratios, c.measuredUS/list[i].Best())
		off, own = append(off, c.off()), append(own, c)
	}
	l := model.LossOf(ratios)
	return CurveFigures{l.GeometricMean, l.P90, l.Max, 100 * quantile.Of(off, 0.5),
		timeError(own).CoveredPercent}
}

// all are the figures, the last of which is the better the larger it is.
func (f *CurveFigures) all() []*float64 {
	return []*float64{&f.GeometricMean, &f.P90, &f.Max, &f.MedianErrorPercent, &f.CoveredPercent}
}

func (p *CurvePoint) add(f CurveFigures) {
	if p.Draws == 0 {
		p.Worst = f
	}
	p.Draws++
	least := min(p.Worst.CoveredPercent, f.CoveredPercent)
	mean, worst := p.Mean.all(), p.Worst.all()
	for i, now := range f.all() {
		*mean[i] += *now
		*worst[i] = max(*worst[i], *now)
	}
	p.Worst.CoveredPercent = least
}

// The limits of losses after 200 points, by the mean over the draws.
const curvePoints, curveMeanLoss, curveP90, curveMostLoss = 200, 1.03, 1.10, 1.3

// curveChecks holds the curve's figures at 200 measured points to their limits.
func curveChecks(curve []CurvePoint) []validate.Check {
	i := slices.IndexFunc(curve, func(p CurvePoint) bool { return p.Asked == curvePoints })
	return figuresChecks(fmt.Sprintf("held-out half, %d measured points learnt from", curvePoints),
		curve[i].Mean, curveMeanLoss, curveP90, curveMostLoss, curve[i].Judged)
}
