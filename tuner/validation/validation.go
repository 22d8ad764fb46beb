// Package validation judges models of package model by calls that were recorded on the device, and gives
// their times an interval. No tree learns from a call; one whose choices lose too much on calls is believed
// in part or not at all.
package validation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/tuner/model"
)

// Measured is what was measured on one stream for one kind of call.
type Measured struct {
	Label string // names the stream
	Stats collision.Stats
	Call  device.Call
	// US holds the measured time in microseconds of any implementations; of ss
	// and sr+ss without the re-layout on the host.
	US map[impl.Spec]float64
}

// Judge returns the model with the intervals that measured points give, and with the losses of its
// choices among what was measured at each point. Where these lose more than the limits allow, the tree's
// corrections shrink. A nil base stands for the closed forms alone. The order of
// points does not matter. The error wraps ErrRows and names the point, with a *StreamError where its
// statistics are at fault, or ErrModel for a base of another device.
func Judge(d *device.Profile, base *model.Model, points []Measured) (*model.Model, error) {
	m, err := calibrated(d, base, slices.SortedFunc(slices.Values(points), compare))
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return m, nil
}

func calibrated(d *device.Profile, base *model.Model, points []Measured) (*model.Model, error) {
	if base == nil {
		base = model.New()
		base.Device, base.ProfileHash, base.ClosedForms = d.Name, model.ProfileHash(d), model.ClosedFormsHash(d)
	}
	if err := base.Fits(d); err != nil {
		return nil, err
	}
	if len(points) == 0 {
		return nil, fmt.Errorf("%w: no measured point", model.ErrRows)
	}
	result := model.Intervals{Points: len(points)}
	sum := sha256.New()
	for i := range points {
		p := &points[i]
		if i > 0 && compare(points[i-1], *p) == 0 {
			return nil, fmt.Errorf("%w: %s is given twice", model.ErrRows, p.title())
		}
		if i == 0 || points[i-1].Label != p.Label {
			result.Streams++
		}
		if err := json.NewEncoder(sum).Encode(p); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", model.ErrRows, p.title(), err)
		}
	}
	result.Hash = hex.EncodeToString(sum.Sum(nil))
	for _, share := range shares {
		m := base.Shared(share)
		j := judge{prices: model.NewPredictors(measured(points), d, m), ranked: d.Ranked()}
		for i := range points {
			if err := j.point(&points[i]); err != nil {
				return nil, fmt.Errorf("%w: %s: %w", model.ErrRows, points[i].title(), err)
			}
		}
		result.Share, result.Classes = share, j.intervals()
		result.Tree, result.ClosedForm = model.Summarize(j.tree), model.Summarize(j.closed)
		if result.Tree.Keeps(result.ClosedForm) {
			m = m.With(&result)
			return m, m.Validate()
		}
	}
	panic("closed forms lose more than themselves")
}

// shares are the shares of a tree's corrections that are tried: the first that keeps the limits is taken.
var shares = []float64{1, 0.5, 0.25, 0}

// measured lists what was measured at any point, in the order of names.
func measured(points []Measured) []impl.Spec {
	all := map[impl.Spec]float64{}
	for _, p := range points {
		maps.Copy(all, p.US)
	}
	return slices.SortedFunc(maps.Keys(all),
		func(a, b impl.Spec) int { return cmp.Compare(a.String(), b.String()) })
}

// compare orders points by label, then by call.
func compare(a, b Measured) int {
	order := func(c device.Call) int {
		n := int(c.Op)<<16 | int(c.Type)<<8 | int(c.Operand)<<1
		if c.Returns {
			n++
		}
		return n
	}
	return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(order(a.Call), order(b.Call)))
}

// judge collects what points say.
type judge struct {
	prices       *model.Predictors
	ranked       []impl.Spec
	residuals    [3][]float64 // ln(measured/predicted), by class
	tree, closed []float64    // ln of the losses of choices
}

// point adds one point.
func (j *judge) point(p *Measured) error {
	if err := p.check(j.prices.Device); err != nil {
		return err
	}
	if err := j.prices.Predict(&p.Stats, p.Call); err != nil {
		return err
	}
	best := math.Inf(1)
	var priced []model.Priced
	list := measured([]Measured{*p})
	for _, v := range list {
		us := p.US[v]
		if !(us > 0) || math.IsInf(us, 1) {
			return fmt.Errorf("%s: measured time %v us", v, us)
		}
		of, err := j.prices.Of(v)
		if err != nil {
			return fmt.Errorf("%s was measured: %w", v, err)
		}
		off := math.Log(us / of.Kernels)
		if !(math.Abs(off) <= model.MaxLogFactor/2) {
			return fmt.Errorf("%s: measured %v us, predicted %v us", v, us, of.Kernels)
		}
		j.residuals[v.Class()] = append(j.residuals[v.Class()], off)
		if v.OnHost() || !slices.Contains(j.ranked, v) {
			continue // a choice is judged among what it ranks, without the host
		}
		priced = append(priced, model.Priced{Implementation: v, Prediction: of})
		best = min(best, us)
	}
	if byTree, byClosed := model.Choices(priced); byTree >= 0 {
		j.tree = append(j.tree, math.Log(p.US[priced[byTree].Implementation]/best))
		j.closed = append(j.closed, math.Log(p.US[priced[byClosed].Implementation]/best))
	}
	return nil
}

// fewest is the number of calls from which a class has quantiles of its own; with fewer it takes those of
// all.
const fewest = 20

// intervals returns the central 90 % of the residuals of each class.
func (j *judge) intervals() (list [3]model.Interval) {
	all := slices.Concat(j.residuals[:]...)
	for class, own := range j.residuals {
		list[class].Calls = len(own)
		if len(own) < fewest {
			own = all
		}
		list[class].Low, list[class].High = math.Exp(quantile.Of(own, 0.05)), math.Exp(quantile.Of(own, 0.95))
	}
	return list
}

func (p *Measured) title() string {
	returns := map[bool]string{true: " returns"}[p.Call.Returns]
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
		return fmt.Errorf("%s executes %s of %s differently from sums, for which models are trained",
			d.Name, p.Call.Op, p.Call.Type)
	}
	if err := model.CheckStats(&p.Stats, int(d.Core.WarpLanes.Value)); err != nil {
		return &StreamError{p.Label, err}
	}
	return nil
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
		switch s := byLabel[c.Label]; {
		case s == nil:
			return nil, 0, &CallError{i, fmt.Sprintf("no statistics of stream %s", c.Label)}
		case s.Stats.Updates != c.Updates || s.Stats.Bins != c.Bins:
			return nil, 0, &CallError{i, fmt.Sprintf("%d updates of %d targets, the statistics of "+
				"stream %s are of %d of %d", c.Updates, c.Bins, c.Label, s.Stats.Updates, s.Stats.Bins)}
		}
		k := key{c.Label, c.Call}
		at, ok := place[k]
		if !ok {
			at = len(points)
			place[k] = at
			points = append(points, Measured{Label: c.Label, Stats: byLabel[c.Label].Stats, Call: c.Call,
				US: map[impl.Spec]float64{}})
		}
		points[at].US[c.Implementation] = c.MedianUS
	}
	return points, passed, nil
}
