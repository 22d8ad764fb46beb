package tuner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

func warned(d tuner.Decision, text string) bool {
	return slices.ContainsFunc(d.Warnings, func(w tuner.Warning) bool { return strings.Contains(w.Text, text) })
}

// TestWarnings: each doubt is a warning with the names and values that it is about, and where there is
// none nothing is said.
func TestWarnings(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, fitted := tunertest.Trained()
	inside := tunertest.Analyze(t, "uniform:n=1000,k=256")
	sampled, uncovered := *inside, *inside
	sampled.Sampled = &collision.Sampling{}
	uncovered.Cover, uncovered.Misses = collision.Cover{}, collision.Misses{}
	changed := *d
	changed.Core.SMs.Value++
	alone := []impl.Spec{{Reduction: impl.Match}}
	pair := []impl.Spec{{}, {Reduction: impl.SR}}
	for _, c := range []struct {
		name  string
		s     *collision.Stats
		d     *device.Profile
		o     tuner.Options
		words string            // in one of the warnings
		kind  tuner.WarningKind // of this warning; "" for none at all
	}{
		{"quiet", inside, d, tuner.Options{Model: fitted, Only: alone}, "", ""},
		{"updates", tunertest.Analyze(t, "uniform:n=30000,k=256"), d, tuner.Options{Model: fitted},
			"updates = 30000", tuner.WarnRange},
		{"returns", inside, d, tuner.Options{Model: fitted, Call: device.Call{Returns: true}}, "returns = 1", tuner.WarnRange},
		{"no cover", &uncovered, d, tuner.Options{}, "hot:s=64,r=4, hot:s=64,r=32, hot:s=256,r=32, hot:s=64+sr", tuner.WarnTables},
		{"sampled", &sampled, d, tuner.Options{Model: fitted, Only: alone}, "", tuner.WarnSample},
		{"no model", inside, d, tuner.Options{Call: device.Call{Type: device.F32, Op: device.Mul}}, "mul of f32", tuner.WarnModel},
		{"other profile", inside, &changed, tuner.Options{Only: alone}, "", tuner.WarnModel},
		{"untrained", inside, d,
			tuner.Options{Model: fitted, Only: impl.List("peers:masks=hash")}, "peers:masks=hash", tuner.WarnModel},
		{"tie", inside, d, tuner.Options{Model: measured(fitted), Only: pair}, "sr", tuner.WarnTie},
		{"more than a tie", tunertest.Analyze(t, "uniform:n=100000,k=100000"), d, tuner.Options{Only: pair}, "", ""},
	} {
		got := choose(t, c.s, c.d, c.o)
		found := slices.ContainsFunc(got.Warnings, func(w tuner.Warning) bool {
			return w.Kind == c.kind && strings.Contains(w.Text, c.words)
		})
		if c.kind == "" && len(got.Warnings) > 0 || c.kind != "" && !found {
			t.Errorf("%s: warnings %+v, want %s with %q", c.name, got.Warnings, c.kind, c.words)
		}
	}
	covered := choose(t, inside, d, tuner.Options{})
	if warned(covered, "hot:s=64,r=4, hot:s=64,r=32") {
		t.Errorf("of statistics that price tables: %q", covered.Warnings)
	}
}

// TestReason: the reason names what is compared, the phase by which the runner-up falls behind, and
// whether naive is among what is compared.
func TestReason(t *testing.T) {
	naive, match := impl.Spec{}, impl.Spec{Reduction: impl.Match}
	hot := tunertest.Analyze(t, "constant:n=100000,k=1")
	spread := tunertest.Analyze(t, "permuted:n=1000,k=1000000")
	for name, c := range map[string]struct {
		s    *collision.Stats
		only []impl.Spec
		want []string
	}{
		"collisions": {hot, []impl.Spec{naive, match}, []string{"match", "naive", "update phase"}},
		"none":       {spread, []impl.Spec{naive, {Algorithm: impl.Sort}}, []string{"naive", "sort", "launches"}},
		"runner-up": {hot, []impl.Spec{naive, match, impl.Copies(32, 1, 0)},
			[]string{"private:r=32,pad=1", "match", "update phase", "naive"}},
		"not admitted": {spread, []impl.Spec{{Algorithm: impl.Sort}}, []string{"sort", "naive"}},
	} {
		got := choose(t, c.s, tunertest.Profile(t, "h200"), tuner.Options{Only: c.only}).Reason
		rest := got
		for _, want := range c.want { // in this order
			_, behind, found := strings.Cut(rest, want)
			if !found {
				t.Errorf("%s: reason %q, want %q in it", name, got, c.want)
			}
			rest = behind
		}
	}
}

// TestBeforehand: a choice whose targets must be known before the first call names the first that needs
// nothing, and no other choice says anything of it.
func TestBeforehand(t *testing.T) {
	skewed := tunertest.Analyze(t, "hotspot:n=1000000,k=1000000,seed=1")
	known := impl.Spec{Algorithm: impl.Hot, Slots: 1024, Replicas: 8}
	found := known
	found.Sample = 16384
	for _, c := range []struct {
		calls int
		only  []impl.Spec
		names []string
	}{
		{1000, nil, []string{"hot:s=256,r=32 ", "hot:s=64,r=32,sample=2048"}},
		{1, nil, nil},
		{1, []impl.Spec{known}, []string{"hot:s=1024,r=8 "}},
		{1000, []impl.Spec{{}, known}, []string{"hot:s=1024,r=8 ", "naive"}},
		{1000, []impl.Spec{{}, found}, nil},
	} {
		got := choose(t, skewed, tunertest.Profile(t, "h200"), tuner.Options{Only: c.only, Calls: c.calls})
		text := got.Beforehand()
		if (text == "") != (c.names == nil) || text != "" && !warned(got, text) {
			t.Errorf("%v: %q, warnings %q", c, text, got.Warnings)
		}
		for _, name := range c.names {
			if !strings.Contains(text, name) {
				t.Errorf("%v: %q does not name %s", c, text, name)
			}
		}
	}
}

// TestEstimates: each device whose profile is an estimate gets an answer for each type, with a warning
// that names the device and what the estimate rests on. Others do not say so.
func TestEstimates(t *testing.T) {
	stream, bins := tunertest.Generate(t, "zipf:n=65536,k=4096,s=1.1,seed=3")
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
			if w := decision.Warnings[0]; w.Kind != tuner.WarnDevice || !strings.Contains(w.Text, name) ||
				!strings.Contains(w.Text, d.Estimate.Base) {
				t.Errorf("%s: %q", name, w)
			}
		}
	}
	if answers == 0 {
		t.Error("no estimate answered")
	}
	unseen, err := tuner.ChooseSampled(stream, bins, tunertest.Profile(t, "a100"), tuner.Options{},
		tuner.SamplingBudget{CostUS: 1e6})
	if err != nil || unseen.Sampling.Sampled || !warned(unseen, "a100") {
		t.Errorf("without a sample: %v, %q", err, unseen.Warnings)
	}
}
