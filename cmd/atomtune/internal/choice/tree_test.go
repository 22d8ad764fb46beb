package choice

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
)

// number reads the first number behind a word of a text.
func number(t *rapid.T, text string) float64 {
	first, _, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(strings.ReplaceAll(first, ",", ""), 64)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return x
}

// TestCompared: value and threshold are in the order that the tree found them in, however they are rounded, and
// every feature has words.
func TestCompared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(model.FeatureNames[:]).Draw(t, "feature")
		exponent := rapid.Float64Range(-12, 30)
		value := math.Exp2(exponent.Draw(t, "value"))
		threshold := math.Exp2(exponent.Draw(t, "threshold"))
		if rapid.Bool().Draw(t, "close") {
			threshold = value * (1 + math.Exp2(-rapid.Float64Range(1, 50).Draw(t, "apart")))
		}
		c := model.Comparison{Value: value, Threshold: threshold, Below: value < threshold}
		c.Feature, _, _ = model.Plain(name, 1, 1)
		words, one := model.Words(c.Feature)
		text := Compared(c)
		if words == "" || !strings.Contains(text+Side(c.Feature, threshold, false), cmp.Or(one, words)) {
			t.Fatalf("%s is said to be %q", name, text)
		}
		if one != "" {
			return
		}
		_, behind, _ := strings.Cut(strings.TrimSuffix(text, ")"), " ("+sides[c.Below]+" ")
		if got, limit := number(t, text), number(t, behind); got < limit != c.Below {
			t.Errorf("%q of %v and %v", text, value, threshold)
		}
	})
}

// TestDecided: a page has the comparisons next to the leaf, and what the closed forms alone would take.
func TestDecided(t *testing.T) {
	steps := []model.Comparison{{Feature: "updates", Value: 1 << 20, Threshold: 1000}, {Feature: "returns", Threshold: 0.5, Below: true},
		{Feature: "bins", Value: 256, Threshold: 300.5, Below: true}, {Feature: "distinct_per_warp", Value: 27.16, Threshold: 3}}
	one := impl.Spec{Algorithm: impl.Private}
	for n := range len(steps) + 1 {
		d := &tuner.Deciding{Leaves: 14, SimulatedPoints: 4000, Path: steps[:n]}
		text := Decided(d, "H200")
		for i, s := range steps {
			if want := i < n && i >= n-lastSteps; strings.Contains(text, Compared(s)) != want {
				t.Errorf("%d comparisons: %q has %q: %v", n, text, Compared(s), !want)
			}
		}
		d.Overruled = &one
		if !strings.Contains(strings.TrimPrefix(Decided(d, "H200"), text), one.String()) {
			t.Errorf("%q does not name %s", text, one)
		}
	}
}
