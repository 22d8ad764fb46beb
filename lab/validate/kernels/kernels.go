// Package kernels compares whole calls on an NVIDIA H200 with their simulated times and
// with the closed forms, and the order of the implementations on each stream.
//
// After a change of the simulator or of the H200's profile, "script/regenerate calls" simulates the
// table again, which takes long; calls that it holds of the same profile and simulator stay. After a
// change of closed forms alone, "script/regenerate kernels" is enough.
package kernels

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// KernelReport is what whole calls on an H200 say about simulator and closed forms.
type KernelReport struct {
	Plan            KernelPlan  `json:"plan"`
	Calls           int         `json:"calls"`     // compared
	Available       int         `json:"available"` // recorded on held-out synthetic streams
	Streams         int         `json:"streams"`
	Rows            []KernelRow `json:"rows"`
	Implementations []FormRow   `json:"forms"`
	// Checks holds each figure of the rows and implementations, the ranking of the rows' calls, conservation
	// and the table's state to its limit.
	Checks []validate.Check `json:"checks"`
	Failed []string         `json:"failed"`
	points []point
}

// KernelRow sums up the calls of one implementation of one kind.
type KernelRow struct {
	Implementation impl.Spec `json:"implementation"`
	device.Call
	Calls      int         `json:"calls"`
	Simulated  KernelError `json:"simulated"`
	ClosedForm KernelError `json:"closed_form"`
}

// KernelError says how predicted times lie to measured ones; the error of a
// call is |predicted/measured - 1|.
type KernelError struct {
	Calls         int     `json:"calls"` // that could be predicted
	MedianPercent float64 `json:"median_error_percent"`
	P90Percent    float64 `json:"p90_error_percent"`
	MedianRatio   float64 `json:"median_ratio"` // predicted over measured
	Status        string  `json:"status"`       // of its checks: Enforced, KnownGap or Failed
}

// The limits of a row's figures, in percent.
const (
	simulatedMedian  = 10
	simulatedP90     = 30
	closedFormMedian = 15
)

// point is one measured call with its predicted times, NaN if there is none.
type point struct {
	plannedCall
	simulatedUS, closedUS float64
}

// callTimes are times of calls, in microseconds.
type callTimes = map[recorded.CallKey]float64

// kernelGapsFile lists the figures that do not keep their limit, with what they
// keep instead and why, as far as that is known. ATOMTUNE_UPDATE_GOLDEN=1 with
// the tests writes it anew and keeps the reasons.
const kernelGapsFile = "gaps.csv"

//go:embed gaps.csv
var kernelGapsText []byte

func kernelGaps() (map[string]validate.Gap, error) {
	return validate.DecodeGaps(kernelGapsFile, kernelGapsText)
}

// Kernels compares a table of simulated times, and the closed forms, with the recorded times of
// the same calls. Errors wrap ErrValidate.
func Kernels(t KernelTable) (r KernelReport, err error) {
	defer validate.Wrap(&err)
	gaps, err := kernelGaps()
	if err != nil {
		return r, err
	}
	if r, err = compared(t); err == nil {
		r.judge(gaps)
	}
	return r, err
}

// compared is a report without known gaps.
func compared(t KernelTable) (r KernelReport, err error) {
	g, err := recordedSet()
	if err != nil {
		return r, err
	}
	simulated := make(callTimes, len(t.Times))
	for _, c := range t.Times {
		simulated[c.CallKey] = c.US
	}
	r.Plan = t.Plan
	r.points = g.points(g.plannedStreams(t.Plan), simulated)
	r.Available = len(g.calls)
	streams := map[string]bool{}
	for _, p := range r.points {
		streams[p.Label] = true
	}
	r.Calls, r.Streams = len(r.points), len(streams)
	r.Rows = kernelRows(r.points)
	for _, row := range r.Rows {
		r.Checks = append(r.Checks, row.checks()...)
	}
	r.Implementations = g.formRows(t.Plan, simulated)
	for _, row := range r.Implementations {
		r.Checks = append(r.Checks, row.checks()...)
	}
	r.Checks = append(r.Checks, ranking(r.points)...)
	state, err := g.state(t, g.planned(t.Plan))
	if err != nil {
		return r, err
	}
	r.Checks = append(r.Checks, state...)
	return r, nil
}

// judge marks known gaps, lists what has failed, and gives each row its statuses: of the
// checks, those of the rows stand first, and then those of the implementations.
func (r *KernelReport) judge(gaps map[string]validate.Gap) {
	r.Failed = validate.Judge(r.Checks, gaps)
	worst := func(checks ...validate.Check) string {
		status := validate.Enforced
		for _, c := range checks {
			if state := c.State(); state != validate.Enforced && status != validate.Failed {
				status = state
			}
		}
		return status
	}
	left := r.Checks
	mark := func(simulated, closed *KernelError) {
		simulated.Status, closed.Status = worst(left[:2]...), worst(left[2])
		left = left[rowChecks:]
	}
	for i := range r.Rows {
		mark(&r.Rows[i].Simulated, &r.Rows[i].ClosedForm)
	}
	for i := range r.Implementations {
		mark(&r.Implementations[i].Simulated, &r.Implementations[i].ClosedForm)
	}
}

