package leaveoneout

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// OfRecordings chooses for an archive's questions by each rule, without the question's own
// stream and family.
func OfRecordings(a *archive.Archive) ([]OffOptimal, error) {
	questions, err := recorded.Questions(a)
	if err != nil {
		return nil, err
	}
	t, err := recordedTable(questions)
	if err != nil {
		return nil, err
	}
	return t.allOff()
}

// OfSweeps chooses so for the points of the journals of sweeps.
func OfSweeps(journals []string) (all []OffOptimal, err error) {
	for _, path := range journals {
		t, err := sweepTable(path)
		if err != nil {
			return nil, err
		}
		rows, err := t.allOff()
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	return all, nil
}

// recordedTable has the measured times of the implementations that a choice
// ranks.
func recordedTable(questions []recorded.Question) (*table, error) {
	gpu := questions[0].Device
	base, err := recorded.Model(gpu.Name)
	if err != nil {
		return nil, err
	}
	t := &table{profile: gpu, base: base, times: measuredTimes}
	t.variants, _ = recorded.Measured(questions)
	closed := recorded.NewPrices(gpu)
	for i := range questions {
		q := &questions[i]
		in := input{stream: q.Label, label: q.Label, family: q.Family(), stats: q.Stats, call: q.Call}
		for _, v := range t.variants {
			us, ok := q.US[v]
			price := closed.US(v, q.Stats, q.Call)
			if !ok || math.IsNaN(price) {
				us, price = math.NaN(), math.NaN()
			}
			in.us, in.closed = append(in.us, us), append(in.closed, price)
		}
		if in.fastest(in.us) < 0 {
			return nil, fmt.Errorf("%s, %s: no implementation was measured", q.Label, q.Kind())
		}
		t.inputs = append(t.inputs, in)
	}
	return t, nil
}

// sweepTable has the simulated times of the points of a journal at which all
// implementations were simulated: at the others those are missing that the
// closed forms rule out, which a rule without closed forms may choose.
func sweepTable(path string) (*table, error) {
	gpu, j, err := learners.ReadSweep(path)
	if err != nil {
		return nil, err
	}
	t := &table{profile: gpu, times: simulatedTimes, variants: variant.Candidates()}
	closed := recorded.NewPrices(gpu)
	for _, r := range j.Rows {
		if !j.Header.Sweep.Whole(r.Point) {
			continue
		}
		place, err := training.PointOf(j.Header.Sweep, r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		in := input{
			stream: fmt.Sprint("line ", j.Header.Sweep.LineOf(r.Point)), family: place.Stream.Family,
			label: fmt.Sprint("point ", r.Point), stats: &r.Stats, call: place.Call,
		}
		for _, v := range t.variants {
			us, ok := r.US[v.String()]
			price := closed.US(v, &r.Stats, place.Call)
			if ok == math.IsNaN(price) {
				return nil, fmt.Errorf("%s: point %d, %s: simulated: %t, but its closed form is %v us",
					path, r.Point, v, ok, price)
			}
			if !ok {
				us = math.NaN()
			}
			in.us, in.closed = append(in.us, us), append(in.closed, price)
		}
		t.inputs = append(t.inputs, in)
	}
	if len(t.inputs) == 0 {
		return nil, fmt.Errorf("%s: no point at which all implementations were simulated", path)
	}
	return t, nil
}
