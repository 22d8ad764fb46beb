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
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/latency"
)

// TestExplained: the terms and the rounds of each pattern sum to its cycles,
// which are the same without --explain, and are drawn.
func TestExplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	checked := 0
	everyOperation(t, func(d *device.Profile, o device.Operation, typ device.Type, p latency.Params) {
		plain := must.Get(New(d, o, typ, nil))(t)
		explained := must.Get(New(d, o, typ, nil))(t)
		for i := range 8 {
			pattern := draw(rng, p)
			must.Do(t, errors.Join(plain.Predict(pattern, false), explained.Predict(pattern,
				true)))
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
	if checked < 200 {
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
	doc.Explain(func(beginning, text string) { w.Item(beginning, "%s", text) })
	strips := 0
	for line := range strings.Lines(w.String()) {
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
