package tuner_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

var fixedLaunches = []device.Launch{{Blocks: 264, Threads: 512, Unroll: 2}, {Blocks: 1, Threads: 64},
	{Blocks: 3000, Threads: 256}, {Unroll: 4}}

// TestPickAgreesUnderLaunches compares the fast form with the plain one, launch and all.
func TestPickAgreesUnderLaunches(t *testing.T) {
	compared, searched := 0, 0
	list := tunertest.Streams(t)
	for _, name := range []string{"h200", "c2075"} {
		d := tunertest.Profile(t, name)
		options := []tuner.Options{{SearchLaunch: true}, {SearchLaunch: true, MemoryBytes: 1}}
		for _, l := range fixedLaunches {
			options = append(options, tuner.Options{Launch: l}, tuner.Options{Launch: l, MemoryBytes: 4096})
		}
		for _, o := range options {
			compared += comparePicksOn(t, list, d, o)
			c, err := tuner.NewChooser(d, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				pick, err := c.Pick(s)
				if err != nil {
					t.Fatal(err)
				}
				if full, _ := c.Choose(s); full.Ranking[0].Launch != d.Limits().Shape(pick.Variant,
					device.U32, s.Bins, s.Updates, pick.Launch) {
					t.Errorf("Pick says launch %v, Choose %v", pick.Launch, full.Ranking[0].Launch)
				}
				if o.SearchLaunch && pick.Launch != (device.Launch{}) {
					searched++
				}
			}
		}
	}
	if compared < 500 || searched == 0 {
		t.Errorf("%d choices compared, %d found a launch", compared, searched)
	}
}

// rowsOf returns the ranking by implementation.
func rowsOf(t *testing.T, d *device.Profile, s *collision.Stats,
	o tuner.Options) map[variant.Variant]tuner.Ranked {
	t.Helper()
	got, err := tuner.Choose(s, d, o)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[variant.Variant]tuner.Ranked{}
	for _, r := range got.Ranking {
		rows[r.Implementation] = r
	}
	return rows
}

// TestLaunchedTimes: under a launch a time is that of the rule's launch times the ratio of the
// closed forms, and so are the ends of its interval.
func TestLaunchedTimes(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "zipf:n=400000,k=3000,s=1")
	rule := rowsOf(t, d, s, tuner.Options{})
	checked := 0
	for _, l := range fixedLaunches {
		got := rowsOf(t, d, s, tuner.Options{Launch: l})
		for v, r := range got {
			if v.Scatter || v.AddsAtTargets() && v.Reduces() { // host's time; none falls below naive
				continue
			}
			b, err := speedup.CompileAll([]variant.Variant{v}, d, device.Call{})
			if err != nil {
				t.Fatal(err)
			}
			one, err := b.Launched(l)
			if err != nil {
				t.Fatal(err)
			}
			before, err1 := b.Explain(s, 0)
			after, err2 := one.Explain(s, 0)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			ratio := after.US / before.US
			for what, pair := range map[string][2]float64{"time": {r.PredictedUS, rule[v].PredictedUS},
				"low": {r.LowUS, rule[v].LowUS}, "high": {r.HighUS, rule[v].HighUS}} {
				if math.Abs(pair[0]/pair[1]/ratio-1) > 1e-9 {
					t.Errorf("%s, %v: %s %v us, %v us by the rule, the ratio is %v", v, l, what, pair[0], pair[1],
						ratio)
				}
			}
			if want := d.Limits().Shape(v, device.U32, s.Bins, s.Updates, l); r.Launch != want {
				t.Errorf("%s: launch %+v, want %+v", v, r.Launch, want)
			}
			checked++
		}
		if _, there := got[variant.Variant{Base: variant.Sort}]; there {
			t.Errorf("sort is ranked in launch %v", l)
		}
	}
	if checked < 30 {
		t.Errorf("%d times checked", checked)
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
	for _, c := range []struct {
		o    tuner.Options
		want string // in a warning; "" for none about launches
	}{
		{tuner.Options{SearchLaunch: true}, ""},
		{tuner.Options{SearchLaunch: true, Among: fixedLaunches}, "launches are priced in closed form"},
		{tuner.Options{Launch: fixedLaunches[0]}, " is priced in closed form and not measured"},
	} {
		got, err := tuner.Choose(s, d, c.o)
		doubts := strings.Join(got.Warnings, "\n")
		said := strings.Contains(doubts, "corrections and intervals are those of the rule's launch")
		if err != nil || said != (c.want != "") || !strings.Contains(doubts, c.want) {
			t.Errorf("%+v: warnings %q, %v", c.o, got.Warnings, err)
		}
		if c.want == "" && len(got.LeftOut) > 0 {
			t.Errorf("%+v: left out %v", c.o, got.LeftOut)
		}
	}
}

func TestLaunchOptions(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	for _, o := range []tuner.Options{
		{Launch: device.Launch{Unroll: 3}}, {Launch: device.Launch{Threads: 97}},
		{Launch: device.Launch{Threads: 2048}}, {Launch: device.Launch{Blocks: 1}, SearchLaunch: true},
	} {
		if _, err := tuner.NewChooser(d, o); !errors.Is(err, model.ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	c, err := tuner.NewChooser(d, tuner.Options{SearchLaunch: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Worth(1000, 10, tuner.SamplingBudget{}); !errors.Is(err, model.ErrOptions) {
		t.Error(err)
	}
	fixed := device.Launch{Blocks: 5, Threads: 64}
	if c, err = tuner.NewChooser(d, tuner.Options{Launch: fixed}); err != nil {
		t.Fatal(err)
	}
	pick, look, err := c.PickSampled(make([]uint32, 500), 100, tuner.SamplingBudget{})
	if err != nil || look.Sampled || pick.Launch != fixed {
		t.Errorf("%+v, %+v, %v", pick, look, err)
	}
}
