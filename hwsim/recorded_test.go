package hwsim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// TestRecorded compares simulated with recorded times of whole calls on an
// H200. Left out are what the recordings do differently: sr+ss re-lays single
// updates there, and vr votes with another threshold.
func TestRecorded(t *testing.T) {
	calls, err := h200.Calls()
	if err != nil {
		t.Fatal(err)
	}
	gpu := profile(t, "h200")
	known := map[variant.Variant]bool{}
	for _, v := range variant.Candidates() {
		known[v] = v.Reduction != variant.VR && !(v.Scatter && v.Reduction == variant.SR)
	}
	sizes := []uint64{65536, 262144}
	if testing.Short() {
		sizes = []uint64{16384}
	}
	var ratios []float64
	for _, c := range calls {
		if !strings.HasPrefix(c.Label, "uniform:") && !strings.HasPrefix(c.Label, "runs:") {
			continue
		}
		if !slices.Contains(sizes, c.Updates) || c.Bins > 65536 || !known[c.Implementation] {
			continue
		}
		if c.Updates > 100000 && c.Call.Type != device.F32 {
			continue
		}
		spec, err := synth.Parse(c.Label)
		if err != nil {
			t.Fatal(err)
		}
		indices, err := synth.Generate(spec)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(Config{Device: gpu, Variant: c.Implementation, Call: c.Call, Relaid: true}, indices, uint64(spec.K))
		if err != nil || !r.Correct {
			t.Fatalf("%s %s: correct %v, %v", c.Label, c.Implementation, r.Correct, err)
		}
		ratio := r.US / c.MinUS
		ratios = append(ratios, ratio)
		if ratio < 0.4 || ratio > 2 {
			t.Errorf("%s %s %s: %.1f us simulated, %.1f us recorded", c.Label, c.Call.Type, c.Implementation, r.US, c.MinUS)
		}
	}
	if len(ratios) < 60 {
		t.Fatalf("only %d calls compared", len(ratios))
	}
	mean := 0.0
	for _, r := range ratios {
		mean += math.Log(r) / float64(len(ratios))
	}
	slices.Sort(ratios)
	p := func(q float64) float64 { return ratios[int(q*float64(len(ratios)-1))] }
	t.Logf("simulated / recorded over %d calls: geometric mean %.2f, p10 %.2f, median %.2f, p90 %.2f, extremes %.2f and %.2f",
		len(ratios), math.Exp(mean), p(0.1), p(0.5), p(0.9), p(0), p(1))
	if math.Exp(mean) < 0.87 || math.Exp(mean) > 1.15 || p(0.1) < 0.7 || p(0.9) > 1.4 {
		t.Errorf("simulated and recorded times disagree: geometric mean %.2f, p10 %.2f, p90 %.2f", math.Exp(mean), p(0.1), p(0.9))
	}
}
