// Package kernels compares whole calls on an NVIDIA H200 with their simulated times and
// with the closed forms, and the order of the implementations on each stream.
package kernels

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// KernelReport is what whole calls on an H200 say about simulator and closed
// forms.
type KernelReport struct {
	Plan      KernelPlan  `json:"plan"`
	Calls     int         `json:"calls"`     // compared
	Available int         `json:"available"` // recorded on held-out synthetic streams
	Streams   int         `json:"streams"`
	Rows      []KernelRow `json:"rows"`
	Rivals    []RivalLoss `json:"rivals"`
	// Checks holds each figure of the rows, the ranking, conservation and the
	// table's state to its limit.
	Checks []validate.Check `json:"checks"`
	Failed []string         `json:"failed"`
	points []point
}

// KernelRow sums up the calls of one implementation of one kind.
type KernelRow struct {
	Implementation variant.Variant `json:"implementation"`
	device.Call
	Calls      int         `json:"calls"`
	Simulated  KernelError `json:"simulated"`
	ClosedForm KernelError `json:"closed_form"`
}

// Name names the row in checks and known gaps.
func (r KernelRow) Name() string { return recorded.KindName(r.Implementation, r.Call) }

// KernelError says how predicted times lie to measured ones; the error of a
// call is |predicted/measured - 1|.
type KernelError struct {
	Calls         int     `json:"calls"` // that could be predicted
	MedianPercent float64 `json:"median_error_percent"`
	P90Percent    float64 `json:"p90_error_percent"`
	MedianRatio   float64 `json:"median_ratio"` // predicted over measured
	Status        string  `json:"status"`       // of its checks: Enforced, KnownGap or Failed
}

// Failed is the status of a row with a figure that keeps neither its limit nor
// what a known gap says.
const Failed = "failed"

// The limits of a row's figures, in percent, and of the ranking.
const (
	simulatedMedian  = 10
	simulatedP90     = 30
	closedFormMedian = 15
	rankingTau       = 0.85
)

// point is one measured call with its predicted times, NaN where there is none.
type point struct {
	plannedCall
	simulatedUS, closedUS float64
}

