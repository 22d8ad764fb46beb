package hwsim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/simtimes"
)

// TestRecorded compares simulated with recorded times of whole calls on an
// H200: the shortest streams, as f32. The simulated ones are those of
// testdata/recorded.csv, of which three are simulated.
func TestRecorded(t *testing.T) {
	golden.OnlyFull(t)
	var calls []recordings.Call
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		some, err := h200.Archive.Calls(part)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, some...)
	}
	gpu := profile(t, "h200")
	const most = 280000 // updates
	times := simtimes.Read(t, "testdata/recorded.csv")
	us := times.Held(func(name string) string { // private copies, sorts, and others
		switch _, v, _ := strings.Cut(name, " "); {
		case strings.HasPrefix(v, "private"), strings.HasPrefix(v, "sort"):
			return v[:4]
		}
		return ""
	})
	var ratios []float64
	for _, c := range calls {
		if !strings.Contains(c.Label, ":") || c.Updates > most || c.Bins > 1<<20 ||
			c.Call != (device.Call{Type: device.F32}) {
			continue
		}
		if !slices.Contains(impl.Candidates(), c.Implementation) {
			continue
		}
		name := c.Label + " " + c.Implementation.String()
		if _, ok := us[name]; !ok {
			us[name] = simulatedCall(t, gpu, c)
		}
		ratio := us[name] / c.MedianUS
		ratios = append(ratios, ratio)
		if ratio < 0.4 || ratio > 2 {
			t.Errorf("%s %s %s: %.1f us simulated, %.1f us recorded", c.Label, c.Call.Type, c.Implementation,
				us[name], c.MedianUS)
		}
	}
	times.Compare(t, us)
	if len(ratios) < 60 {
		t.Fatalf("only %d calls compared", len(ratios))
	}
	mean := 0.0
	for _, r := range ratios {
		mean += math.Log(r) / float64(len(ratios))
	}
	slices.Sort(ratios)
	p := func(q float64) float64 { return ratios[int(q*float64(len(ratios)-1))] }
	if math.Exp(mean) < 0.87 || math.Exp(mean) > 1.15 || p(0.1) < 0.7 || p(0.9) > 1.4 {
		t.Errorf("simulated and recorded times disagree: geometric mean %.2f, p10 %.2f, p90 %.2f",
			math.Exp(mean), p(0.1), p(0.9))
	}
}

// simulatedCall simulates a recorded call.
func simulatedCall(t *testing.T, gpu *device.Profile, c recordings.Call) float64 {
	t.Helper()
	spec, err := synth.Parse(c.Label)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Device: gpu, Implementation: c.Implementation, Call: c.Call, Relaid: true}
	r, err := Run(cfg, indices, uint64(spec.K))
	if err != nil || !r.Correct {
		t.Fatalf("%s %s: correct %v, %v", c.Label, c.Implementation, r.Correct, err)
	}
	return r.US
}
