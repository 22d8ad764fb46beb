package prediction

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/latency"
)

// TestExplained: the terms and the rounds of each pattern sum to its cycles,
// which are the same without --explain, and its lines are not too long.
func TestExplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	checked := 0
	everyOperation(t, func(d *device.Profile, o device.Operation, typ device.Type, p latency.Params) {
		plain, err := New(d, o, typ, nil)
		if err != nil {
			t.Fatal(err)
		}
		explained, err := New(d, o, typ, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			pattern := draw(rng, p)
			if err := errors.Join(plain.Predict(pattern, false), explained.Predict(pattern,
				true)); err != nil {
				t.Fatal(err)
			}
			a, b := plain.Predictions[i], explained.Predictions[i]
			terms, rounds := sums(b)
			if math.Abs(a.Cycles-b.Cycles) > 1e-9 || math.Abs(terms-b.Cycles) > 1e-9 ||
				math.Abs(rounds-b.Cycles) > 1e-9 {
				t.Errorf("%v: %v cycles, explained %v, terms %v, rounds %v", pattern, a.Cycles, b.Cycles, terms,
					rounds)
			}
			checked++
		}
		checkDrawing(t, explained)
	})
	if checked < 500 {
		t.Errorf("only %d patterns checked", checked)
	}
}

func sums(p Prediction) (terms, rounds float64) {
	for _, x := range p.Terms {
		terms += x.Cycles
	}
	for _, x := range p.Rounds {
		rounds += x.Cycles
	}
	return terms, rounds
}

func checkDrawing(t *testing.T, doc *Document) {
	t.Helper()
	w := report.Page{Buffer: &bytes.Buffer{}, Width: 80}
	doc.PrintExplanation(&w)
	strip := explainMargin + len(doc.Predictions[0].pattern) + 24 // with the figures beside it
	strips := 0
	for line := range strings.Lines(w.String()) {
		if n := len([]rune(line)) - 1; n > w.Width && n != strip {
			t.Errorf("%s %s %s: a line of %d characters: %s", doc.Device, doc.Type, doc.Operation, len(line),
				line)
		}
		if strings.Contains(line, "round ") && strings.Contains(line, "W") ||
			strings.HasPrefix(line, "access ") {
			strips++
		}
	}
	rounds := 0
	for _, p := range doc.Predictions {
		rounds += len(p.Rounds)
	}
	if strips < rounds {
		t.Errorf("%s %s %s: %d strips of %d rounds", doc.Device, doc.Type, doc.Operation, strips, rounds)
	}
}

// TestTermMeanings: each term and each mechanism is explained.
func TestTermMeanings(t *testing.T) {
	for _, name := range latency.Terms() {
		if termMeanings[name] == "" {
			t.Errorf("the term %s has no meaning", name)
		}
	}
	if len(latency.Terms()) != len(termMeanings) {
		t.Errorf("%d terms, %d meanings", len(latency.Terms()), len(termMeanings))
	}
	for _, m := range []device.Mechanism{device.Native, device.Merge, device.Access, device.Lock,
		device.Spin, device.CAS} {
		if mechanisms[m].works == "" || mechanisms[m].won == "" || mechanisms[m].reads == "" {
			t.Errorf("the mechanism %s is not explained", m)
		}
	}
}
