package tuner_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// checkDecision holds a decision against what every decision promises.
func checkDecision(t *testing.T, d tuner.Decision) {
	t.Helper()
	c := d.Choice
	if len(d.Ranking) == 0 || d.Ranking[0].Implementation != c.Implementation ||
		d.Ranking[0].PredictedUS != c.PredictedUS {
		t.Fatalf("choice %+v is not first of %+v", c, d.Ranking)
	}
	for i, r := range d.Ranking {
		if !(r.PredictedUS > 0) || math.IsInf(r.PredictedUS, 0) || r.Binding == "" ||
			r.Class != r.Implementation.Class().String() {
			t.Errorf("ranking[%d] = %+v", i, r)
		}
	}
	checkOrder(t, d.Ranking)
	if !(c.LowUS > 0 && c.LowUS <= c.PredictedUS && c.PredictedUS <= c.HighUS) ||
		math.IsInf(c.HighUS, 0) {
		t.Errorf("interval %v to %v around %v", c.LowUS, c.HighUS, c.PredictedUS)
	}
	if !strings.HasSuffix(d.Reason, ".") || strings.Contains(d.Reason, "\n") ||
		!strings.Contains(d.Reason, c.Implementation.String()) {
		t.Errorf("reason %q", d.Reason)
	}
	if d.Warnings == nil {
		t.Error("warnings are nil")
	}
	if f := d.Floor; (f == nil) != (d.Sampling != nil && !d.Sampling.Sampled) || f != nil &&
		!(f.US > 0 && f.Bytes > 0 && math.Abs(f.Share*c.PredictedUS-f.US) < 1e-9*f.US) {
		t.Errorf("floor %+v of %v us", f, c.PredictedUS)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
}

// checkOrder: a ranking stands in the order of predicted times or, of a cautious
// choice, of the upper ends of their intervals.
func checkOrder(t *testing.T, ranking []tuner.Ranked) {
	t.Helper()
	ordered := func(of func(tuner.Ranked) float64) bool {
		return slices.IsSortedFunc(ranking, func(a, b tuner.Ranked) int {
			return cmp.Compare(of(a),
				of(b))
		})
	}
	if !ordered(func(r tuner.Ranked) float64 { return r.PredictedUS }) &&
		!ordered(func(r tuner.Ranked) float64 { return r.HighUS }) {
		t.Errorf("ranking in no order: %+v", ranking)
	}
}

// TestPickAgrees compares the fast form with the plain one, with and without a
// model, on every device.
func TestPickAgrees(t *testing.T) {
	_, model := tunertest.Trained()
	compared := 0
	for _, name := range device.Names() {
		d := tunertest.Profile(t, name)
		for i, call := range tunertest.Calls() {
			o := tuner.Options{Call: call, Relaid: i%3 == 0, Deterministic: i%5 == 0}
			if name == "h200" {
				o.Model = model
			}
			compared += comparePicks(t, d, o)
		}
	}
	if compared < 1000 {
		t.Errorf("only %d choices were compared", compared)
	}
}

func comparePicks(t *testing.T, d *device.Profile, o tuner.Options) (compared int) {
	t.Helper()
	return comparePicksOn(t, tunertest.Streams(t), d, o)
}

func comparePicksOn(t *testing.T, list []*collision.Stats, d *device.Profile,
	o tuner.Options) (compared int) {
	t.Helper()
	chooser, err := tuner.NewChooser(d, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		full, err := chooser.Choose(s)
		if i == 0 { // which makes a chooser of its own
			full, err = tuner.Choose(s, d, o)
		}
		pick, fastErr := chooser.Pick(s)
		if err != nil || fastErr != nil {
			if fastErr == nil || err == nil || errors.Is(err, model.ErrNone) != errors.Is(fastErr,
				model.ErrNone) {
				t.Fatalf("%s: Choose: %v, Pick: %v", d.Name, err, fastErr)
			}
			continue
		}
		checkDecision(t, full)
		if pick.Variant != full.Choice.Implementation || pick.US != full.Choice.PredictedUS {
			t.Fatalf("%s: Pick %+v, Choose %+v", d.Name, pick, full.Choice)
		}
		if ratio := full.Choice.SpeedupOverNaive; (ratio == nil) != math.IsNaN(pick.SpeedupOverNaive) ||
			ratio != nil && *ratio != pick.SpeedupOverNaive {
			t.Fatalf("%s: Pick %+v, Choose %+v", d.Name, pick, full.Choice)
		}
		compared++
	}
	return compared
}

func TestPickDoesNotAllocate(t *testing.T) {
	_, model := tunertest.Trained()
	chooser, err := tuner.NewChooser(tunertest.Profile(t, "h200"), tuner.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	s := tunertest.Analyze(t, "uniform:n=10000,k=256")
	if n := testing.AllocsPerRun(100, func() {
		if _, err := chooser.Pick(s); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestOptions(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "uniform:n=10000,k=256")
	f32 := device.Call{Type: device.F32}
	for _, c := range []struct {
		name string
		o    tuner.Options
		want func(tuner.Ranked) bool
	}{
		{"deterministic f32", tuner.Options{Call: f32, Deterministic: true},
			func(r tuner.Ranked) bool { return r.Class == "non-atomic" }},
		{"only", tuner.Options{Only: []variant.Variant{{}, {Base: variant.Sort}}},
			func(r tuner.Ranked) bool { return r.Implementation.Base != variant.Private }},
		{"exclude", tuner.Options{Exclude: []variant.Variant{{}}},
			func(r tuner.Ranked) bool { return r.Implementation != variant.Variant{} }},
		{"returns", tuner.Options{Call: device.Call{Returns: true}},
			func(r tuner.Ranked) bool { return r.Implementation.ReturnsOld() }},
		{"not grouped", tuner.Options{},
			func(r tuner.Ranked) bool { return r.Implementation.Base != variant.SegReduce }},
	} {
		got, err := tuner.Choose(s, d, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkDecision(t, got)
		for _, r := range got.Ranking {
			if !c.want(r) {
				t.Errorf("%s: %s is ranked", c.name, r.Implementation)
			}
		}
		if got.Choice.SpeedupOverNaive == nil {
			t.Errorf("%s: no speedup over naive, which the device can run", c.name)
		}
	}
}

// TestOldValues: on streams with private copies or hot targets ahead, these are chosen where old values
// are needed too, and the reason names the second pass.
func TestOldValues(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	for spec, base := range map[string]variant.Base{
		"uniform:n=1048576,k=1000":                   variant.Private,
		"zipf:n=1048576,k=1048576,s=1.2,shuffle=1":   variant.Hot,
		"hotspot:n=1048576,k=1000000,h=1,p=0.5":      variant.Hot,
		"hotspot:n=1048576,k=20000,h=4,p=0.9,seed=2": variant.Private,
	} {
		got, err := tuner.Choose(tunertest.Analyze(t, spec), d, tuner.Options{Call: device.Call{Returns: true}})
		if err != nil {
			t.Fatal(spec, err)
		}
		if v := got.Choice.Implementation; v.Base != base || *got.Choice.SpeedupOverNaive < 2 {
			t.Errorf("%s: %s, %v times as fast as naive", spec, v, *got.Choice.SpeedupOverNaive)
		}
		if !strings.Contains(got.Reason, ", and a second pass finds the old values there") {
			t.Errorf("%s: reason %q", spec, got.Reason)
		}
	}
}

func TestRankingHoldsAllThatRun(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	for spec, absent := range map[string][]string{
		"uniform:n=10000,k=64": {"segreduce"},
		"sorted:n=10000,k=64":  {},
		"uniform:n=10000,k=1000000": {"segreduce", "private", "private+sr", "private:r=32,pad=1",
			"threadprivate"},
	} {
		got, err := tuner.Choose(tunertest.Analyze(t, spec), d, tuner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range got.Ranking {
			names = append(names, r.Implementation.String())
		}
		for _, v := range append(variant.Candidates(), variant.Sized()...) {
			runs := d.CanRun(v, device.U32, got.Stream.Bins) == nil &&
				v.Worthwhile(got.Stream.Bins, device.U32.Bytes()) &&
				!(v.Base == variant.SegReduce && !got.Stream.Grouped())
			if slices.Contains(names, v.String()) != runs {
				t.Errorf("%s: %s ranked: %t", spec, v, !runs)
			}
		}
		for _, name := range absent {
			if slices.Contains(names, name) {
				t.Errorf("%s: %s is ranked", spec, name)
			}
		}
	}
}

// TestRelaid: the host's work is part of the time of ss unless it is done. No model belongs to
// another host's profile, whose trees would see that work too.
func TestRelaid(t *testing.T) {
	other := *tunertest.Profile(t, "h200")
	other.Host.Relayout.Value *= 2
	d := &other
	s := tunertest.Analyze(t, "zipf:n=20000,k=256,s=2")
	ss, err := variant.Parse("ss")
	if err != nil {
		t.Fatal(err)
	}
	o := tuner.Options{Only: []variant.Variant{ss}}
	with, err := tuner.Choose(s, d, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Relaid = true
	without, err := tuner.Choose(s, d, o)
	if err != nil {
		t.Fatal(err)
	}
	host := d.Host.Relayout.Value * float64(s.Updates) / 1e3
	if got := with.Choice.PredictedUS - without.Choice.PredictedUS; host <= 0 ||
		math.Abs(got-host) > 1e-9*host {
		t.Errorf("the host takes %v us, want %v", got, host)
	}
	if b := with.Ranking[0].Binding; b != tuner.HostBinding {
		t.Errorf("ss is bound by %s", b)
	}
}

func TestChooseErrors(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	good := tunertest.Analyze(t, "uniform:n=10000,k=256")
	broken := func(change func(*collision.Stats)) *collision.Stats {
		s := *good
		change(&s)
		return &s
	}
	for name, c := range map[string]struct {
		s    *collision.Stats
		d    *device.Profile
		o    tuner.Options
		want error
		text string
	}{
		"no stats": {nil, d, tuner.Options{}, model.ErrStats, "none given"},
		"zero":     {&collision.Stats{WarpSize: 32}, d, tuner.Options{}, model.ErrStats, "0 updates"},
		"NaN": {broken(func(s *collision.Stats) { s.BankLanes = math.NaN() }), d, tuner.Options{},
			model.ErrStats, "NaN"},
		"infinite": {broken(func(s *collision.Stats) { s.AllLevel = math.Inf(1) }), d, tuner.Options{},
			model.ErrStats, "+Inf"},
		"no maximum": {broken(func(s *collision.Stats) { s.MaxFrequency = 0 }), d, tuner.Options{},
			model.ErrStats, "max_frequency 0"},
		"hot warps": {broken(func(s *collision.Stats) { s.HotWarps = 1.5 }), d, tuner.Options{},
			model.ErrStats, "hot_warps 1.5"},
		"hot NaN": {broken(func(s *collision.Stats) { s.HotSegments = math.NaN() }), d,
			tuner.Options{}, model.ErrStats, "hot_segments NaN"},
		"hot half": {broken(func(s *collision.Stats) { s.HotSegments = 0 }), d, tuner.Options{},
			model.ErrStats, "hot_segments 0"},
		"warp size": {good, tunertest.Profile(t, "hd5870"), tuner.Options{}, model.ErrStats,
			"warps of 32"},
		"no device": {good, nil, tuner.Options{}, model.ErrOptions, "no device"},
		"type":      {good, d, tuner.Options{Call: device.Call{Type: 99}}, model.ErrOptions, "99"},
		"operand":   {good, d, tuner.Options{Call: device.Call{Operand: 7}}, model.ErrOptions, "7"},
		"launch":    {good, d, tuner.Options{Launch: device.Launch{Unroll: 3}}, model.ErrOptions, "3 turns"},
		"twice": {good, d, tuner.Options{Exclude: []variant.Variant{{}, {}}}, model.ErrOptions,
			"naive stands twice"},
		"impossible": {good, d, tuner.Options{Only: []variant.Variant{{Replicas: 3}}}, model.ErrOptions,
			"Only"},
		"too many": {good, d, tuner.Options{Only: make([]variant.Variant, 64)}, model.ErrOptions,
			"64 implementations in Only"},
		"nothing left": {good, d, tuner.Options{Only: []variant.Variant{{}},
			Exclude: []variant.Variant{{}}},
			model.ErrNone, "naive (excluded)"},
		"not grouped": {good, d, tuner.Options{Only: []variant.Variant{{Base: variant.SegReduce}}},
			model.ErrNone, "grouped"},
	} {
		_, err := tuner.Choose(c.s, c.d, c.o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
	}
}

// TestInputsUnchanged: Choose and Pick leave statistics and profile alone.
func TestInputsUnchanged(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	s := tunertest.Analyze(t, "uniform:n=10000,k=256")
	before, hash := *s, model.ProfileHash(d)
	if _, err := tuner.Choose(s, d, tuner.Options{Relaid: true}); err != nil {
		t.Fatal(err)
	}
	if *s != before || model.ProfileHash(d) != hash {
		t.Error("Choose changed its arguments")
	}
}
