package calibration

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// measured holds measured points beside what the base predicts for them.
type measured struct {
	variants []variant.Variant
	ranked   int // of the variants, those that stand first: the candidates
	points   []measuredPoint
	streams  int
	family   []string // of each stream
	hash     string   // SHA-256 of the points
}

// measuredPoint is one point.
type measuredPoint struct {
	stream int // number of its label, in the order of labels
	x      []float64
	of     []timing // of each variant
}

// timing is what is known of an implementation, in us; off is NaN where it was not measured, and base
// +Inf where it cannot run.
type timing struct {
	base, us float64 // of the kernels: predicted and measured
	off      float64 // ln(us/base), outliers drawn in
	host     float64
	behind   bool // not to be ranked before naive: see model.BehindNaive
}

func (m *timing) measured() bool { return !math.IsNaN(m.off) }

// compareMeasured orders points by label, then by call.
func compareMeasured(a, b Measured) int {
	order := func(c device.Call) int {
		n := int(c.Op)<<16 | int(c.Type)<<8 | int(c.Operand)<<1
		if c.Returns {
			n++
		}
		return n
	}
	return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(order(a.Call), order(b.Call)))
}

// measuredTable checks the points and prices each by the base.
func measuredTable(d *device.Profile, base *model.Model, points []Measured) (*measured, error) {
	if len(points) == 0 {
		return nil, fmt.Errorf("%w: no measured point", model.ErrRows)
	}
	points = slices.SortedFunc(slices.Values(points), compareMeasured)
	t := &measured{}
	t.variants, t.ranked = runnable(d, points)
	prices := model.NewPredictors(t.variants, d, base)
	sum := sha256.New()
	for i, p := range points {
		if i > 0 && compareMeasured(points[i-1], p) == 0 {
			return nil, fmt.Errorf("%w: %s stands twice", model.ErrRows, p.title())
		}
		if i == 0 || points[i-1].Label != p.Label {
			t.streams++
			t.family = append(t.family, recordings.Family(p.Label))
		}
		one, err := t.priced(&p, prices)
		if err == nil {
			err = json.NewEncoder(sum).Encode(p)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", model.ErrRows, p.title(), err)
		}
		t.points = append(t.points, one)
	}
	t.hash = hex.EncodeToString(sum.Sum(nil))
	t.winsorize()
	return t, nil
}

func (p *Measured) title() string {
	returns := ""
	if p.Call.Returns {
		returns = " returns"
	}
	return fmt.Sprintf("%s, %s %s%s", p.Label, p.Call.Type, p.Call.Operand, returns)
}

// check refuses points to which no model applies.
func (p *Measured) check(d *device.Profile) error {
	if p.Label == "" || len(p.US) == 0 {
		return fmt.Errorf("label %q, %d measured implementations", p.Label, len(p.US))
	}
	if err := p.Call.Validate(); err != nil {
		return err
	}
	if !d.LikeAdd(p.Call) {
		return fmt.Errorf("%s makes %s of %s in another way than sums, to which models belong",
			d.Name, p.Call.Op, p.Call.Type)
	}
	if err := model.CheckStats(&p.Stats, int(d.Core.WarpLanes.Value)); err != nil {
		return &StreamError{p.Label, err}
	}
	return nil
}

// priced is a point of the last stream.
func (t *measured) priced(m *Measured, prices *model.Predictors) (one measuredPoint, err error) {
	if err := m.check(prices.Device); err != nil {
		return one, err
	}
	if err := prices.Predict(&m.Stats, m.Call); err != nil {
		return one, err
	}
	var x model.Vector
	x.Fill(&m.Stats, m.Call)
	one = measuredPoint{t.streams - 1, x[:], make([]timing, len(t.variants))}
	closedNaive := math.Inf(1)
	for i, v := range t.variants {
		of := &one.of[i]
		us, ok := m.US[v]
		price, err := prices.Of(v)
		if !ok {
			*of = timing{base: price.Kernels, off: math.NaN(), host: price.Host}
			if err != nil {
				of.base = math.Inf(1)
			}
			continue
		}
		if !(us > 0) || math.IsInf(us, 1) {
			return one, fmt.Errorf("%s: measured time %v us", v, us)
		}
		if err != nil {
			return one, fmt.Errorf("%s was measured: %w", v, err)
		}
		if v.IsNaive() {
			closedNaive = price.Closed
		}
		*of = timing{base: price.Kernels, us: us, off: portable.Log(us / price.Kernels), host: price.Host,
			behind: !v.IsNaive() && model.BehindNaive(v, price.Closed, closedNaive)}
		if !(math.Abs(of.off) <= model.MaxLogFactor/2) {
			return one, fmt.Errorf("%s: measured %v us, predicted %v us", v, us, price.Kernels)
		}
	}
	return one, nil
}

