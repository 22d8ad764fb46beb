package tuner_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

var fixedLaunches = []device.Launch{{Blocks: 264, Threads: 512, Unroll: 2}, {Blocks: 1, Threads: 64},
	{Blocks: 3000, Threads: 256}, {Unroll: 4}}

// rowsOf returns the ranking by implementation.
func rowsOf(t *testing.T, d *device.Profile, s *collision.Stats,
	o tuner.Options) map[impl.Spec]tuner.Ranked {
	t.Helper()
	rows := map[impl.Spec]tuner.Ranked{}
	for _, r := range choose(t, s, d, o).Ranking {
		rows[r.Implementation] = r
	}
	return rows
}

// TestLaunchedTimes: under a launch a time is that of the rule's launch times the ratio of the
// closed forms, and so are the ends of its interval, beside what is prepared once.
func TestLaunchedTimes(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "zipf:n=400000,k=3000,s=1")
	rule := rowsOf(t, d, s, tuner.Options{})
	checked := 0
	for _, l := range fixedLaunches {
		got := rowsOf(t, d, s, tuner.Options{Launches: []device.Launch{l}})
		for v, r := range got {
			if v.Scatter || v.AddsAtTargets() && v.Reduces() { // host's time; none falls below naive
				continue
			}
			b, err := speedup.CompileAll([]impl.Spec{v}, d, device.Call{})
			tunertest.Must(t, err)
			one, err := b.Launched(l)
			tunertest.Must(t, err)
			before, err1 := b.Explain(s, 0)
			after, err2 := one.Explain(s, 0)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			ratio := after.US / before.US
			for what, pair := range map[string][2]float64{"time": {r.PredictedUS, rule[v].PredictedUS},
				"low": {*r.LowUS, *rule[v].LowUS}, "high": {*r.HighUS, *rule[v].HighUS}} {
				got, by := pair[0]-r.PreparationUS, pair[1]-rule[v].PreparationUS
				if math.Abs(got/by/ratio-1) > 1e-9 {
					t.Errorf("%s, %v: %s %v us, %v us by the rule, the ratio is %v", v, l, what, got, by, ratio)
				}
			}
			checked++
		}
		if _, there := got[impl.Spec{Algorithm: impl.Sort}]; there {
			t.Errorf("sort is ranked in launch %v", l)
		}
	}
	if checked < 30 {
		t.Errorf("%d times checked", checked)
	}
}

// TestLaunchDoubted: a fixed launch is in doubt where corrections are of another launch, so not without a model.
func TestLaunchDoubted(t *testing.T) {
	for on, want := range map[string]bool{"h200": true, "rtx3090": false} {
		d := tunertest.Profile(t, on)
		got := choose(t, tunertest.Analyze(t, "uniform:n=4000,k=300"), d, tuner.Options{Launches: fixedLaunches[:1]})
		if slices.ContainsFunc(got.Warnings, func(w tuner.Warning) bool { return w.Kind == tuner.WarnLaunch }) != want {
			t.Errorf("%s: %v", on, got.Warnings)
		}
	}
}

// TestSearchedLaunches: a search gives no implementation a longer time than the rule, some a much
// shorter one, and leaves out none. That launches are not measured is said of what the caller names.
func TestSearchedLaunches(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "uniform:n=1000000,k=64")
	rule, best := rowsOf(t, d, s, tuner.Options{}), rowsOf(t, d, s, tuner.Options{SearchLaunch: true})
	least := math.Inf(1)
	for v, r := range rule {
		least = min(least, best[v].PredictedUS/r.PredictedUS)
		if us := best[v].PredictedUS; !(us > 0) || us > r.PredictedUS*(1+1e-12) {
			t.Errorf("%s: %v us, %v us by the rule", v, us, r.PredictedUS)
		}
	}
	if len(best) != len(rule) || least > 0.8 {
		t.Errorf("%d of %d implementations, the best at %v of its time", len(best), len(rule), least)
	}
	said := len(choose(t, s, d, tuner.Options{SearchLaunch: true}).Warnings)
	for _, o := range []tuner.Options{{Launches: fixedLaunches}, {Launches: fixedLaunches[:1]}} {
		if got := choose(t, s, d, o); len(got.Warnings) <= said {
			t.Errorf("%+v: warnings %q", o, got.Warnings)
		}
	}
}

// TestLaunchOfSamples: a prior chooses for the launch that is fixed, and searches none.
func TestLaunchOfSamples(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	searching := chooser(t, d, tuner.Options{SearchLaunch: true})
	if _, err := searching.Worth(1000, 10, tuner.SamplingBudget{}); !errors.Is(err, model.ErrOptions) {
		t.Error(err)
	}
	fixed := device.Launch{Blocks: 5, Threads: 64}
	c := chooser(t, d, tuner.Options{Launches: []device.Launch{fixed}})
	pick, look, err := c.PickSampled(make([]uint32, 500), 100, tuner.SamplingBudget{})
	if err != nil || look.Sampled || pick.Launch != fixed {
		t.Errorf("%+v, %+v, %v", pick, look, err)
	}
}
