package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// The documents of these tests are made up: their golden files show the form
// of the output, and do not change with the models and the devices.

// render prints a document as text and as JSON.
func render(t *testing.T, print func(e *env) error) (text, document string) {
	t.Helper()
	var out [2]bytes.Buffer
	for i := range out {
		e := newEnv(nil, &out[i], nil)
		e.JSON = i == 1
		if err := print(e); err != nil {
			t.Fatal(err)
		}
	}
	return out[0].String(), out[1].String()
}

func profile(t *testing.T, name string) *device.Profile {
	t.Helper()
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestChoiceForm(t *testing.T) {
	ratio := 12.5
	private := variant.Variant{Base: variant.Private, Replicas: 8, Pad: 1}
	doc := chooseDocument{
		Device: "h200", Type: device.F32, Value: device.One, Returns: true, profile: profile(t, "h200"),
		Stream: streamDocument{
			File: "indices.npy", Format: "npy", ElapsedS: 0.5, BytesPerSecond: 8e6,
			Stats: collision.Stats{Updates: 1e6, Bins: 256, WarpLevel: 0.25, BlockLevel: 0.125, AllLevel: 3906.25,
				DistinctPerWarp: 17.5, MaxFrequency: 4000},
		},
		Choice: tuner.Choice{Implementation: private, Class: private.Class().String(), PredictedUS: 16.25, LowUS: 14, HighUS: 20.5,
			SpeedupOverNaive: &ratio},
		Ranking: []tuner.Ranked{
			{Implementation: private, Class: private.Class().String(), PredictedUS: 16.25, Binding: "memory"},
			{Class: "naive", PredictedUS: 203.125, Binding: "slice"},
		},
		Reason:   "naive is bound by slice.",
		Warnings: []string{"this is made up"},
	}
	text, document := render(t, func(e *env) error { return emitAll(e, []chooseDocument{doc}, printChoice) })
	golden(t, "choose-form", text)
	golden(t, "choose-form-json", document)
	_, several := render(t, func(e *env) error { return emitAll(e, []chooseDocument{doc, doc}, printChoice) })
	if !strings.HasPrefix(several, "{\n  \"files\": [\n") || strings.Count(several, `"reason"`) != 2 {
		t.Errorf("two documents: %s", several)
	}
}

func TestSimulationForm(t *testing.T) {
	doc := simulateDocument{
		File: "indices.npy", Device: "c2075", Bins: 256, Warnings: []string{}, profile: profile(t, "c2075"),
		Cycles: 123456, US: 107.6, Updates: 1e6, WarpInstructions: 400000, Events: 500000, WallS: 0.125, Correct: true,
		Kernels: []hwsim.KernelTime{{Name: "clear", Cycles: 456}, {Name: "update", Cycles: 123000}},
	}
	text, document := render(t, func(e *env) error { return e.report(doc) })
	golden(t, "simulate-form", text)
	golden(t, "simulate-form-json", document)
}

// TestWrongSums: a simulation with wrong results prints them and fails.
func TestWrongSums(t *testing.T) {
	var stdout bytes.Buffer
	doc := simulateDocument{File: "indices.npy", Device: "c2075", Warnings: []string{}}
	e := newEnv(nil, &stdout, nil)
	e.JSON = true
	err := action(func(*cobra.Command, []string) error { return e.report(doc) })(nil, nil)
	if !errors.Is(err, errWrongSums) || program.ExitCode(err) != exitFailed {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(stdout.String(), `"correct": false,`) {
		t.Errorf("standard output %s", stdout.String())
	}
}

func TestTrainingForm(t *testing.T) {
	doc := trainDocument{
		Device: "c2075", Points: 1000, Seed: 7, Shard: "0/1", Rows: 1000, Journal: "points.jsonl", Model: "model.json", ElapsedS: 42.5,
		Evaluation: &tuner.Evaluation{
			HeldOut:    tuner.Loss{Points: 1000, GeometricMean: 1.02, P90: 1.1, Max: 1.5},
			FamilyOut:  tuner.Loss{Points: 1000, GeometricMean: 1.05, P90: 1.2, Max: 2},
			ClosedForm: tuner.Loss{Points: 1000, GeometricMean: 1.1, P90: 1.4, Max: 3},
			Naive:      tuner.Loss{Points: 900, GeometricMean: 4.25, P90: 30, Max: 120},
		},
	}
	text, document := render(t, func(e *env) error {
		return e.emit(doc, func(w *bytes.Buffer) { printTraining(w, doc) })
	})
	golden(t, "train-form", text)
	golden(t, "train-form-json", document)
}

// TestInterrupted: an interrupted training says how to go on.
func TestInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := trainFlags{sweep: tuner.Sweep{Points: 20}, out: "model.json"}
	for journal, want := range map[string]string{"": "without --journal", "points.jsonl": "points.jsonl"} {
		f.collect.Journal = journal
		var stderr, stdout bytes.Buffer
		e := newEnv(nil, &stdout, &stderr)
		e.Now = fixedClock()
		err := e.train(ctx, profile(t, "c2075"), f)
		if err == nil || !strings.HasPrefix(err.Error(), "interrupted: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want interrupted and %s", err, want)
		}
		if stdout.Len() > 0 {
			t.Errorf("standard output %q, want nothing", stdout.String())
		}
	}
}
