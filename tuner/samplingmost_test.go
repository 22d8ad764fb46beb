package tuner_test

import (
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestSamplingMost: whatever a larger sample might gain, a sample keeps within its
// bound, and a larger bound lets it see more.
func TestSamplingMost(t *testing.T) {
	_, fitted := tunertest.Trained()
	c := chooser(t, tunertest.Profile(t, "h200"), tuner.Options{Model: fitted})
	indices, bins := tunertest.Generate(t, "permuted:n=4194304,k=148730,seed=3")
	seen := uint64(0)
	for i, most := range []float64{10, 0, 1000, 1e6} {
		_, l, err := c.PickSampled(indices, bins, tuner.SamplingBudget{Launches: 1 << 20, MostUS: most})
		if err != nil {
			t.Fatal(err)
		}
		bound := most
		if most == 0 {
			bound = tuner.DefaultSamplingUS
		}
		if l.Sampled && l.CostUS > bound || l.Sampled != (most != 10) || i > 0 && l.Updates <= seen &&
			most < 1e6 || l.Updates < seen {
			t.Errorf("at most %v us: %+v, before %d updates", bound, l, seen)
		}
		seen = l.Updates
	}
	// A machine whose first sample costs more than the default still draws one.
	_, l, err := c.PickSampled(indices, bins, tuner.SamplingBudget{Launches: 1 << 20,
		NSPerUpdate: 200})
	if err != nil || !l.Sampled || l.Blocks != 8 {
		t.Errorf("a slow machine: %+v, %v", l, err)
	}
}

// TestPriorSpan: the interval of each prior answer holds the times on a skewed
// stream and on one with a hot target, of which nothing was known.
func TestPriorSpan(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, fitted := tunertest.Trained()
	held := 0
	for _, spec := range []string{
		"zipf:n=1048576,k=100000,s=1.3", "zipf:n=1048576,k=100000,s=1",
		"hotspot:n=1048576,k=100000,h=1,p=0.1,shuffle=1",
		"hotspot:n=1048576,k=100000,h=1,p=0.5,shuffle=1",
	} {
		indices, bins := tunertest.Generate(t, spec)
		for _, m := range []*model.Model{nil, fitted} {
			o := tuner.Options{Call: device.Call{Type: device.F32}, Model: m}
			prior, err := tuner.ChooseSampled(indices, bins, d, o, tuner.SamplingBudget{CostUS: 1e12})
			if err != nil {
				t.Fatal(err)
			}
			rows := rowsOf(t, d, tunertest.Analyze(t, spec), o)
			for _, r := range prior.Ranking {
				held++
				if at := rows[r.Implementation].PredictedUS; at < r.LowUS || at > r.HighUS {
					t.Errorf("%s, model %t: %s takes %v us, over the prior %v to %v us", spec, m != nil,
						r.Implementation, at, r.LowUS, r.HighUS)
				}
			}
		}
	}
	if held < 40 {
		t.Errorf("%d intervals compared", held)
	}
}
