package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
)

// hotStream has one target only.
const hotStream = "synth:uniform:n=16384,k=1,seed=1"

// TestChooseCoordinator: where old values are needed of one target on a device with two ways to
// memory, the coordinator is chosen before plain atomics, and simulated it is as fast as predicted,
// and faster than they. Warp reductions, which [elteir11] did not have, are faster still.
func TestChooseCoordinator(t *testing.T) {
	var chosen choice.Document
	decode(t, done(t, "choose", "--json", "--device", "hd5870", "--returns", "--only", "naive",
		"--only", "coordinator", hotStream), &chosen)
	if got := chosen.Choice.Implementation.String(); got != "coordinator" {
		t.Fatalf("the choice is %s", got)
	}
	simulated := map[string]simulateDocument{}
	for _, name := range []string{"coordinator", "naive"} {
		var doc simulateDocument
		decode(t, done(t, "simulate", "--json", "--device", "hd5870", "--returns", "--impl", name,
			hotStream), &doc)
		if !doc.Correct || doc.Updates != 16384 || doc.Events == 0 || doc.WarpInstructions == 0 ||
			len(doc.Kernels) != 2 {
			t.Errorf("%s: %+v", name, doc)
		}
		simulated[name] = doc
	}
	if c, n := simulated["coordinator"].US, simulated["naive"].US; !(c < n) ||
		!(c > chosen.Choice.PredictedUS/1.25 && c < chosen.Choice.PredictedUS*1.25) {
		t.Errorf("coordinator %v us, predicted %v, naive %v us", c, chosen.Choice.PredictedUS, n)
	}
	if text := done(t, "simulate", "--device", "hd5870", "--impl", "coordinator",
		hotStream); !strings.Contains(text, "yes") {
		t.Error(text)
	}
}

func TestCoordinatorRefused(t *testing.T) {
	for want, line := range map[string]string{
		"one way to global memory": "simulate --impl coordinator " + hotStream,
		"not f32":                  "simulate --device hd5870 --type f32 --impl coordinator " + hotStream,
		"does not max":             "simulate --device hd5870 --op max --impl coordinator " + hotStream,
		"want 1 to 4194304":        "simulate --device hd5870 --impl coordinator synth:uniform:n=5000000,k=1,seed=1",
	} {
		failed(t, exitFailed, "", strings.Fields(line), want)
	}
	var doc choice.Document
	decode(t, done(t, "choose", "--json", hotStream), &doc)
	for _, r := range doc.Ranking {
		if r.Implementation.String() == "coordinator" {
			t.Errorf("the coordinator is ranked on %s", doc.Device)
		}
	}
	if len(doc.Ranking) == 0 {
		t.Error("nothing is ranked")
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}
