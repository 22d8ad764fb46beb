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
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// measured holds measured points beside what the base predicts for them.
type measured struct {
	variants []variant.Variant
	ranked   int // of the variants, those that stand first: the candidates
	points   []measuredPoint
	streams  int
	hash     string // SHA-256 of the points
}

// measuredPoint is one point. The lists have an entry for each variant, NaN
// where it was not measured.
type measuredPoint struct {
	stream int // number of its label, in the order of labels
	x      []float64
	base   []float64 // predicted us of the kernels
	us     []float64 // measured us of the kernels
	off    []float64 // ln(us/base), outliers drawn in
	host   []float64 // us of the host
	behind []bool    // not to be ranked before naive: see notBelowNaive
	weight []float64 // see contention
}

func compareNames(a, b variant.Variant) int { return cmp.Compare(a.String(), b.String()) }

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
	prices := pricing{model.NewPredictors(t.variants, d, base), d, t.variants}
	sum := sha256.New()
	for i, p := range points {
		if i > 0 && compareMeasured(points[i-1], p) == 0 {
			return nil, fmt.Errorf("%w: %s stands twice", model.ErrRows, p.title())
		}
		if i == 0 || points[i-1].Label != p.Label {
			t.streams++
		}
		one, err := prices.point(&p)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", model.ErrRows, p.title(), err)
		}
		one.stream = t.streams - 1
		t.points = append(t.points, one)
		if err := json.NewEncoder(sum).Encode(p); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", model.ErrRows, p.title(), err)
		}
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

// pricing predicts points.
type pricing struct {
	*model.Predictors
	device   *device.Profile
	variants []variant.Variant
}

// check refuses points to which no model applies.
func (r *pricing) check(m *Measured) error {
	if m.Label == "" || len(m.US) == 0 {
		return fmt.Errorf("label %q, %d measured implementations", m.Label, len(m.US))
	}
	if err := m.Call.Validate(); err != nil {
		return err
	}
	if !r.device.LikeAdd(m.Call) {
		return fmt.Errorf("%s makes %s of %s in another way than sums, to which models belong",
			r.device.Name, m.Call.Op, m.Call.Type)
	}
	if err := model.CheckStats(&m.Stats, int(r.device.Core.WarpLanes.Value)); err != nil {
		return &StreamError{m.Label, err}
	}
	return nil
}

func (r *pricing) point(m *Measured) (measuredPoint, error) {
	if err := r.check(m); err != nil {
		return measuredPoint{}, err
	}
	var x model.Vector
	x.Fill(&m.Stats, m.Call)
	one := measuredPoint{x: x[:]}
	if err := r.Predict(&m.Stats, m.Call); err != nil {
		return measuredPoint{}, err
	}
	closedNaive := math.Inf(1)
	for _, v := range r.variants {
		us, ok := m.US[v]
		if !ok {
			one.add(math.NaN(), math.NaN(), 0, false)
			continue
		}
		if !(us > 0) || math.IsInf(us, 1) {
			return measuredPoint{}, fmt.Errorf("%s: measured time %v us", v, us)
		}
		price, err := r.Of(v)
		if err != nil {
			return measuredPoint{}, fmt.Errorf("%s was measured: %w", v, err)
		}
		if v.IsNaive() {
			closedNaive = price.Closed
		}
		if !(math.Abs(math.Log(us/price.Kernels)) <= model.MaxLogFactor/2) {
			return measuredPoint{}, fmt.Errorf("%s: measured %v us, predicted %v us", v, us, price.Kernels)
		}
		one.add(price.Kernels, us, price.Host, !v.IsNaive() &&
			model.BehindNaive(v, price.Closed, closedNaive))
	}
	one.contention()
	return one, nil
}

func (p *measuredPoint) add(base, us, host float64, behind bool) {
	p.base = append(p.base, base)
	p.us = append(p.us, us)
	p.off = append(p.off, math.Log(us/base))
	p.host = append(p.host, host)
	p.behind = append(p.behind, behind)
}

// contention weighs an implementation by how near it comes to the fastest, as predicted or
// as measured: ten times as long weighs a tenth.
func (p *measuredPoint) contention() {
	predicted, taken := math.Inf(1), math.Inf(1)
	for v := range p.us {
		if !math.IsNaN(p.us[v]) {
			predicted, taken = min(predicted, p.base[v]), min(taken, p.us[v])
		}
	}
	for v := range p.us {
		w := 0.0
		if !math.IsNaN(p.us[v]) {
			w = max(predicted/p.base[v], taken/p.us[v])
		}
		p.weight = append(p.weight, w)
	}
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

// winsorize draws residuals far off those of their implementation in to the outlier
// distance.
func (t *measured) winsorize() {
	for v := range t.variants {
		var all []float64
		for i := range t.points {
			if y := t.points[i].off[v]; !math.IsNaN(y) {
				all = append(all, y)
			}
		}
		if len(all) == 0 {
			continue
		}
		middle := model.SortedQuantile(all, 0.5)
		for i := range all {
			all[i] = math.Abs(all[i] - middle)
		}
		if far := outlier * 1.4826 * model.SortedQuantile(all, 0.5); far > 0 {
			for i := range t.points {
				y := &t.points[i].off[v]
				if !math.IsNaN(*y) {
					*y = max(middle-far, min(*y, middle+far))
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

// MeasuredPoints groups recorded calls to points, in the order of their first call. Calls
// that were predicted or wrong are passed over and counted. The error is a *CallError where
// a call's stream is missing or another.
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
		if c.Origin != recordings.Measured || !c.Correct {
			passed++
			continue
		}
		s := byLabel[c.Label]
		if s == nil {
			return nil, 0, &CallError{i, fmt.Sprintf("no statistics of stream %s", c.Label)}
		}
		if s.Stats.Updates != c.Updates || s.Stats.Bins != c.Bins {
			return nil, 0, &CallError{i,
				fmt.Sprintf("%d updates of %d targets, the statistics of stream %s are of %d of %d",
					c.Updates, c.Bins, c.Label, s.Stats.Updates, s.Stats.Bins)}
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
