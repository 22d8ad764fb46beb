package choices

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/lab/validate"
)

// checkReadme holds the README's figures on plain atomics to those on the
// held-out streams on which nothing was shaped, and its figures on choices.
func checkReadme(t *testing.T, r, other TunerReport) {
	t.Helper()
	p := partOf(t, r, freshPart)
	naive := p.Rules[len(p.Rules)-1]
	if naive.Rule != "always naive" {
		t.Fatalf("the last rule is %s", naive.Rule)
	}
	want := fmt.Sprintf("On %d held-out streams recorded on the H200, plain atomics take %.1f times as long as the best form in the geometric mean and %.0f times at worst",
		p.Streams, naive.Loss.GeometricMean, naive.Loss.Max)
	own, ladder := p.Rules[0], p.Rules[2]
	if !strings.HasPrefix(ladder.Rule, "a careful ladder") {
		t.Fatalf("the third rule is %s", ladder.Rule)
	}
	rules := fmt.Sprintf("A careful ladder of rules, as an expert writes one, takes %.2f times as long as the best and %.1f times at worst; choices of atomtune take %.2f and %.1f times as long",
		ladder.Loss.GeometricMean, ladder.Loss.Max, own.Loss.GeometricMean, own.Loss.Max)
	held, second := partOf(t, r, heldOutPart).Rules[0].Loss, partOf(t, r, secondPart)
	trust := fmt.Sprintf("choices take %.3f times as long as the best form in the geometric mean and %.2f times at worst; on %d streams drawn apart, %.3f times and %.2f times at worst",
		held.GeometricMean, held.Max, second.Streams, second.Rules[0].Loss.GeometricMean,
		second.Rules[0].Loss.Max)
	fresh := partOf(t, r, "fresh validation set")
	more := fmt.Sprintf("on %d more, which no one looks at one by one, %.3f times and %.2f times at worst",
		fresh.Streams, fresh.Rules[0].Loss.GeometricMean, fresh.Rules[0].Loss.Max)
	launched := fmt.Sprintf("against the best of all forms in all launches that were measured, they take %.3f times as long",
		r.Launches[0].Searched.GeometricMean)
	there, its := partOf(t, other, heldOutPart), partOf(t, other, "fresh validation set")
	elsewhere := fmt.Sprintf("On the H100 choices take %.3f times as long as the best form on the held-out half and %.3f times on the streams that no one looks at",
		there.Rules[0].Loss.GeometricMean, its.Rules[0].Loss.GeometricMean)
	readme := strings.Join(strings.Fields(string(tunerContent(t, "../../../README.md"))), " ")
	for _, say := range []string{want, rules, trust, more, launched, elsewhere} {
		if !strings.Contains(readme, say) {
			t.Errorf("README.md does not say %q", say)
		}
	}
}

// TestTunerGapReasons: each known gap has a reason, and no figure in it that
// other models would make wrong.
func TestTunerGapReasons(t *testing.T) {
	gaps, err := tunerGaps()
	if err != nil {
		t.Fatal(err)
	}
	figure := regexp.MustCompile(`(^|[^a-z])[0-9]`)
	for item, g := range gaps {
		if g.Reason == validate.Unexplained || figure.MatchString(g.Reason) {
			t.Errorf("%s: reason %q", item, g.Reason)
		}
	}
}

// TestMeasuredCalls: the recorded calls are what doc/RESULTS.md says of them.
func TestMeasuredCalls(t *testing.T) {
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls, err := h200.Archive.Calls(part)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			if c.Repeats != 5*c.Starts || c.Starts > 2 {
				t.Fatalf("%s, %s: %d repeats on %d starts", c.Label, c.Implementation, c.Repeats, c.Starts)
			}
		}
	}
}
