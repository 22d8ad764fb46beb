package tuner_test

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestEstimates: each device whose profile is an estimate gets an answer for each type, with a warning
// that names the device and what the estimate rests on, and an interval as wide as the judgement of such
// profiles asks. Others do not say so.
func TestEstimates(t *testing.T) {
	stream, bins := tunertest.Generate(t, "zipf:n=65536,k=4096,s=1.1,seed=3")
	judged := model.EstimatesJudged()
	low, high := judged.Interval()
	answers := 0
	for _, name := range device.Names() {
		d := tunertest.Profile(t, name)
		for _, typ := range device.Types() {
			decision, err := tuner.ChooseStream(stream, bins, d, tuner.Options{Call: device.Call{Type: typ}})
			if err != nil {
				t.Fatalf("%s, %s: %v", name, typ, err)
			}
			if said := warned(decision, "estimate"); said != (d.Estimate != nil) {
				t.Errorf("%s says that it is an estimate: %t", name, said)
			}
			if d.Estimate == nil {
				continue
			}
			answers++
			if w := decision.Warnings[0]; !strings.Contains(w, name) || !strings.Contains(w, d.Estimate.Base) {
				t.Errorf("%s: %q", name, w)
			}
			c := decision.Choice
			if math.Abs(c.LowUS/c.PredictedUS/low-1) > 1e-9 || math.Abs(c.HighUS/c.PredictedUS/high-1) > 1e-9 {
				t.Errorf("%s, %s: %v us, from %v to %v", name, typ, c.PredictedUS, c.LowUS, c.HighUS)
			}
		}
	}
	if answers == 0 || low != min(0.5, judged.Low) || high != max(2, judged.High) {
		t.Errorf("%d answers, the interval is %v to %v of %+v", answers, low, high, judged)
	}
	unseen, err := tuner.ChooseSampled(stream, bins, tunertest.Profile(t, "a100"), tuner.Options{},
		tuner.SamplingBudget{CostUS: 1e6})
	if err != nil || unseen.Sampling.Sampled || !warned(unseen, "a100") {
		t.Errorf("without a sample: %v, %q", err, unseen.Warnings)
	}
}
