package tuner_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// choose is Choose where that is not an error.
func choose(t rapid.TB, s *collision.Stats, d *device.Profile, o tuner.Options) tuner.Decision {
	t.Helper()
	got, err := tuner.Choose(s, d, o)
	tunertest.Must(t, err)
	checkDecision(t, got, o)
	return got
}

// chooser is New, without an error.
func chooser(t rapid.TB, d *device.Profile, o tuner.Options) *tuner.Chooser {
	t.Helper()
	c, err := tuner.New(d, o)
	tunertest.Must(t, err)
	return c
}

// ranks reports whether a decision ranks an implementation of some sort.
func ranks(d tuner.Decision, of func(impl.Spec) bool) bool {
	return slices.ContainsFunc(d.Ranking, func(r tuner.Ranked) bool { return of(r.Implementation) })
}

// checkDecision holds a decision against what every decision promises.
func checkDecision(t rapid.TB, d tuner.Decision, o tuner.Options) {
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
	checkTies(t, d, o)
	for _, r := range d.Ranking {
		if c.LowUS == nil && r.LowUS == nil && r.HighUS == nil {
			continue
		}
		if low, high := *r.LowUS, *r.HighUS; !(low > 0 && low <= r.PredictedUS && r.PredictedUS <= high) ||
			math.IsInf(high, 0) {
			t.Errorf("interval %v to %v around %v", low, high, r.PredictedUS)
		}
	}
	if strings.Contains(d.Reason, "\n") || !strings.Contains(d.Reason, c.Implementation.String()) {
		t.Errorf("reason %q", d.Reason)
	}
	if d.Warnings == nil || d.LeftOut == nil || d.Ties == nil {
		t.Errorf("warnings %v, left out %v, ties %v", d.Warnings, d.LeftOut, d.Ties)
	}
	if f := d.Floor; (f == nil) != (d.Sampling != nil && !d.Sampling.Sampled) || f != nil &&
		!(f.US > 0 && f.Bytes > 0 && math.Abs(f.Share*c.PredictedUS-f.US) < 1e-9*f.US) {
		t.Errorf("floor %+v of %v us", f, c.PredictedUS)
	}
	if _, err := json.Marshal(d); err != nil {
		t.Error(err)
	}
	checkDoubt(t, d)
}

func inOrder(ranking []tuner.Ranked, by func(tuner.Ranked) float64) bool {
	return slices.IsSortedFunc(ranking, func(a, b tuner.Ranked) int { return cmp.Compare(by(a), by(b)) })
}

func upperEnd(r tuner.Ranked) float64 { return *r.HighUS }

// checkTies holds the first of a ranking against the rule of ties: what can be the choice and takes at most 3 % longer
// than the fastest is tied with it, and nothing tied is simpler. The others follow by time.
func checkTies(t rapid.TB, d tuner.Decision, o tuner.Options) {
	t.Helper()
	key := func(r tuner.Ranked) float64 { return r.PredictedUS }
	if o.Cautious {
		key = upperEnd
	}
	if !inOrder(d.Ranking[1:], key) {
		t.Errorf("ranking in no order: %+v", d.Ranking)
	}
	told := func(r tuner.Ranked) bool {
		return !o.Call.Wide() && o.Calls <= 1 && strings.HasPrefix(r.Implementation.String(), "hot") && r.Implementation.Sample == 0
	}
	list := slices.DeleteFunc(slices.Clone(d.Ranking), told)
	if len(list) == 0 {
		list = slices.Clone(d.Ranking)
	}
	least := key(slices.MinFunc(list, func(a, b tuner.Ranked) int { return cmp.Compare(key(a), key(b)) }))
	list = slices.DeleteFunc(list, func(r tuner.Ranked) bool { return key(r) > least*(1+tuner.TieBand) })
	names := []impl.Spec{}
	for _, r := range list {
		if names = append(names, r.Implementation); d.Floor != nil &&
			r.Implementation.Simplicity(o.Call.Wide()) < d.Choice.Implementation.Simplicity(o.Call.Wide()) {
			t.Errorf("%s is tied with %s and simpler", r.Implementation, d.Choice.Implementation)
		}
	}
	if len(names) == 0 || names[0] != d.Choice.Implementation || !slices.Equal(d.Ties, names[1:]) {
		t.Errorf("choice %s, ties %v; %v are tied", d.Choice.Implementation, d.Ties, names)
	}
}