// points pairs planned calls with their predictions.
func (g *recordedKernels) points(planned []plannedCall, simulated callTimes) (list []point) {
	closed := recorded.NewPrices(g.gpu)
	for _, c := range planned {
		us, s := math.NaN(), g.streams[c.Label]
		if simulated[c.CallKey] > 0 {
			us = simulated[c.CallKey] + g.gpu.Launch.LaterStart.Value
		}
		list = append(list, point{c, us, closed.US(c.Implementation, &s, c.Call)})
	}
	return list
}

// kernelRows sums up the calls of each implementation and kind: candidates
// first, in the order of impl.Candidates, then the others by name, and the kinds of call of
// each in the order of type, operand and returned values.
func kernelRows(points []point) []KernelRow {
	groups := map[recorded.CallKey][]point{}
	for _, p := range points {
		key := p.CallKey
		key.Label = ""
		groups[key] = append(groups[key], p)
	}
	rows := make([]KernelRow, 0, len(groups))
	for key, group := range groups {
		rows = append(rows, KernelRow{
			Implementation: key.Implementation, Call: key.Call, Calls: len(group),
			Simulated: errorOf(group, func(p point) float64 { return p.simulatedUS }),
			ClosedForm: errorOf(group, func(p point) float64 {
				if recorded.Shaping(p.Label) {
					return math.NaN()
				}
				return p.closedUS
			}),
		})
	}
	candidates := impl.Candidates()
	place := func(v impl.Spec) int {
		if i := slices.Index(candidates, v); i >= 0 {
			return i
		}
		return len(candidates)
	}
	slices.SortFunc(rows, func(a, b KernelRow) int {
		return cmp.Or(place(a.Implementation)-place(b.Implementation),
			strings.Compare(a.Implementation.String(), b.Implementation.String()),
			recorded.CallKey{Call: a.Call}.Compare(recorded.CallKey{Call: b.Call}))
	})
	return rows
}

func errorOf(group []point, us func(point) float64) KernelError {
	var errs, ratios []float64
	for _, p := range group {
		if ratio := us(p) / p.measuredUS; !math.IsNaN(ratio) {
			errs, ratios = append(errs, math.Abs(ratio-1)), append(ratios, ratio)
		}
	}
	if len(errs) == 0 {
		return KernelError{}
	}
	return KernelError{Calls: len(errs), MedianPercent: 100 * quantile.Of(errs, 0.5),
		P90Percent: 100 * quantile.Of(errs, 0.9), MedianRatio: quantile.Of(ratios, 0.5)}
}

// checks holds a row's figures to their limits.
func (r KernelRow) checks() []validate.Check {
	name := recorded.KindName(r.Implementation, r.Call)
	return errorChecks(name, r.Simulated, r.ClosedForm, closedFormMedian)
}

// rowChecks is how many checks a row has.
const rowChecks = 3

// errorChecks holds simulated times and closed forms to their limits.
func errorChecks(name string, simulated, closed KernelError, median float64) []validate.Check {
	check := func(figure string, percent, limit float64, calls int) validate.Check {
		return validate.AtMost(name+": "+figure, percent, limit, validate.UnitPercent, calls)
	}
	return []validate.Check{
		check("simulated, median error", simulated.MedianPercent, simulatedMedian, simulated.Calls),
		check("simulated, 90th percentile", simulated.P90Percent, simulatedP90, simulated.Calls),
		check("closed form, median error", closed.MedianPercent, median, closed.Calls),
	}
}

// state holds the table to its plan, profile and simulator, and the simulator's
// reference calls to conservation.
func (g *recordedKernels) state(t KernelTable, planned []plannedCall) ([]validate.Check, error) {
	b, err := h200Behaviour()
	if err != nil {
		return nil, err
	}
	now := g.head(b)
	count := func(differ ...bool) (n float64) {
		for _, d := range differ {
			if d {
				n++
			}
		}
		return n
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
	return []validate.Check{
		validate.AtMost("conservation: reference calls in which an update was lost, doubled or left open",
			float64(b.lost), 0, "calls", b.runs),
		validate.AtMost("table: calls missing or too many by its plan", strays, 0, "calls", len(planned)),
		validate.AtMost("table: made with another profile",
			count(t.Profile != now.Profile, t.Device != now.Device), 0, "", 1),
		validate.AtMost("table: made with another simulator or seed",
			count(t.Behaviour != now.Behaviour, t.Seed != now.Seed), 0, "", 1),
	}, nil
}
