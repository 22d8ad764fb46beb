package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestSimulate: a simulation says what it did, and of how much of the stream.
func TestSimulate(t *testing.T) {
	inputs(t)
	doc := need(t, "simulate", document(t, line("simulate --impl private:r=2,pad=1 indices.npy")...),
		"implementation launch cycles us updates warp_instructions events wall_s correct device type warnings")
	if doc["correct"] != true || doc["updates"] != 4096.0 || doc["implementation"] != "private:r=2,pad=1" {
		t.Errorf("simulate: %v", doc)
	}
	got := atomtune("", line("simulate --json --max-updates 100 --impl naive indices.npy")...)
	if !strings.Contains(got.Done(t), `"updates": 100,`) || strings.Count(got.Stderr, "\n") != 1 ||
		!strings.Contains(got.Stderr, "indices.npy: ") || !strings.Contains(got.Stderr, "100 updates") {
		t.Errorf("simulate --max-updates 100: %s%s", got.Stdout, got.Stderr)
	}
}

// TestWrongSums: a simulation with wrong results prints them and fails.
func TestWrongSums(t *testing.T) {
	var stdout bytes.Buffer
	doc := simulateDocument{File: "indices.npy", Device: "c2075", Warnings: []string{}}
	e := newEnv(nil, &stdout, nil)
	e.JSON = true
	err := command.Action(func(*cobra.Command, []string) error { return printSimulation(e, doc, &device.Profile{}) })(nil, nil)
	if !errors.Is(err, errWrongSums) || program.ExitCode(err) != exitFailed ||
		!strings.Contains(stdout.String(), `"correct": false,`) {
		t.Errorf("%v, %s", err, stdout.String())
	}
}

// TestOperations: --op reaches the tuner and the simulator, and their documents name it where it is not add.
func TestOperations(t *testing.T) {
	inputs(t)
	for _, command := range []string{"choose indices.npy", "simulate --impl naive indices.npy"} {
		if _, named := document(t, line(command)...)["op"]; named {
			t.Errorf("%s: the document names the operation", command)
		}
		for _, o := range []string{"mul", "mad", "div", "min", "max"} {
			doc := document(t, line(command+" --type f32 --op "+o)...)
			if right, ok := doc["correct"]; doc["op"] != o || ok && right != true {
				t.Errorf("%s --op %s: %v, correct %v", command, o, doc["op"], right)
			}
			if list, ok := doc["ranking"].([]any); ok && o == "mad" && len(list) != 2 {
				t.Errorf("%s --op mad ranks %d implementations, want naive and ss", command, len(list))
			}
		}
	}
}

// TestCoordinator: where old values are needed of one target on a device with two ways to memory, the coordinator
// is chosen before plain atomics, and simulated it is as fast as predicted, and faster than they. Warp reductions,
// which [elteir11] did not have, are faster still. On other devices it is not ranked.
func TestCoordinator(t *testing.T) {
	const stream = " synth:uniform:n=16384,k=1,seed=1"
	var doc choice.Document
	decode(t, done(t, line("choose --json --device hd5870 --returns --only naive --only coordinator"+stream)...), &doc)
	if got := doc.Choice.Implementation.String(); got != "coordinator" {
		t.Fatalf("the choice is %s", got)
	}
	us := map[string]float64{}
	for _, name := range []string{"coordinator", "naive"} {
		var doc simulateDocument
		decode(t, done(t, line("simulate --json --device hd5870 --returns --impl", name, stream)...), &doc)
		if !doc.Correct || doc.Updates != 16384 || *doc.Events == 0 || *doc.WarpInstructions == 0 || len(doc.Kernels) != 2 {
			t.Errorf("%s: %+v", name, doc)
		}
		us[name] = doc.US
	}
	if c := us["coordinator"] / doc.Choice.PredictedUS; us["coordinator"] >= us["naive"] || !(c > 1/1.25 && c < 1.25) {
		t.Errorf("%v us, predicted %v", us, doc.Choice.PredictedUS)
	}
	for _, name := range ranked(t, stream[1:]) {
		if name == "coordinator" {
			t.Error("the coordinator is ranked on an H200")
		}
	}
}

// TestSimulateRows: all implementations make the updates, half of them on one row, which a table is for; of many elements the
// time is estimated, and no events are counted.
func TestSimulateRows(t *testing.T) {
	us := map[string]float64{}
	for _, name := range []string{"naive", "runs", "hot:s=2"} {
		var doc simulateDocument
		decode(t, done(t, line("simulate --json --width 32 --impl", name, "synth:hotspot:n=30000,k=2000,h=1,p=0.5,seed=3")...), &doc)
		if !doc.Correct || *doc.Sampled || doc.Updates != 30000 || doc.Bins != 2000 || doc.Width != 32 ||
			doc.Implementation.String() != name || doc.Events == nil || *doc.Events == 0 || !doc.Clear {
			t.Errorf("%s: %+v", name, doc)
		}
		us[name] = doc.US
	}
	if us["hot:s=2"] > us["runs"]/2 || us["runs"] > us["naive"] {
		t.Errorf("times %v", us)
	}
	var doc simulateDocument
	for _, call := range []string{"--type i64 --op min", "--type f64 --clear=false"} {
		decode(t, done(t, line("simulate --json --width 6 --impl hot", call, "synth:uniform:n=3000,k=200,seed=3")...), &doc)
		if !doc.Correct || !(doc.US > 0) {
			t.Errorf("%s: %+v", call, doc)
		}
		simulated := document(t, line("choose --simulate --width 6", call, "synth:uniform:n=3000,k=200,seed=3")...)["simulated"]
		if us := need(t, "simulated", simulated, "us")["us"].(float64); !(us > 0) {
			t.Errorf("%s: %v us", call, us)
		}
	}
	if !golden.Full() {
		return
	}
	doc = simulateDocument{}
	decode(t, done(t, line("simulate --json --width 128 --impl runs synth:sorted:n=140000,k=10000,seed=1")...), &doc)
	if !*doc.Sampled || doc.Events != nil || len(doc.Kernels) != 0 || !(doc.US > 10) {
		t.Errorf("%+v", doc)
	}
}