// checkDoubt works the bound on the loss and what would settle a choice out anew.
func checkDoubt(t rapid.TB, d tuner.Decision) {
	t.Helper()
	bound := 1.0
	for _, r := range d.Ranking[1:] {
		if r.LowUS != nil {
			bound = max(bound, *d.Choice.HighUS / *r.LowUS)
		}
	}
	if d.Choice.HighUS == nil {
		if d.Choice.LossBound != nil || d.Settle != nil {
			t.Errorf("without intervals, loss bound %v, to time %v", d.Choice.LossBound, d.Settle)
		}
		return
	}
	if *d.Choice.LossBound != bound || d.Settle == nil {
		t.Errorf("loss bound %v, want %v; to time %#v", *d.Choice.LossBound, bound, d.Settle)
	}
	if (bound >= tuner.LargeBound) != (len(d.Settle) >= 2) || len(d.Settle) > 3 {
		t.Errorf("loss bound %v, to time %v", bound, d.Settle)
	}
	if len(d.Settle) == 0 {
		return
	}
	// Without those that are timed, no other implementation gives a larger bound.
	least, left := math.Inf(1), math.Inf(1)
	for _, r := range d.Ranking[1:] {
		if slices.Contains(d.Settle, r.Implementation) {
			least = min(least, *r.LowUS)
		} else {
			left = min(left, *r.LowUS)
		}
	}
	if least > left || d.Settle[0] != d.Choice.Implementation {
		t.Errorf("to time %v, of which the lowest end is %v us, another's %v us", d.Settle, least, left)
	}
}

// TestBounds: some choices are tied, some bounds are large and some small.
func TestBounds(t *testing.T) {
	_, fitted := tunertest.Trained()
	tied, doubtful, sure := 0, 0, 0
	for _, m := range []*model.Model{nil, measured(fitted), spread(fitted, 1.4)} {
		for _, s := range tunertest.Streams(t) {
			d := tunertest.Profile(t, "h200")
			if m == nil {
				d = tunertest.Profile(t, "gtx580")
			}
			got := choose(t, s, d, tuner.Options{Model: m})
			tied += min(1, len(got.Ties))
			switch {
			case m == nil:
			case len(got.Settle) > 0:
				doubtful++
			default:
				sure++
			}
			if got.HeldOutLoss == nil {
				t.Errorf("%s: no held-out loss", d.Name)
			}
		}
	}
	if tied < 5 || doubtful < 5 || sure < 5 {
		t.Errorf("%d ties, %d large bounds and %d small ones: want some of each", tied, doubtful, sure)
	}
}

// measured returns a model whose times have intervals, as though of recorded calls.
func measured(m *model.Model) *model.Model { return spread(m, 1.15) }

// spread gives the times of a model intervals up to a factor on either side.
func spread(m *model.Model, factor float64) *model.Model {
	of := model.Interval{Calls: 100, Low: 1 / factor, High: factor}
	return m.With(&model.Intervals{Classes: [3]model.Interval{of, of, of}})
}

// TestCautious: no other implementation's interval ends lower by more than a tie.
func TestCautious(t *testing.T) {
	_, fitted := tunertest.Trained()
	for _, s := range tunertest.Streams(t) {
		bold := choose(t, s, tunertest.Profile(t, "h200"), tuner.Options{Model: measured(fitted)})
		careful := choose(t, s, tunertest.Profile(t, "h200"), tuner.Options{Model: measured(fitted), Cautious: true})
		if *careful.Choice.HighUS > *bold.Choice.HighUS*(1+tuner.TieBand) {
			t.Errorf("ranking %+v, by predicted times %+v", careful.Ranking, bold.Ranking)
		}
	}
}

