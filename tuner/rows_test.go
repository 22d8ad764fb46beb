package tuner_test

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
)

const (
	halfRows   = "hotspot:n=200000,k=16384,h=1,p=0.5,seed=1" // of the updates are on one row
	sortedRows = "sorted:n=200000,k=16384,seed=1"
)

// rowChoice chooses for a stream of rows that is made.
func rowChoice(t *testing.T, spec, on string, o tuner.Options) (tuner.Decision, error) {
	t.Helper()
	d, err := device.Builtin(on)
	if err != nil {
		t.Fatal(err)
	}
	s, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(s)
	if err != nil {
		t.Fatal(err)
	}
	decision, err := tuner.ChooseStream(indices, uint64(s.K), d, o)
	if err != nil {
		return decision, err
	}
	c, err := tuner.New(d, o)
	if err != nil {
		t.Fatal(err)
	}
	pick, err := c.Pick(decision.Stream.Stats)
	if err != nil || pick.Implementation != decision.Choice.Implementation || pick.PredictedUS != decision.Choice.PredictedUS {
		t.Errorf("picked %s of %v us, chosen %+v, %v", pick.Implementation, pick.PredictedUS, decision.Choice, err)
	}
	return decision, nil
}

func rowOptions(c device.Call) tuner.Options {
	c.Width = 64
	return tuner.Options{Call: c}
}

// TestRows: half of the updates on one row ask for a table, sorted ones for runs, and the parts of the decision
// belong together.
func TestRows(t *testing.T) {
	for _, on := range []string{"h100", "h200"} {
		for _, c := range []device.Call{{Type: device.F32}, {Type: device.BF16}, {Type: device.F32, Values: device.BF16},
			{Type: device.F64, Keeps: true}, {Type: device.I32, Op: device.Max}} {
			hot, err := rowChoice(t, halfRows, on, rowOptions(c))
			runs, wrong := rowChoice(t, sortedRows, on, rowOptions(c))
			if err := cmp.Or(err, wrong); err != nil {
				t.Fatal(err)
			}
			if hot.Choice.Implementation.Algorithm != impl.Hot ||
				runs.Choice.Implementation != (impl.Spec{Reduction: impl.Runs}) {
				t.Errorf("%s, %v: %s and %s", on, c, hot.Choice.Implementation, runs.Choice.Implementation)
			}
			for _, d := range []tuner.Decision{hot, runs} {
				checkRows(t, &d)
			}
		}
	}
}

func checkRows(t *testing.T, d *tuner.Decision) {
	t.Helper()
	c := d.Choice
	naive := d.Ranking[slices.IndexFunc(d.Ranking, func(r tuner.Ranked) bool { return r.Implementation.IsNaive() })]
	if math.Abs(*c.SpeedupOverNaive*c.PredictedUS/naive.PredictedUS-1) > 1e-12 ||
		math.Abs(d.Floor.Share*c.PredictedUS/d.Floor.US-1) > 1e-12 || *c.LowUS >= c.PredictedUS || *c.HighUS <= c.PredictedUS {
		t.Errorf("choice %+v, floor %+v, naive %v us", c, d.Floor, naive.PredictedUS)
	}
	for i, r := range d.Ranking {
		if i > 0 && r.PredictedUS < d.Ranking[i-1].PredictedUS || r.Launch.Blocks == 0 || r.Launch.Threads == 0 ||
			len(r.Parts) == 0 || r.Parts[0].Bound != r.Binding {
			t.Errorf("place %d: %+v", i, r)
		}
		if tie := i > 0 && r.PredictedUS <= c.PredictedUS*(1+tuner.TieBand); tie != slices.Contains(d.Ties, r.Implementation) {
			t.Errorf("%s takes %v us, the choice %v: ties %v", r.Implementation, r.PredictedUS, c.PredictedUS, d.Ties)
		}
	}
	if len(d.Warnings) > 0 {
		t.Errorf("a measured device: %q", d.Warnings)
	}
	for _, word := range []string{c.Implementation.String(), d.Ranking[0].Binding, "naive"} {
		if !strings.Contains(d.Reason, word) {
			t.Errorf("%q is not in the reason: %s", word, d.Reason)
		}
	}
}

