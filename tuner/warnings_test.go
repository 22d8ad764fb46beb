package tuner_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/variant"
)

func warned(d tuner.Decision, text string) bool {
	return slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, text) })
}

func TestWarnings(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, model := tunertest.Trained()
	inside := tunertest.Analyze(t, "uniform:n=1000,k=256")
	sampled := *inside
	sampled.Sampled = &collision.Sampling{}
	uncovered := tunertest.Analyze(t, "uniform:n=1000,k=256")
	uncovered.Cover, uncovered.Misses = collision.Cover{}, collision.Misses{}
	changed := *d
	changed.Core.SMs.Value++
	alone := []variant.Variant{{Reduction: variant.Match}}
	for _, c := range []struct {
		name string
		s    *collision.Stats
		d    *device.Profile
		o    tuner.Options
		want string // "" for none at all
	}{
		{"quiet", inside, d, tuner.Options{Model: model, Only: alone}, ""},
		{"updates", tunertest.Analyze(t, "uniform:n=30000,k=256"), d, tuner.Options{Model: model},
			"outside the trained range: updates = 30000, trained from "},
		{"returns", inside, d, tuner.Options{Model: model, Call: device.Call{Returns: true}},
			"outside the trained range: returns = 1, trained from 0 to 0"},
		{"no cover", uncovered, d, tuner.Options{},
			"hot:s=64,r=4, hot:s=64,r=32, hot:s=256,r=32, hot:s=64+sr and 2 more: not priced, since "},
		{"sampled", &sampled, d, tuner.Options{Model: model, Only: alone}, "come from a sample"},
		{"no model", tunertest.Analyze(t, "uniform:n=1000,k=256"), tunertest.Profile(t, "gtx580"),
			tuner.Options{},
			"closed forms alone, without a correction trained by simulation"},
		{"other profile", inside, &changed, tuner.Options{}, "closed forms alone"},
		{"untrained", inside, d,
			tuner.Options{Model: model, Only: []variant.Variant{{Base: variant.Private, Replicas: 3}}},
			"closed forms alone for private:r=3, which the model does not correct"},
		{"tie", inside, tunertest.Profile(t, "gtx680"),
			tuner.Options{Only: []variant.Variant{{}, {Reduction: variant.SR}}}, "near tie: "},
		{"more than a tie", tunertest.Analyze(t, "uniform:n=100000,k=100000"), d,
			tuner.Options{Only: []variant.Variant{{}, {Reduction: variant.SR}}}, ""},
	} {
		got, err := tuner.Choose(c.s, c.d, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.want == "" && len(got.Warnings) != 0 || c.want != "" && !warned(got, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.name, got.Warnings, c.want)
		}
	}
}

func TestReason(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	naive, match := variant.Variant{}, variant.Variant{Reduction: variant.Match}
	hot := tunertest.Analyze(t, "constant:n=100000,k=1")
	spread := tunertest.Analyze(t, "permuted:n=1000,k=1000000")
	for _, c := range []struct {
		name string
		s    *collision.Stats
		o    tuner.Options
		want []string
	}{
		{"collisions", hot, tuner.Options{Only: []variant.Variant{naive, match}},
			[]string{"match takes ", "bound by ", ": the warp first sums the updates of each of its targets.",
				"The runner-up, naive, takes ", " times as long: its update phase takes "}},
		{"none", spread, tuner.Options{Only: []variant.Variant{naive, {Base: variant.Sort}}},
			[]string{"naive takes ", "The runner-up, sort, takes ",
				"times as long: waiting for launches takes ", " us more"}},
		{"runner-up", hot, tuner.Options{Only: []variant.Variant{naive, match, variant.Copies(32, 1, 0)}},
			[]string{"The runner-up, match, takes ", "its update phase takes ", " us more, bound by ",
				". naive takes ", " times as long, bound by "}},
		{"single", spread, tuner.Options{Only: []variant.Variant{naive}},
			[]string{"nothing else is left"}},
		{"not admitted", spread, tuner.Options{Only: []variant.Variant{{Base: variant.Sort}}},
			[]string{"sort takes", "naive would take ", "is not admitted"}},
	} {
		got, err := tuner.Choose(c.s, d, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkDecision(t, got)
		for _, want := range c.want {
			if !strings.Contains(got.Reason, want) {
				t.Errorf("%s: reason %q, want %q in it", c.name, got.Reason, want)
			}
		}
	}
}

// TestEveryReason makes a sentence for each implementation and bound.
func TestEveryReason(t *testing.T) {
	all, seen := append(variant.Candidates(), variant.Sized()...), map[string]bool{}
	for _, name := range []string{"h200", "c2075", "gtx680", "hd5870"} {
		for _, s := range tunertest.Streams(t) {
			// the figures of 32 lanes give sentences as well
			s.WarpSize = int(tunertest.Profile(t, name).Core.WarpLanes.Value)
			for _, v := range all {
				got, err := tuner.Choose(s, tunertest.Profile(t, name),
					tuner.Options{Only: []variant.Variant{v}})
				if err != nil {
					continue
				}
				checkDecision(t, got)
				seen[v.String()] = true
			}
		}
	}
	if len(seen) != len(all) {
		t.Errorf("reasons for %d implementations only", len(seen))
	}
}

// TestBeforehand: a choice whose targets must be known before the call names the first that needs
// nothing, with its time, and no other choice says anything of it.
func TestBeforehand(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	skewed := tunertest.Analyze(t, "hotspot:n=1000000,k=1000000,seed=1")
	known := variant.Variant{Base: variant.Hot, Slots: 1024, Replicas: 8}
	found := known
	found.Sample = 16384
	const needs = " needs the most frequent targets before the call"
	for _, c := range []struct {
		only []variant.Variant
		want string // "" for none
	}{
		{nil, "hot:s=256,r=32" + needs + ", and its time does not hold finding them: where they are not " +
			"known, the fastest is match, "},
		{[]variant.Variant{known}, "hot:s=1024,r=8" + needs + ", and its time does not hold finding them: " +
			"forms with sample=M find them in the call"},
		{[]variant.Variant{{}, known}, "the fastest is naive, "},
		{[]variant.Variant{{}, found}, ""},
	} {
		got, err := tuner.Choose(skewed, d, tuner.Options{Only: c.only})
		switch {
		case err != nil:
			t.Errorf("%v: %v", c.only, err)
		case c.want == "" && (got.Beforehand() != "" || warned(got, needs)):
			t.Errorf("%v: %q, warnings %q", c.only, got.Beforehand(), got.Warnings)
		case !strings.Contains(got.Beforehand(), c.want) || c.want != "" && !warned(got, c.want):
			t.Errorf("%v: %q, warnings %q", c.only, got.Beforehand(), got.Warnings)
		}
	}
}
