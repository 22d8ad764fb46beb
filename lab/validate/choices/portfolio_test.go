package choices

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
)

// TestPortfolio sums up made-up distances: streams with a hot target are compared with uniform
// ones of their size alone, and where the targets do not fit shared memory.
func TestPortfolio(t *testing.T) {
	d, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	made := func(label string, updates, bins, hottest uint64, over float64) distance {
		return distance{&recorded.Question{Label: label, Asked: recorded.Asked{Device: d,
			Stats: &collision.Stats{Updates: updates, Bins: bins, MaxFrequency: hottest}}}, over}
	}
	const few, many = 1000, 1 << 20 // targets
	rows, checks := portfolio([]distance{
		made("uniform:a", 1<<20, many, 10, 2), made("uniform:b", 3<<20, many, 10, 8), // in the mean 4
		made("zipf:a", 1<<21, many, 1<<15, 12), made("hotspot:a", 1<<21, many, 1<<12, 3),
		made("zipf:b", 1<<21, many, 100, 100),    // no hot target
		made("zipf:c", 1<<21, few, 1<<15, 100),   // fits shared memory
		made("zipf:d", 1<<22, many, 1<<15, 1000), // no uniform stream of that size
	})
	want := map[string][2]float64{ // number and maximum
		wholePortfolio: {7, 1000}, "2^20 to 2^22 updates": {6, 100}, "2^22 to 2^24 updates": {1, 1000},
		"uniform": {2, 8}, "zipf": {4, 1000}, "hotspot": {1, 3}, skewedPortfolio: {2, 3},
	}
	for _, r := range rows {
		if w := want[r.Group]; float64(r.Over.Points) != w[0] || math.Abs(r.Over.Max-w[1]) > 1e-9*w[1] {
			t.Errorf("%+v, want %v", r, w)
		}
	}
	if len(rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for i, value := range []float64{math.Pow(2*8*12*3*100*100*1000, 1.0/7), 1000, 1.5} {
		if c := checks[i]; math.Abs(c.Value-value) > 1e-9*value || c.Status != validate.Enforced ||
			c.Failure() == "" {
			t.Errorf("%+v, want %v and a failure", c, value)
		}
	}
}

// TestTimeError: errors and covered shares of four times.
func TestTimeError(t *testing.T) {
	list := []forecast{
		{predictedUS: 10, lowUS: 8, highUS: 12, measuredUS: 10}, {predictedUS: 10, lowUS: 8, highUS: 12,
			measuredUS: 8},
		{predictedUS: 10, lowUS: 9, highUS: 11, measuredUS: 20}, {predictedUS: 30, lowUS: 29, highUS: 31,
			measuredUS: 20},
	}
	for i := range list {
		list[i].closedUS = list[i].measuredUS * math.Exp(0.5)
	}
	got := timeError(list)
	if math.Abs(got.LnRMSE-0.4167) > 1e-4 || math.Abs(got.ClosedLnRMSE-0.5) > 1e-9 {
		t.Errorf("errors in ln: %+v", got)
	}
	got.LnRMSE, got.ClosedLnRMSE = 0, 0
	if want := (TimeError{4, 37.5, 50, new(50.0), 0, 0}); !cmp.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	list[0].lowUS, list[0].highUS = math.NaN(), math.NaN()
	if got := timeError(list); got.CoveredPercent != nil {
		t.Errorf("%v %% of intervals of which one is none", *got.CoveredPercent)
	}
}

// TestTunerSpeed: each kind is timed, and a choice does not allocate.
func TestTunerSpeed(t *testing.T) {
	questions, err := recorded.Questions(h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tuner.New(questions[0].Device, tuner.Options{Call: questions[0].Call})
	if err != nil {
		t.Fatal(err)
	}
	checks, err := timePicks(c, []*collision.Stats{questions[0].Stats, questions[1].Stats},
		"some kind")
	if err != nil || len(checks) != 2 || !(checks[0].Value > 0) || checks[0].Rows != 2 ||
		checks[1].Failure() != "" {
		t.Errorf("%+v, %v", checks, err)
	}
	sampled, err := sampledSpeed(questions[0].Device, nil, leastSampled)
	if err != nil || len(sampled) != 1 || !(sampled[0].Value > 0) ||
		sampled[0].Limit != mostSampledUS {
		t.Errorf("%+v, %v", sampled, err)
	}
}