// TestRowConstraints: options hold for rows as for single targets.
func TestRowConstraints(t *testing.T) {
	of := func(change func(o *tuner.Options)) (tuner.Decision, error) {
		o := rowOptions(device.Call{Type: device.F32})
		change(&o)
		return rowChoice(t, halfRows, "h200", o)
	}
	sort := impl.Spec{Algorithm: impl.Sort}
	for what, change := range map[string]func(o *tuner.Options){
		"sort without sorting": func(o *tuner.Options) { o.Only, o.NoSort = []impl.Spec{sort}, true },
		"deterministic":        func(o *tuner.Options) { o.Deterministic = true },
	} {
		if _, err := of(change); !errors.Is(err, tuner.ErrNone) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if d, err := of(func(o *tuner.Options) { o.Deterministic, o.Call.Type = true, device.I32 }); err != nil || len(d.LeftOut) > 0 {
		t.Errorf("integers in any order: %v, left out %v", err, d.LeftOut)
	}
	d, err := of(func(o *tuner.Options) {
		o.Only = slices.DeleteFunc(impl.Wide(), func(v impl.Spec) bool { return v.Algorithm != impl.Hot })
		o.Exclude = []impl.Spec{{Algorithm: impl.Hot, Slots: 2}}
	})
	if err != nil || len(d.LeftOut) != 1 || !strings.Contains(d.Reason, "naive would take") || slices.ContainsFunc(d.Ranking,
		func(r tuner.Ranked) bool { return r.Implementation.Algorithm != impl.Hot }) {
		t.Errorf("hot alone: %v, left out %v, %d ranked: %s", err, d.LeftOut, len(d.Ranking), d.Reason)
	}
	d, err = of(func(o *tuner.Options) { o.Cautious, o.MemoryBytes = true, 1 })
	if err != nil || len(d.LeftOut) != 1 || d.LeftOut[0].Implementation != sort || !slices.IsSortedFunc(d.Ranking,
		func(a, b tuner.Ranked) int { return cmp.Compare(*a.HighUS, *b.HighUS) }) {
		t.Errorf("cautious: %v, left out %v", err, d.LeftOut)
	}
	for what, change := range map[string]func(o *tuner.Options){
		"a launch":      func(o *tuner.Options) { o.Launches = []device.Launch{{Threads: 256}} },
		"single alone":  func(o *tuner.Options) { o.Only = []impl.Spec{{Algorithm: impl.Private}} },
		"ones":          func(o *tuner.Options) { o.Call.Operand = device.One },
		"of no one":     func(o *tuner.Options) { o.Call.Width = 0; o.Only = []impl.Spec{{Reduction: impl.Runs}} },
		"sums of bf16s": func(o *tuner.Options) { o.Call.Type, o.Call.Width = device.BF16, 0 },
	} {
		if _, err := of(change); !errors.Is(err, tuner.ErrOptions) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h200, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	s, err := collision.Analyze([]uint32{1, 2}, collision.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := tuner.New(h200, rowOptions(device.Call{Type: device.F32}))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.PickSampled([]uint32{1, 2}, 3, tuner.SamplingBudget{})
	if !errors.Is(err, tuner.ErrOptions) {
		t.Errorf("samples: %v", err)
	}
	read, err := settle(collision.Indices{1, 2}, 3, h200, rowOptions(device.Call{Type: device.F32}), tuner.Reading{})
	if err != nil || read.Settling != nil || read.Stream.Rows == nil {
		t.Errorf("%v, of a long stream %+v are read", err, read.Stream)
	}
	if _, err := tuner.Choose(&s, h200, rowOptions(device.Call{Type: device.F32})); !errors.Is(err, tuner.ErrStats) {
		t.Errorf("statistics of single targets: %v", err)
	}
}

// TestRowDoubts: answers that were never measured have a warning.
func TestRowDoubts(t *testing.T) {
	for on, want := range map[string]int{"h100": 0, "h200": 0, "a100": 2, "b200": 2} {
		d, err := rowChoice(t, "uniform:n=1,k=1", on, rowOptions(device.Call{Type: device.F32}))
		if err != nil || len(d.Warnings) != want || d.Warnings == nil {
			t.Errorf("%s: %q, %v", on, d.Warnings, err)
		}
	}
}