// Kernels compares a table of simulated times, and the closed forms, with the
// recorded times of the same calls. Errors wrap ErrValidate.
func Kernels(t KernelTable) (KernelReport, error) {
	gaps, err := kernelGaps()
	var r KernelReport
	if err == nil {
		r, err = kernels(t, gaps)
	}
	if err != nil {
		return KernelReport{}, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return r, nil
}

func kernels(t KernelTable, gaps map[string]validate.Gap) (r KernelReport, err error) {
	g, err := recordedSet()
	if err != nil {
		return r, err
	}
	simulated := make(map[recorded.CallKey]float64, len(t.Times))
	for _, c := range t.Times {
		simulated[c.CallKey] = c.US
	}
	r.Plan = t.Plan
	planned := g.planned(t.Plan)
	if r.points, err = g.points(planned, simulated); err != nil {
		return r, err
	}
	r.count(g)
	r.Rows = kernelRows(r.points)
	for _, row := range r.Rows {
		r.Checks = append(r.Checks, row.checks()...)
	}
	r.Checks = append(r.Checks, ranking(r.points)...)
	stated, err := g.state(t, planned)
	if err != nil {
		return r, err
	}
	r.Checks = append(r.Checks, stated...)
	r.judge(gaps)
	r.Rivals, err = g.losses(kernelRules(), t.Plan, simulated)
	return r, err
}

func (r *KernelReport) count(g recordedKernels) {
	for _, c := range g.calls {
		if c.measuredUS > 0 {
			r.Available++
		}
	}
	streams := map[string]bool{}
	for _, p := range r.points {
		streams[p.Label] = true
	}
	r.Calls, r.Streams = len(r.points), len(streams)
}

// points pairs the measured ones of the planned calls with their predictions.
// The host's re-layout is part of no recorded time.
func (g *recordedKernels) points(planned []plannedCall, simulated map[recorded.CallKey]float64) (list []point, err error) {
	bare := *g.gpu
	bare.Host.Relayout.Value = 0
	type kind struct {
		v variant.Variant
		c device.Call
	}
	models := map[kind]*speedup.Model{}
	for _, c := range planned {
		if c.measuredUS == 0 {
			continue
		}
		p := point{c, math.NaN(), math.NaN()}
		if us := simulated[c.CallKey]; us > 0 {
			p.simulatedUS = us
		}
		k := kind{c.Implementation, c.Call}
		m, ok := models[k]
		if !ok {
			if m, err = speedup.Compile(k.v, &bare, k.c); err != nil {
				return nil, fmt.Errorf("%s: %w", c.CallKey, err)
			}
			models[k] = m
		}
		p.closedUS = recorded.Priced(m, g.streams[c.Label])
		list = append(list, p)
	}
	return list, nil
}

// kernelRows sums up the calls of each implementation and kind, candidates
// first, in the order of variant.Candidates, then the others by name.
func kernelRows(points []point) []KernelRow {
	groups := map[string][]point{}
	for _, p := range points {
		name := recorded.KindName(p.Implementation, p.Call)
		groups[name] = append(groups[name], p)
	}
	rows := make([]KernelRow, 0, len(groups))
	for _, group := range groups {
		rows = append(rows, KernelRow{
			Implementation: group[0].Implementation, Call: group[0].Call, Calls: len(group),
			Simulated: errorOf(group, func(p point) float64 { return p.simulatedUS }),
			ClosedForm: errorOf(group, func(p point) float64 {
				if recorded.Shaping(p.Label) {
					return math.NaN()
				}
				return p.closedUS
			}),
		})
	}
	sortRows(rows)
	return rows
}

func errorOf(group []point, us func(point) float64) KernelError {
	var errs, ratios []float64
	for _, p := range group {
		if ratio := us(p) / p.measuredUS; !math.IsNaN(ratio) {
			errs, ratios = append(errs, ratio-1), append(ratios, ratio)
		}
	}
	for i := range errs {
		errs[i] = math.Abs(errs[i])
	}
	return KernelError{Calls: len(errs), MedianPercent: 100 * validate.Quantile(errs, 0.5), P90Percent: 100 * validate.Quantile(errs, 0.9),
		MedianRatio: validate.Quantile(ratios, 0.5)}
}

// checks holds a row's figures to their limits.
func (r KernelRow) checks() []validate.Check {
	check := func(item string, value, limit float64, rows int) validate.Check {
		return validate.Check{Item: r.Name() + ": " + item, Value: value, Limit: limit, Unit: "%", Rows: rows, Status: validate.Enforced}
	}
	return []validate.Check{
		check("simulated, median error", r.Simulated.MedianPercent, simulatedMedian, r.Simulated.Calls),
		check("simulated, 90th percentile", r.Simulated.P90Percent, simulatedP90, r.Simulated.Calls),
		check("closed form, median error", r.ClosedForm.MedianPercent, closedFormMedian, r.ClosedForm.Calls),
	}
}

// state holds the table to its plan, profile and simulator, and the simulator's
// reference calls to conservation.
func (g *recordedKernels) state(t KernelTable, planned []plannedCall) ([]validate.Check, error) {
	b, err := h200Behaviour()
	if err != nil {
		return nil, err
	}
	differ := func(a, b any) float64 {
		if a == b {
			return 0
		}
		return 1
	}
	strays := float64(max(len(planned), len(t.Times)))
	wanted := make(map[recorded.CallKey]bool, len(planned))
	for _, c := range planned {
		wanted[c.CallKey] = true
	}
	for _, c := range t.Times {
		if wanted[c.CallKey] {
			strays--
		}
	}
	checks := []validate.Check{
		{Item: "conservation: reference calls in which an update was lost, doubled or left open", Value: float64(b.lost), Unit: "calls", Rows: b.runs},
		{Item: "table: calls missing or too many by its plan", Value: strays, Unit: "calls", Rows: len(planned)},
		{Item: "table: made with another profile", Value: differ(t.Profile, model.ProfileHash(g.gpu)) + differ(t.Device, g.gpu.Name), Rows: 1},
		{Item: "table: made with another simulator or seed", Value: differ(t.Behaviour, b.hash) + differ(t.Seed, uint64(kernelSeed)), Rows: 1},
	}
	for i := range checks {
		checks[i].Status = validate.Enforced
	}
	return checks, nil
}
