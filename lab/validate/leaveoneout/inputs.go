package leaveoneout

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// The kinds of times.
const (
	measuredTimes  = "measured"
	simulatedTimes = "simulated"
)

// SweepTables reads the journals.
func SweepTables(journals []string) ([]*looTable, error) {
	var tables []*looTable
	for _, path := range journals {
		t, err := sweepTable(path)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, nil
}

// LeaveOneOut chooses for the recorded questions and for the points of the
// sweeps, by each rule, without the input's own stream and family.
func LeaveOneOut(sweeps []*looTable) ([]OffOptimal, error) {
	all, err := recordedOff()
	if err != nil {
		return nil, err
	}
	all = slices.Clone(all)
	for _, t := range sweeps {
		rows, err := t.allOff()
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// recordedOff is what leaveOneOut finds on the recorded questions, once.
var recordedOff = sync.OnceValues(func() ([]OffOptimal, error) {
	questions, err := recorded.Questions()
	if err != nil {
		return nil, err
	}
	t, err := recordedTable(questions)
	if err != nil {
		return nil, err
	}
	return t.allOff()
})

// allOff sums up the choices by each rule.
func (t *looTable) allOff() ([]OffOptimal, error) {
	var all []OffOptimal
	for _, held := range []string{heldStream, heldFamily} {
		for _, rule := range looRules() {
			row, err := t.off(rule, held)
			if err != nil {
				return nil, err
			}
			all = append(all, row)
		}
	}
	return all, nil
}

// recordedTable has the measured times of the implementations that a choice
// ranks.
func recordedTable(questions []recorded.Question) (*looTable, error) {
	p, err := newPricer("h200")
	if err != nil {
		return nil, err
	}
	base, err := model.Embedded("h200")
	if err != nil {
		return nil, err
	}
	t := &looTable{profile: p.profile, base: base, times: measuredTimes, variants: variant.OnDevice()}
	for i := range questions {
		q := &questions[i]
		in := looInput{stream: q.Label, label: q.Label, family: q.Family(), stats: q.Stats, call: q.Call}
		for _, v := range t.variants {
			us, ok := q.US[v]
			closed := p.us(v, q.Stats, q.Call)
			if !ok || math.IsNaN(closed) {
				us, closed = math.NaN(), math.NaN()
			}
			in.us, in.closed = append(in.us, us), append(in.closed, closed)
		}
		if in.fastest(in.us) < 0 {
			return nil, fmt.Errorf("%s, %s: no implementation was measured", q.Label, in.kind())
		}
		t.inputs = append(t.inputs, in)
	}
	return t, nil
}

// sweepTable has the simulated times of the points of a journal at which all
// implementations were simulated: at the others those are missing that the
// closed forms rule out, which a rule without closed forms may choose.
func sweepTable(path string) (*looTable, error) {
	gpu, j, err := learners.ReadSweep(path)
	if err != nil {
		return nil, err
	}
	p, err := newPricer(gpu.Name)
	if err != nil {
		return nil, err
	}
	t := &looTable{profile: p.profile, times: simulatedTimes, variants: variant.Candidates()}
	for _, r := range j.Rows {
		if !j.Header.Sweep.Whole(r.Point) {
			continue
		}
		place, err := training.PointOf(j.Header.Sweep, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in := looInput{
			stream: fmt.Sprint("line ", j.Header.Sweep.LineOf(r.Point)), label: fmt.Sprint("point ", r.Point),
			family: place.Stream.Family, stats: &r.Stats, call: place.Call,
		}
		for _, v := range t.variants {
			us, ok := r.US[v.String()]
			closed := p.us(v, &r.Stats, place.Call)
			if ok == math.IsNaN(closed) {
				return nil, fmt.Errorf("%s: point %d, %s: simulated: %t, but its closed form is %v us", path, r.Point, v, ok, closed)
			}
			if !ok {
				us = math.NaN()
			}
			in.us, in.closed = append(in.us, us), append(in.closed, closed)
		}
		t.inputs = append(t.inputs, in)
	}
	if len(t.inputs) == 0 {
		return nil, fmt.Errorf("%s: no point at which all implementations were simulated", path)
	}
	return t, nil
}

// pricer prices calls on a device by closed forms, the host's re-layout left out.
type pricer struct {
	profile *device.Profile
	bare    *device.Profile                     // device with free re-layout
	models  map[recorded.CallKey]*speedup.Model // by implementation and call; nil where there is none
}

func newPricer(name string) (*pricer, error) {
	gpu, err := device.Builtin(name)
	if err != nil {
		return nil, err
	}
	bare := *gpu
	bare.Host.Relayout.Value = 0
	return &pricer{gpu, &bare, map[recorded.CallKey]*speedup.Model{}}, nil
}

// us is the closed form's time, NaN where there is none.
func (p *pricer) us(v variant.Variant, s *collision.Stats, c device.Call) float64 {
	key := recorded.CallKey{Call: c, Implementation: v}
	m, ok := p.models[key]
	if !ok {
		var err error
		if m, err = speedup.Compile(v, p.bare, c); err != nil {
			m = nil
		}
		p.models[key] = m
	}
	if m == nil {
		return math.NaN()
	}
	return recorded.Priced(m, *s)
}
