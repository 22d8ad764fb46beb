// Package curve draws what choices lose by how many measured points they learned from.
package curve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/calibration"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// CurveOptions say which learning curve is drawn.
type CurveOptions struct {
	// Sizes are the numbers of measured points to learn from, ascending; nil means
	// 0, 10, 50, 200 and 1,000. A size beyond what there is takes all.
	Sizes []int
	Seeds int // draws of each size; 0 means 5. All points are drawn once
	// Base is the model to correct; nil is the embedded one, with Bare the closed
	// forms alone.
	Base *model.Model
	Bare bool
	// Judge says which streams of the held-out half are judged; nil means all.
	Judge func(label string) bool
}

// CurvePoint is what was reached with one number of measured points.
type CurvePoint struct {
	Asked   int `json:"asked"`
	Points  int `json:"points"`  // stream and kind of call; the most of a draw
	Streams int `json:"streams"` // the most of a draw
	Draws   int `json:"draws"`
	Judged  int `json:"judged"` // points of the other half
	// Mean is the mean over the draws, figure by figure, and Worst the worst draw's
	// figure.
	Mean  CurveFigures `json:"mean"`
	Worst CurveFigures `json:"worst"`
}

// CurveFigures judge choices on streams that were not learnt from.
type CurveFigures struct {
	// GeometricMean, P90 and Max are of the measured time of the choice over the
	// best.
	GeometricMean float64 `json:"geometric_mean"`
	P90           float64 `json:"p90"`
	Max           float64 `json:"max"`
	// MedianErrorPercent is of |predicted/measured - 1| of the choice, and
	// CoveredPercent the share of measured times of choices in their 90 % interval.
	MedianErrorPercent float64 `json:"median_error_percent"`
	CoveredPercent     float64 `json:"covered_percent"`
}

// LearningCurve corrects a model by growing numbers of measured points, whole
// streams of the H200's recordings of the half to fit to, and judges the choices
// on the other half. Errors wrap ErrValidate or are the context's.
func LearningCurve(ctx context.Context, o CurveOptions) ([]CurvePoint, error) {
	points, err := learningCurve(ctx, o)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: learning curve: %w", validate.ErrValidate, err)
	}
	return points, err
}

func learningCurve(ctx context.Context, o CurveOptions) ([]CurvePoint, error) {
	if o.Sizes == nil {
		o.Sizes = []int{0, 10, 50, 200, 1000}
	}
	if o.Seeds == 0 {
		o.Seeds = 5
	}
	c, err := newCurve(o)
	if err != nil {
		return nil, err
	}
	var list []CurvePoint
	for _, size := range o.Sizes {
		p, err := c.point(ctx, size, o.Seeds)
		if err != nil {
			return nil, fmt.Errorf("%d points: %w", size, err)
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
	judge  []calibration.Measured
	only   []variant.Variant
}

func newCurve(o CurveOptions) (*curve, error) {
	c := &curve{base: o.Base, only: variant.OnDevice()}
	var err error
	if c.device, err = device.Builtin("h200"); err != nil {
		return nil, err
	}
	if o.Bare {
		c.base = nil
	} else if c.base == nil {
		if c.base, err = model.Embedded("h200"); err != nil {
			return nil, err
		}
	}
	fit, err := recordedPoints(recordings.Fit)
	if err != nil {
		return nil, err
	}
	if c.judge, err = recordedPoints(recordings.HeldOut); err != nil {
		return nil, err
	}
	if o.Judge != nil {
		c.judge = slices.DeleteFunc(c.judge, func(p calibration.Measured) bool { return !o.Judge(p.Label) })
	}
	if len(c.judge) == 0 {
		return nil, fmt.Errorf("no point to judge by")
	}
	c.learn = slices.Collect(byStream(fit))
	return c, nil
}

// byStream cuts points, sorted by label, into streams.
func byStream(points []calibration.Measured) func(yield func([]calibration.Measured) bool) {
	return func(yield func([]calibration.Measured) bool) {
		for len(points) > 0 {
			end := 1
			for end < len(points) && points[end].Label == points[0].Label {
				end++
			}
			if !yield(points[:end:end]) {
				return
			}
			points = points[end:]
		}
	}
}

// recordedPoints returns the recordings of a half by label, calls that return
// old values apart: few implementations were measured with them.
func recordedPoints(part recordings.Part) ([]calibration.Measured, error) {
	calls, err := h200.Calls(part)
	if err != nil {
		return nil, err
	}
	stats, err := h200.Streams()
	if err != nil {
		return nil, err
	}
	var streams []recordings.Stream
	for label, s := range stats {
		streams = append(streams, recordings.Stream{Label: label, Stats: s})
	}
	calls = slices.DeleteFunc(calls, func(c recordings.Call) bool { return c.Call.Returns })
	points, _, err := calibration.MeasuredPoints(calls, streams)
	slices.SortStableFunc(points, func(a, b calibration.Measured) int { return strings.Compare(a.Label, b.Label) })
	return points, err
}

// judged is what a model's choices come to.
func (c *curve) judged(m *model.Model) (CurveFigures, error) {
	ratios, off := make([]float64, len(c.judge)), make([]float64, len(c.judge))
	covered := 0
	for i := range c.judge {
		p := &c.judge[i]
		d, err := tuner.Choose(&p.Stats, c.device, tuner.Options{Call: p.Call, Only: c.only, Model: m})
		if err != nil {
			return CurveFigures{}, fmt.Errorf("%s: %w", p.Label, err)
		}
		us, ok := p.US[d.Choice.Implementation]
		if !ok {
			return CurveFigures{}, fmt.Errorf("%s: nothing was measured of %s", p.Label, d.Choice.Implementation)
		}
		ratios[i], off[i] = us/recorded.Best(p.US), math.Abs(d.Choice.PredictedUS/us-1)
		if us >= d.Choice.LowUS && us <= d.Choice.HighUS {
			covered++
		}
	}
	l := model.LossOf(ratios)
	return CurveFigures{l.GeometricMean, l.P90, l.Max, 100 * validate.Quantile(off, 0.5), 100 * float64(covered) / float64(len(c.judge))}, nil
}

// curveDraws is how many draws each number of measured points has.
const curveDraws = 3

// Learned is the learning curve of a model, nil for the embedded one.
func Learned(m *model.Model) ([]CurvePoint, error) {
	if m == nil {
		return ownCurve()
	}
	return LearningCurve(context.Background(), CurveOptions{Base: m, Seeds: curveDraws})
}

// ownCurve is that of the embedded model, found once.
var ownCurve = sync.OnceValues(func() ([]CurvePoint, error) {
	return LearningCurve(context.Background(), CurveOptions{Seeds: curveDraws})
})
