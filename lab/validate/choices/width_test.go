package choices

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// nearBest is up to how many times the best measured time an implementation's own
// counts as near-best.
const nearBest = 1.1

// widthSteps are the steps of model.SimulationError.
const widthSteps = 20

// withError is the forecast with another error of the simulation in its interval:
// of an end at exp(w), w² - e² is the trees' own part.
func (f forecast) withError(old, e float64) forecast {
	end := func(us float64) float64 {
		w := math.Log(us / f.predictedUS)
		own := math.Sqrt(max(0, w*w-old*old))
		return f.predictedUS * math.Exp(math.Copysign(math.Hypot(own, e), w))
	}
	f.lowUS, f.highUS = end(f.lowUS), end(f.highUS)
	return f
}

// leastError is the least multiple of 1/widthSteps at which intervals hold the
// nominal share of the measured times in every list.
func leastError(old float64, lists ...[]forecast) float64 {
	for step := 0; ; step++ {
		e, enough := float64(step)/widthSteps, true
		for _, list := range lists {
			var with []forecast
			for _, f := range list {
				with = append(with, f.withError(old, e))
			}
			enough = enough && timeError(with).CoveredPercent >= validate.NominalShare
		}
		if enough || step == 100*widthSteps {
			return e
		}
	}
}

// simulationError is the least multiple of 1/widthSteps that is enough, before the correction by recorded
// calls, for the choices and for the near-best calls of the fit half, of
// which the function makes what is asked.
func simulationError(t *testing.T, of func([]recorded.Question) []recorded.Question,
) (least float64, choices, near []forecast) {
	t.Helper()
	m, err := model.Embedded("h200")
	if err != nil {
		t.Fatal(err)
	}
	trained := map[variant.Variant]bool{}
	for _, c := range m.Implementations {
		trained[c.Name] = true
	}
	questions, err := recorded.OfPart(h200.Archive, recordings.Fit)
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := answers(of(questions), m.Uncalibrated())
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		a := &list[i]
		if !trained[a.choice.of] {
			t.Fatalf("%s: no model of %s", a.Label, a.choice.of)
		}
		choices = append(choices, a.choice)
		for _, f := range a.each {
			if trained[f.of] && f.measuredUS <= nearBest*a.Best() {
				near = append(near, f)
			}
		}
	}
	return leastError(model.SimulationError, choices, near), choices, near
}

// TestSimulationError: what intervals have for the error of the simulation is the least twentieth that
// does for the fit half, and no other half is asked.
func TestSimulationError(t *testing.T) {
	least, choices, near := simulationError(t, func(q []recorded.Question) []recorded.Question { return q })
	if len(choices) < 500 || len(near) < len(choices) {
		t.Fatalf("%d choices and %d near-best calls", len(choices), len(near))
	}
	if math.Abs(least-model.SimulationError) > 1e-9 {
		t.Errorf("model.SimulationError is %v, and %v is the least that does: %.1f %% of choices and %.1f %% of near-best calls of the fit half lie in their interval",
			model.SimulationError, least, timeError(choices).CoveredPercent, timeError(near).CoveredPercent)
	}
	for half, reads := range map[recordings.Part]bool{recordings.HeldOut: false, recordings.Fit: true} {
		other, _, _ := simulationError(t, func(q []recorded.Question) []recorded.Question {
			return recorded.Slowed(q, half)
		})
		if (other != least) != reads {
			t.Errorf("calls of part %s three times as long: %v instead of %v", half, other, least)
		}
	}
}

// TestLeastError: of ten times at 1 to 10 twentieths from their prediction nine are
// held by 9 twentieths, and by less where the trees give a part.
func TestLeastError(t *testing.T) {
	const old = 0.3
	lists := map[float64][]forecast{}
	for _, own := range []float64{0, 0.3} {
		w := math.Hypot(own, old)
		for i := 1; i <= 10; i++ {
			off := (float64(i) - 0.01) / widthSteps
			lists[own] = append(lists[own], forecast{variant.Variant{}, 10, 10 * math.Exp(-w),
				10 * math.Exp(w), 10 * math.Exp(off), 10})
		}
	}
	if e := leastError(old, lists[0]); math.Abs(e-0.45) > 1e-9 {
		t.Errorf("%v, want 0.45", e)
	}
	if e := leastError(old, lists[0.3]); math.Abs(e-0.35) > 1e-9 { // √(0.4495² - 0.3²) = 0.335
		t.Errorf("%v, want 0.35", e)
	}
	if e := leastError(old, lists[0.3], lists[0]); math.Abs(e-0.45) > 1e-9 {
		t.Errorf("%v, want that of the list that needs more", e)
	}
}