// TestNoIntervals: times have intervals on the devices of which calls were recorded, for calls that the recorded
// ones are like, and cautious choices are refused elsewhere: for others, by a model of simulations alone, and
// without statistics too.
func TestNoIntervals(t *testing.T) {
	indices, bins := tunertest.Generate(t, "zipf:n=65536,k=4096,s=1.1,seed=3")
	_, fitted := tunertest.Trained()
	check := func(name string, o tuner.Options, want bool) {
		t.Helper()
		d := tunertest.Profile(t, name)
		sampled := func(o tuner.Options, cost float64) (tuner.Decision, error) {
			return tuner.ChooseSampled(indices, bins, d, o, tuner.SamplingBudget{CostUS: cost, Calls: 1000})
		}
		for _, cost := range []float64{0, 1e12} {
			got, err := sampled(o, cost)
			tunertest.Must(t, err)
			checkDecision(t, got, o)
			if c := got.Choice; (c.HighUS != nil) != want || (c.LowUS != nil) != want {
				t.Errorf("%s, %+v, a sample for %v us: from %v to %v us", name, o, cost, c.LowUS, c.HighUS)
			}
			careful := o
			careful.Cautious = true
			if _, err := sampled(careful, cost); (err == nil) != want || err != nil &&
				!(errors.Is(err, tuner.ErrOptions) && strings.Contains(err.Error(), name)) {
				t.Errorf("%s, %+v: a cautious choice: %v", name, o, err)
			}
		}
	}
	recorded := 0
	for _, name := range device.Names() {
		m, err := model.Embedded(name)
		want := err == nil && m.Intervals != nil
		if check(name, tuner.Options{}, want); want {
			recorded++
		}
	}
	if recorded != 2 {
		t.Errorf("calls of %d devices were recorded", recorded)
	}
	check("h200", tuner.Options{Call: device.Call{Type: device.F32, Op: device.Mul}}, false)
	check("h200", tuner.Options{Model: fitted}, false)
	check("h200", tuner.Options{Model: measured(fitted)}, true)
}

// TestOldValues: on streams with private copies or hot targets ahead, these are chosen where old values
// are needed too.
func TestOldValues(t *testing.T) {
	for spec, algorithm := range map[string]impl.Algorithm{
		"uniform:n=1048576,k=1000":                   impl.Private,
		"zipf:n=1048576,k=1048576,s=1.2,shuffle=1":   impl.Hot,
		"hotspot:n=1048576,k=1000000,h=1,p=0.5":      impl.Hot,
		"hotspot:n=1048576,k=20000,h=4,p=0.9,seed=2": impl.Hot,
	} {
		got := choose(t, tunertest.Analyze(t, spec), tunertest.Profile(t, "h200"),
			tuner.Options{Call: device.Call{Returns: true}, Calls: 1000}).Choice
		if got.Implementation.Algorithm != algorithm || *got.SpeedupOverNaive < 2 {
			t.Errorf("%s: %s, %v times as fast as naive", spec, got.Implementation, *got.SpeedupOverNaive)
		}
	}
}

// TestRelaid: the host's work is part of the time of ss unless it is done. No model belongs to
// another host's profile, whose trees would see that work too.
func TestRelaid(t *testing.T) {
	d := *tunertest.Profile(t, "h200")
	d.Host.Relayout.Value *= 2
	s := tunertest.Analyze(t, "zipf:n=20000,k=256,s=2")
	o := tuner.Options{Only: []impl.Spec{{Scatter: true}}}
	with := choose(t, s, &d, o)
	o.Relaid = true
	host := d.Host.Relayout.Value * float64(s.Updates) / 1e3
	if got := with.Choice.PredictedUS - choose(t, s, &d, o).Choice.PredictedUS; host <= 0 ||
		math.Abs(got-host) > 1e-9*host {
		t.Errorf("the host takes %v us, want %v", got, host)
	}
	if b := with.Ranking[0].Binding; b != "relayout" {
		t.Errorf("ss is bound by %s", b)
	}
}

// TestOperations: what is like adding is chosen and corrected as it is; what needs a loop costs no less
// where many updates meet at one target.
func TestOperations(t *testing.T) {
	s := tunertest.Analyze(t, "zipf:n=262144,k=65536,seed=1,s=1.5")
	decide := func(c device.Call) tuner.Decision {
		return choose(t, s, tunertest.Profile(t, "h200"), tuner.Options{Call: c})
	}
	naive := func(d tuner.Decision) float64 { return *d.Choice.SpeedupOverNaive * d.Choice.PredictedUS }
	plain := decide(device.Call{})
	for _, o := range []device.Op{device.Min, device.Max} {
		got := decide(device.Call{Op: o})
		for i, r := range got.Ranking {
			if us := plain.Ranking[i].PredictedUS; r.PredictedUS < 0.99*us || r.PredictedUS > 1.01*us {
				t.Errorf("%s of u32: rank %d is %s with %v us, of add %v us", o, i+1, r.Implementation,
					r.PredictedUS, us)
			}
		}
		if got.Op != o || !slices.Equal(got.Warnings, plain.Warnings) {
			t.Errorf("%s: %s, warnings %q, of add %q", o, got.Op, got.Warnings, plain.Warnings)
		}
	}
	mul := decide(device.Call{Type: device.F32, Op: device.Mul})
	if add, loop := naive(decide(device.Call{Type: device.F32})), naive(mul); loop < 10*add {
		t.Errorf("naive takes %v us to add and %v us to multiply, where most updates meet", add, loop)
	}
	if !warned(mul, "mul of f32") {
		t.Errorf("warnings %q", mul.Warnings)
	}
	var back struct{ Op device.Op }
	if err := json.Unmarshal([]byte(tunertest.MustJSON(t, mul)), &back); err != nil || back.Op != device.Mul {
		t.Errorf("the operation is read as %s, %v", back.Op, err)
	}
}