// rows returns the points of the streams that are wanted.
func (t *measured) rows(want func(stream int) bool) []int {
	var rows []int
	for i := range t.points {
		if want(t.points[i].stream) {
			rows = append(rows, i)
		}
	}
	return rows
}

// ranges returns the span of every feature over the points.
func (t *measured) ranges() []model.Range {
	var x [][]float64
	for i := range t.points {
		x = append(x, t.points[i].x)
	}
	return model.Ranges(x)
}

// outlier is the distance from the median, in standard deviations as the median absolute
// deviation estimates them, beyond which a residual is winsorized.
const outlier = 5

// winsorize draws residuals far off those of their implementation in to the outlier distance.
func (t *measured) winsorize() {
	for v := range t.variants {
		var all []float64
		for i := range t.points {
			if m := &t.points[i].of[v]; m.measured() {
				all = append(all, m.off)
			}
		}
		if len(all) == 0 {
			continue
		}
		middle := quantile.Of(all, 0.5)
		for i := range all {
			all[i] = math.Abs(all[i] - middle)
		}
		if far := float64(outlier * 1.4826 * quantile.Of(all, 0.5)); far > 0 {
			for i := range t.points {
				if m := &t.points[i].of[v]; m.measured() {
					m.off = max(middle-far, min(m.off, middle+far))
				}
			}
		}
	}
}

// CallError is the fault of one recorded call. It wraps ErrRows.
type CallError struct {
	Index int // of the call
	Fault string
}

// Error says what is wrong with the call.
func (e *CallError) Error() string { return e.Fault }

// Unwrap returns ErrRows.
func (e *CallError) Unwrap() error { return model.ErrRows }

// StreamError is the fault of the statistics of one stream.
type StreamError struct {
	Label string
	Fault error // of Calibrate, wraps ErrStats
}

// Error says what is wrong with the statistics.
func (e *StreamError) Error() string { return e.Fault.Error() }

// Unwrap returns the fault.
func (e *StreamError) Unwrap() error { return e.Fault }

// MeasuredPoints groups recorded calls to points, in the order of their first call. Calls that were
// predicted, wrong, or in another launch than the rule's are passed over and counted. The error is
// a *CallError where a call's stream is missing or another.
func MeasuredPoints(calls []recordings.Call, streams []recordings.Stream) (points []Measured,
	passed int, err error) {
	byLabel := make(map[string]*recordings.Stream, len(streams))
	for i := range streams {
		byLabel[streams[i].Label] = &streams[i]
	}
	type key struct {
		label string
		call  device.Call
	}
	place := map[key]int{}
	for i := range calls {
		c := &calls[i]
		if c.Origin != recordings.Measured || !c.Correct || c.Fixed {
			passed++
			continue
		}
		s := byLabel[c.Label]
		if s == nil {
			return nil, 0, &CallError{i, fmt.Sprintf("no statistics of stream %s", c.Label)}
		}
		if s.Stats.Updates != c.Updates || s.Stats.Bins != c.Bins {
			return nil, 0, &CallError{i, fmt.Sprintf("%d updates of %d targets, the statistics of "+
				"stream %s are of %d of %d", c.Updates, c.Bins, c.Label, s.Stats.Updates, s.Stats.Bins)}
		}
		k := key{c.Label, c.Call}
		at, ok := place[k]
		if !ok {
			at = len(points)
			place[k] = at
			points = append(points, Measured{Label: c.Label, Stats: s.Stats, Call: c.Call,
				US: map[variant.Variant]float64{}})
		}
		points[at].US[c.Implementation] = c.MedianUS
	}
	return points, passed, nil
}
