package tuner_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// drawOnly draws a shuffled and shortened list of candidates.
func drawOnly(r *rapid.T) []variant.Variant {
	list := rapid.Permutation(append(variant.Candidates(), variant.Sized()...)).Draw(r, "order")
	return list[:rapid.IntRange(1, len(list)).Draw(r, "length")]
}

// TestAnyOrder: Pick chooses what Choose puts first in whatever order Only lists
// the implementations, forms that add to the global targets before naive too.
func TestAnyOrder(t *testing.T) {
	_, fitted := tunertest.Trained()
	d := tunertest.Profile(t, "h200")
	list, moved := tunertest.Streams(t), 0
	rapid.Check(t, func(r *rapid.T) {
		o := tuner.Options{
			Call: rapid.SampledFrom(tunertest.Calls()).Draw(r, "call"), Only: drawOnly(r),
			Cautious: rapid.Bool().Draw(r, "cautious"),
		}
		if rapid.Bool().Draw(r, "model") {
			o.Model = fitted
		}
		c, err := tuner.NewChooser(d, o)
		if errors.Is(err, model.ErrNone) {
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		s := rapid.SampledFrom(list).Draw(r, "stream")
		pick, fast := c.Pick(s)
		full, err := tuner.Choose(s, d, o)
		if err != nil || fast != nil {
			if !errors.Is(err, model.ErrNone) || !errors.Is(fast, model.ErrNone) {
				r.Fatalf("Choose: %v, Pick: %v", err, fast)
			}
			return
		}
		if pick.Variant != full.Choice.Implementation || pick.US != full.Choice.PredictedUS {
			r.Fatalf("Pick %+v, Choose %+v", pick, full.Ranking)
		}
		if at := slices.Index(o.Only, variant.Variant{}); at > 0 &&
			full.Choice.Implementation == (variant.Variant{}) {
			moved++
		}
	})
	if moved == 0 {
		t.Error("no choice was naive where the list begins with another")
	}
}

// TestNaiveListedLast: a stream without collisions, where all global forms are
// lifted to the time of naive.
func TestNaiveListedLast(t *testing.T) {
	all := variant.Candidates()
	slices.Reverse(all)
	var globals []variant.Variant
	for _, v := range all {
		if v.Base == variant.Global && !v.Scatter {
			globals = append(globals, v)
		}
	}
	_, fitted := tunertest.Trained()
	s := tunertest.Analyze(t, "permuted:n=100000,k=100000")
	for _, cautious := range []bool{false, true} {
		for _, m := range []*model.Model{nil, fitted} {
			o := tuner.Options{Only: globals, Model: m, Cautious: cautious}
			if n := comparePicksOn(t, []*collision.Stats{s}, tunertest.Profile(t, "h200"), o); n != 1 {
				t.Errorf("cautious %t: %d choices compared", cautious, n)
			}
			got, err := tuner.Choose(s, tunertest.Profile(t, "h200"), o)
			if err != nil || got.Choice.Implementation != (variant.Variant{}) {
				t.Errorf("cautious %t: %+v, %v", cautious, got.Ranking, err)
			}
		}
	}
}

// TestSizedForms: tables of hot targets are ranked where recorded calls corrected the model, or
// there is none, and not by models that were trained on simulated times alone.
func TestSizedForms(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=20000,k=4096")
	for name, want := range map[string]bool{"h200": true, "h100": true, "gtx580": true, "gtx680": false} {
		got, err := tuner.Choose(s, tunertest.Profile(t, name), tuner.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if ranked := slices.ContainsFunc(got.Ranking, func(c tuner.Ranked) bool {
			return c.Implementation.Slots > 0
		}); ranked != want {
			t.Errorf("%s: tables ranked %t", name, ranked)
		}
	}
}

// TestLeftOut: what the options take out is listed with the reason, and nothing else.
func TestLeftOut(t *testing.T) {
	s := tunertest.Analyze(t, "uniform:n=20000,k=64")
	d := tunertest.Profile(t, "h200")
	for _, c := range []struct {
		o    tuner.Options
		want map[string]string
	}{
		{tuner.Options{}, map[string]string{}},
		{tuner.Options{NoSort: true}, map[string]string{"sort": "re-orders", "ss": "re-orders",
			"sr+ss": "re-orders"}},
		{tuner.Options{Exclude: []variant.Variant{{}}}, map[string]string{"naive": "excluded"}},
		{tuner.Options{MemoryBytes: 1 << 16, Only: []variant.Variant{{}, {Base: variant.Sort}}},
			map[string]string{"sort": "64 KiB allowed"}},
	} {
		got, err := tuner.Choose(s, d, c.o)
		if err != nil {
			t.Fatal(err)
		}
		prior, err := tuner.ChooseSampled(make([]uint32, 20000), 64, d, c.o,
			tuner.SamplingBudget{CostUS: 1e12})
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]tuner.LeftOut{got.LeftOut, prior.LeftOut} {
			if len(list) != len(c.want) || list == nil {
				t.Errorf("%+v: left out %v", c.o, list)
			}
			for _, l := range list {
				if want := c.want[l.Implementation.String()]; want == "" || !strings.Contains(l.Reason, want) {
					t.Errorf("%+v: left out %v", c.o, l)
				}
			}
		}
	}
	_, err := tuner.Choose(s, d, tuner.Options{
		NoSort: true, Exclude: []variant.Variant{{}}, Only: []variant.Variant{{Base: variant.Sort},
			{Scatter: true}, {}},
	})
	if text := ": naive (excluded); sort and ss (re-orders the stream)"; !errors.Is(err, model.ErrNone) ||
		!strings.HasSuffix(err.Error(), text) {
		t.Errorf("error %v: want the rarest reason first", err)
	}
}

// TestTimesStandAlone: with AmongAll what is predicted of an implementation is the same whatever else is
// ranked, naive or not, by the embedded model of the H200 too, which keeps an order among times; Pick says the
// same of the first.
func TestTimesStandAlone(t *testing.T) {
	_, fitted := tunertest.Trained()
	d := tunertest.Profile(t, "h200")
	all := slices.Concat(variant.Candidates(), variant.Sized())
	for _, v := range append(variant.Tables(), variant.Widths()...) {
		if !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	list, compared := tunertest.Streams(t), 0
	rapid.Check(t, func(r *rapid.T) {
		o := tuner.Options{Call: rapid.SampledFrom(tunertest.Calls()).Draw(r, "call"), AmongAll: true,
			Cautious: rapid.Bool().Draw(r, "cautious"), SearchLaunch: rapid.Bool().Draw(r, "search")}
		if rapid.Bool().Draw(r, "model") {
			o.Model = fitted
		}
		s := rapid.SampledFrom(list).Draw(r, "stream")
		ranked := func(only []variant.Variant) map[variant.Variant]tuner.Ranked {
			o.Only = only
			of := map[variant.Variant]tuner.Ranked{}
			decision, err := tuner.Choose(s, d, o)
			if errors.Is(err, tuner.ErrNone) {
				return of
			}
			c, failed := tuner.NewChooser(d, o)
			if err := errors.Join(err, failed); err != nil {
				r.Fatal(err)
			}
			for _, one := range decision.Ranking {
				of[one.Implementation] = one
			}
			if pick, err := c.Pick(s); err != nil || pick.Variant != decision.Choice.Implementation ||
				pick.US != decision.Choice.PredictedUS {
				r.Fatalf("picked %+v, %v; chose %+v", pick, err, decision.Choice)
			}
			return of
		}
		from := all
		if rapid.Bool().Draw(r, "few") { // which share the targets of naive
			from = variant.Candidates()[1:7]
		}
		some := rapid.Permutation(from).Draw(r, "order")[:rapid.IntRange(2, 6).Draw(r, "length")]
		beside, usual := ranked(some), ranked(nil)
		for _, v := range some {
			one, can := beside[v]
			if alone, runs := ranked([]variant.Variant{v})[v]; runs != can || alone != one {
				r.Fatalf("alone %+v, with %v %+v", alone, some, one)
			}
			if of, too := usual[v]; too && of != one {
				r.Fatalf("among the candidates %+v, with %v %+v", of, some, one)
			}
			compared++
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}
