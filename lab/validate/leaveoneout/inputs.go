package leaveoneout

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate/recorded"
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

// recordedTable has the measured times of the implementations that a choice
// ranks.
func recordedTable(questions []recorded.Question) (*table, error) {
	gpu := questions[0].Device
	base, err := recorded.Model(gpu.Name)
	if err != nil {
		return nil, err
	}
	t := &table{profile: gpu, base: base}
	t.implementations, _ = recorded.Measured(questions)
	closed := recorded.NewPrices(gpu)
	for i := range questions {
		q := &questions[i]
		in := input{stream: q.Label, label: q.Label, family: q.Family(), stats: q.Stats, call: q.Call}
		for _, v := range t.implementations {
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
