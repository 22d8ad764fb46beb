package main

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

// TestExplained: the terms and the rounds of each pattern sum to its cycles,
// which are the same without --explain, and its lines are not too long.
func TestExplained(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	checked := 0
	everyOperation(t, func(d *device.Profile, o device.Operation, typ device.Type, p latency.Params) {
		f := latencyFlags{typ: typ}
		plainly, err := newPredictor(d, o, f)
		if err != nil {
			t.Fatal(err)
		}
		f.explain = true
		explained, err := newPredictor(d, o, f)
		if err != nil {
			t.Fatal(err)
		}
		doc := latencyDocument{Device: d.Name, Type: typ, Operation: o, Space: "shared", params: p, profile: d}
		for range 20 {
			pattern := draw(rng, p)
			a, err := plainly.predict(pattern)
			if err != nil {
				t.Fatal(err)
			}
			b, err := explained.predict(pattern)
			if err != nil {
				t.Fatal(err)
			}
			terms, rounds := sums(b)
			if math.Abs(a.Cycles-b.Cycles) > 1e-9 || math.Abs(terms-b.Cycles) > 1e-9 || math.Abs(rounds-b.Cycles) > 1e-9 {
				t.Errorf("%v: %v cycles, explained %v, terms %v, rounds %v", pattern, a.Cycles, b.Cycles, terms, rounds)
			}
			doc.Predictions = append(doc.Predictions, b)
			checked++
		}
		checkDrawing(t, doc)
	})
	if checked < 500 {
		t.Errorf("only %d patterns checked", checked)
	}
}

func sums(p predictionDocument) (terms, rounds float64) {
	for _, x := range p.Terms {
		terms += x.Cycles
	}
	for _, x := range p.Rounds {
		rounds += x.Cycles
	}
	return terms, rounds
}

func checkDrawing(t *testing.T, doc latencyDocument) {
	t.Helper()
	var w bytes.Buffer
	printExplanation(&w, doc)
	strips := 0
	for line := range strings.Lines(w.String()) {
		if len([]rune(line)) > explainMargin+explainWidth+1 && !strings.HasPrefix(line, "pattern ") {
			t.Errorf("%s %s %s: a line of %d characters: %s", doc.Device, doc.Type, doc.Operation, len(line), line)
		}
		if strings.Contains(line, "round ") && strings.Contains(line, "W") || strings.HasPrefix(line, "access ") {
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
	for _, m := range []device.Mechanism{device.Native, device.Merge, device.Access, device.Lock, device.Spin, device.CAS} {
		if mechanisms[m].works == "" || mechanisms[m].won == "" || mechanisms[m].reads == "" {
			t.Errorf("the mechanism %s is not explained", m)
		}
	}
}

// TestLatencyLines: one plain number per line, in the order of the file, from
// a file, through gzip and from standard input, and with --json the same.
func TestLatencyLines(t *testing.T) {
	t.Chdir(t.TempDir())
	text := done(t, "patterns", "--kind", "random", "--count", "200")
	write(t, "p.txt", []byte(text))
	write(t, "p.txt.gz", zip(t, []byte(text)))
	args := []string{"latency", "--device", "gtx580", "--type", "f32", "--patterns"}
	lines := done(t, append(args, "p.txt")...)
	if zipped := done(t, append(args, "p.txt.gz")...); zipped != lines {
		t.Error("gzip gives other latencies")
	}
	for _, stdin := range []string{text, string(zip(t, []byte(text)))} {
		if got := atomtune(stdin, append(args, "-")...); got.code != exitDone || got.stdout != lines {
			t.Errorf("standard input: exit code %d, %s", got.code, got.stderr)
		}
	}
	all, err := patterns.Read(strings.NewReader(text), "p.txt", patterns.Lanes, patterns.Words)
	if err != nil {
		t.Fatal(err)
	}
	params, err := latency.ForDevice(profile(t, "gtx580"), device.OpAdd, device.F32)
	if err != nil {
		t.Fatal(err)
	}
	predictions, _ := document(t, append(args, "p.txt")...)["predictions"].([]any)
	numbers := strings.Fields(lines)
	if len(numbers) != len(all) || len(predictions) != len(all) || len(all) != 200 {
		t.Fatalf("%d lines and %d predictions of %d patterns", len(numbers), len(predictions), len(all))
	}
	for i, p := range all {
		want, err := latency.Warp(p, params)
		if err != nil {
			t.Fatal(err)
		}
		got, err := strconv.ParseFloat(numbers[i], 64)
		cycles := need(t, "prediction", predictions[i], "cycles")["cycles"]
		if err != nil || math.Abs(got-want.Cycles) > 1e-6 || cycles != want.Cycles {
			t.Errorf("pattern %d: printed %s (%v), JSON %v, want %v", i+1, numbers[i], err, cycles, want.Cycles)
		}
	}
}

// TestExplainDocument: with --explain the document has terms and rounds, and
// empty lists where no lane takes part.
func TestExplainDocument(t *testing.T) {
	inputs(t)
	doc := need(t, "latency", document(t, "latency", "--device", "gtx580", "--type", "f32", "--patterns", "patterns.txt", "--explain", "--simulate"),
		"device type operation space predictions")
	predictions, _ := doc["predictions"].([]any)
	if len(predictions) != 3 {
		t.Fatalf("%d predictions, want 3", len(predictions))
	}
	first := need(t, "prediction", predictions[0], "cycles simulated_cycles terms rounds")
	if first["cycles"] != 604.0 {
		t.Errorf("the worked example takes %v cycles, want 108 + 496", first["cycles"])
	}
	for _, term := range first["terms"].([]any) {
		need(t, "term", term, "name count cycles")
	}
	rounds := first["rounds"].([]any)
	if len(rounds) != 3 {
		t.Fatalf("%d rounds, want 3", len(rounds))
	}
	round := need(t, "round", rounds[0], "pending winners locks read_passes write_passes cycles waits")
	if text := fmt.Sprint(round["waits"]); !strings.Contains(text, "held_by:0 lane:1 lock:0 word:1024") {
		t.Errorf("waits of the first round: %s", text)
	}
	last := need(t, "prediction", predictions[2], "terms rounds simulated_cycles")
	if last["cycles"] != 0.0 || len(last["terms"].([]any)) != 0 || len(last["rounds"].([]any)) != 0 {
		t.Errorf("without an active lane: %v", last)
	}
}
