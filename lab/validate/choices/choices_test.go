package choices

import (
	"errors"
	"maps"
	"math"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

const (
	resultsFile   = "results.json"
	resultsFigure = "../../../doc/results/results.svg"
)

// tunerReport is made once for all tests, with no known gaps: tests judge it
// again.
var tunerReport = sync.OnceValues(func() (TunerReport, error) {
	return evaluated(TunerOptions{})
})

func reported(t *testing.T) TunerReport {
	t.Helper()
	r, err := tunerReport()
	if err != nil {
		t.Fatal(err)
	}
	r.Checks = slices.Clone(r.Checks)
	return r
}

// TestTuner holds results.json and the figure of doc/results/RESULTS.md to what is computed now. It fails
// where a limit is not kept that no known gap names, and where a known gap has widened or closed.
// ATOMTUNE_UPDATE_GOLDEN=1 writes both, and the list of known gaps.
func TestTuner(t *testing.T) {
	golden.OnlyFull(t)
	r := reported(t)
	gaps, err := tunerGaps()
	if err != nil {
		t.Fatal(err)
	}
	update := golden.Update()
	if update {
		text, err := validate.EncodeGaps(r.Checks, gaps)
		if err != nil {
			t.Fatal(err)
		}
		gaps = renewTunerGaps(t, tunerGapsFile, text, gaps)
	}
	r.Failed = validate.Judge(r.Checks, gaps)
	for _, failure := range r.Failed {
		t.Error(failure)
	}
	other, err := otherOnce()
	if err != nil {
		t.Fatal(err)
	}
	text, err := results.Encode(Results{r, other})
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, resultsFile, text)
	figure, err := lossFigure(t, [...]TunerReport{r, other}).SVG()
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, resultsFigure, string(figure))
}

func partOf(t *testing.T, r TunerReport, name string) TunerPart {
	t.Helper()
	i := slices.IndexFunc(r.Parts, func(p TunerPart) bool { return p.Part == name })
	if i < 0 {
		t.Fatalf("no part %q", name)
	}
	return r.Parts[i]
}

// TestTunerParts: the parts hold the streams that they are to hold, every rule is judged on all of a part,
// groups add up to it, and choices lose what results.json says.
func TestTunerParts(t *testing.T) {
	var r, other TunerReport
	if err := errors.Join(r.judgeParts(h200.Archive, nil), other.judgeParts(h100.Archive, nil)); err != nil {
		t.Fatal(err)
	}
	var want Results
	if err := results.Read(resultsFile, &want); err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]TunerReport{{r, want.Own}, {other, want.Other}} {
		now := p[0].Parts
		if diff, err := results.Diff(p[1].Parts[:len(now)], now); err != nil || diff != "" {
			t.Errorf("(-%s +now)\n%s%v", resultsFile, diff, err)
		}
	}
	sizes := map[string]int{}
	for _, p := range r.Parts {
		sizes[p.Part] = p.Questions
		if p.Streams < 20 || p.Questions != 4*p.Streams || len(p.Rules) != 2+len(recorded.Rivals()) {
			t.Errorf("%s: %d streams, %d questions, %d rules", p.Part, p.Streams, p.Questions, len(p.Rules))
		}
		for _, rule := range p.Rules {
			if rule.Loss.Points+rule.Unmeasured != p.Questions || rule.Loss.Points == 0 {
				t.Errorf("%s, %s: %+v", p.Part, rule.Rule, rule)
			}
		}
		for _, groups := range [][]GroupLoss{p.ByType, p.ByFamily} {
			total := 0
			for _, g := range groups {
				total += g.Choice.Points
			}
			if total != p.Questions || len(groups) < 3 {
				t.Errorf("%s: %d of %d questions in %d groups", p.Part, total, p.Questions, len(groups))
			}
		}
		if p.Choice.Times != p.Questions || p.All.Times < 5*p.Questions {
			t.Errorf("%s: %d and %d predicted times", p.Part, p.Choice.Times, p.All.Times)
		}
	}
	if sizes[heldOutPart]+sizes[fitPart] < 1800 {
		t.Errorf("%v", sizes)
	}
}

// TestNotMeasured: a candidate without recordings is left out of the choices and reported.
func TestNotMeasured(t *testing.T) {
	all, err := recorded.Questions(h200.Archive)
	if err != nil {
		t.Fatal(err)
	}
	some, never, err := answers(all[:40], nil)
	if err != nil {
		t.Fatal(err)
	}
	questions, without := slices.Clone(all[:40]), some[0].choice.of
	for i := range questions {
		questions[i].US = maps.Clone(questions[i].US)
		delete(questions[i].US, without)
	}
	some, missing, err := answers(questions, nil)
	if err != nil || len(missing) != len(never)+1 || !slices.Contains(missing, without) || len(some) != len(questions) {
		t.Errorf("%v are not measured, want %s; %d answers, %v", missing, without, len(some), err)
	}
}

// renewTunerGaps writes the list of known gaps as the checks have them. A gap that was not
// known is an error: its reason is to be found.
func renewTunerGaps(t *testing.T, file string, text []byte,
	known map[string]validate.Gap) map[string]validate.Gap {
	t.Helper()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	gaps, err := validate.DecodeGaps(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for item := range gaps {
		if _, old := known[item]; !old {
			t.Errorf("%s: a new gap: find its reason", item)
		}
	}
	return gaps
}

// TestTimeError: errors and covered shares of four times.
func TestTimeError(t *testing.T) {
	list := []forecast{
		{predictedUS: 10, lowUS: 8, highUS: 12, measuredUS: 10}, {predictedUS: 10, lowUS: 8, highUS: 12,
			measuredUS: 8},
		{predictedUS: 10, lowUS: 9, highUS: 11, measuredUS: 20}, {predictedUS: 30, lowUS: 29, highUS: 31,
			measuredUS: 20},
	}
	for i := range list {
		list[i].closedUS = list[i].measuredUS * math.Exp(0.5)
	}
	got := timeError(list)
	if math.Abs(got.LnRMSE-0.4167) > 1e-4 || math.Abs(got.ClosedLnRMSE-0.5) > 1e-9 {
		t.Errorf("errors in ln: %+v", got)
	}
	got.LnRMSE, got.ClosedLnRMSE = 0, 0
	if want := (TimeError{4, 37.5, 50, new(50.0), 0, 0}); !cmp.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	list[0].lowUS, list[0].highUS = math.NaN(), math.NaN()
	if got := timeError(list); got.CoveredPercent != nil {
		t.Errorf("%v %% of intervals of which one is none", *got.CoveredPercent)
	}
}