// TestPlainFirst: where nothing collides, nothing that reduces collisions is chosen before plain atomics, on
// any device and for any type; and with a single update where no tree of simulated times decides.
func TestPlainFirst(t *testing.T) {
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		for _, spec := range []string{"permuted:n=1,k=2097152", "permuted:n=65536,k=2097152"} {
			if name != "h200" && spec == "permuted:n=1,k=2097152" {
				continue
			}
			for _, typ := range device.Types() {
				got := choose(t, tunertest.Analyze(t, spec), tunertest.Profile(t, name),
					tuner.Options{Call: device.Call{Type: typ}})
				if v := got.Choice.Implementation; v.Algorithm == impl.Global && v.Reduction != impl.None && !v.Scatter {
					t.Errorf("%s, %s, %s: %s is chosen: %+v", name, typ, spec, v, got.Ranking[:3])
				}
			}
		}
	}
}

func TestChooseErrors(t *testing.T) {
	d, good := tunertest.Profile(t, "h200"), tunertest.Analyze(t, "uniform:n=10000,k=256")
	broken := *good
	broken.MaxFrequency = 0
	only := func(list ...impl.Spec) tuner.Options { return tuner.Options{Only: list} }
	sort := impl.Spec{Algorithm: impl.Sort}
	for name, c := range map[string]struct {
		s    *collision.Stats
		d    *device.Profile
		o    tuner.Options
		want error
		text string // in the message, which is a line
	}{
		"no stats":     {nil, d, tuner.Options{}, model.ErrStats, ""},
		"no stream":    {&broken, d, tuner.Options{}, model.ErrStats, "max_frequency 0"},
		"warp size":    {good, tunertest.Profile(t, "hd5870"), tuner.Options{}, model.ErrStats, "32"},
		"no device":    {good, nil, tuner.Options{}, model.ErrOptions, ""},
		"type":         {good, d, tuner.Options{Call: device.Call{Type: 99}}, model.ErrOptions, "99"},
		"operand":      {good, d, tuner.Options{Call: device.Call{Operand: 7}}, model.ErrOptions, "7"},
		"operation":    {good, d, tuner.Options{Call: device.Call{Op: 17}}, model.ErrOptions, "17"},
		"unroll":       {good, d, tuner.Options{Launches: []device.Launch{{Unroll: 3}}}, model.ErrOptions, "3"},
		"threads":      {good, d, tuner.Options{Launches: []device.Launch{{Threads: 97}}}, model.ErrOptions, "97"},
		"many threads": {good, d, tuner.Options{Launches: []device.Launch{{Threads: 2048}}}, model.ErrOptions, "1024"},
		"twice":        {good, d, tuner.Options{Exclude: []impl.Spec{{}, {}}}, model.ErrOptions, "naive"},
		"impossible":   {good, d, only(impl.Spec{Replicas: 3}), model.ErrOptions, "Only"},
		"nothing left": {good, d, tuner.Options{Only: []impl.Spec{{}}, Exclude: []impl.Spec{{}}},
			model.ErrNone, "naive"},
		"not grouped": {good, d, only(impl.Spec{Algorithm: impl.SegReduce}), model.ErrNone, "grouped"},
		"memory":      {good, d, tuner.Options{Only: []impl.Spec{sort}, MemoryBytes: 100}, model.ErrNone, "100 B"},
		"rarest first": {good, d, tuner.Options{NoSort: true, Exclude: []impl.Spec{{}},
			Only: []impl.Spec{sort, {Scatter: true}, {}}}, model.ErrNone, ": naive ("},
	} {
		_, err := tuner.Choose(c.s, c.d, c.o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.text)
		}
		_, err = tuner.New(c.d, c.o)
		if errors.Is(c.want, model.ErrOptions) && !errors.Is(err, c.want) {
			t.Errorf("%s: a chooser of its own: %v", name, err)
		}
	}
}
