package tuner_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestEstimates: each device whose profile is an estimate gets an answer for each type, with a line
// that says what the profile is, how far such ones were off and what measures the GPU, and an interval
// as wide as the judgement of such profiles asks. Others do not say so.
func TestEstimates(t *testing.T) {
	spec, err := synth.Parse("zipf:n=65536,k=4096,s=1.1,seed=3")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := synth.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	judged := model.EstimatesJudged()
	low, high := judged.Interval()
	off := 0.0
	for _, p := range judged.Profiles {
		off = max(off, p.MedianPercent)
	}
	answers := 0
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range device.Types() {
			o := tuner.Options{Call: device.Call{Type: typ}}
			decision, err := tuner.ChooseStream(stream, 4096, d, o)
			if err != nil {
				t.Fatalf("%s, %s: %v", name, typ, err)
			}
			notes := 0
			for _, w := range decision.Warnings {
				if strings.Contains(w, "estimate, from public documents") {
					notes++
				}
			}
			if d.Estimate == nil {
				if notes > 0 {
					t.Errorf("%s says that it is an estimate", name)
				}
				continue
			}
			answers++
			note := decision.Warnings[0]
			words := []string{name, d.Estimate.Base, fmt.Sprintf("%.0f %% off", off),
				"atomprobe measures the GPU at hand"}
			if d.Vendor != d.Estimate.BaseVendor {
				words = []string{name, "h200, a GPU of NVIDIA", "nobody knows", "atomprobe measures GPUs of NVIDIA alone"}
			}
			for _, word := range words {
				if !strings.Contains(note, word) {
					t.Errorf("%s: %q does not say %q", name, note, word)
				}
			}
			if notes != 1 || strings.ContainsAny(note, "\n") ||
				strings.Contains(note, "off in the median") != (d.Vendor == d.Estimate.BaseVendor) {
				t.Errorf("%s: %d notes, %q", name, notes, note)
			}
			c := decision.Choice
			if math.Abs(c.LowUS/c.PredictedUS/low-1) > 1e-9 || math.Abs(c.HighUS/c.PredictedUS/high-1) > 1e-9 {
				t.Errorf("%s, %s: %v us, from %v to %v", name, typ, c.PredictedUS, c.LowUS, c.HighUS)
			}
		}
	}
	if answers != 6*len(device.Types()) {
		t.Errorf("%d answers", answers)
	}
	if low > 0.5 || high < 2 || low != math.Min(0.5, judged.Low) || high != math.Max(2, judged.High) {
		t.Errorf("the interval is %v to %v of %+v", low, high, judged)
	}
	d, err := device.Builtin("a100")
	if err != nil {
		t.Fatal(err)
	}
	unseen, err := tuner.ChooseSampled(stream, 4096, d, tuner.Options{},
		tuner.SamplingBudget{CostUS: 1e6})
	if err != nil || unseen.Sampling.Sampled || !strings.Contains(unseen.Warnings[0], "an estimate") {
		t.Errorf("without a sample: %v, %q", err, unseen.Warnings)
	}
}
