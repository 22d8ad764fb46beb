package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/cmd/atomtune/internal/choice"
	"github.com/atomtune/atomtune/cmd/atomtune/internal/simulation"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
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
	doc := choice.Document{
		Device: "h200", Call: choice.Call{Type: device.F32, Value: device.One, Returns: true},
		Profile: profile(t, "h200"),
		Stream: input.StreamDocument{
			File: "indices.npy", Format: "npy", ElapsedS: 0.5, BytesPerSecond: 8e6,
			Stats: collision.Stats{Updates: 1e6, Bins: 256, WarpLevel: 0.25, BlockLevel: 0.125,
				AllLevel:        3906.25,
				DistinctPerWarp: 17.5, MaxFrequency: 4000},
		},
		Constraints: choice.NewConstraints(tuner.Options{MemoryBytes: 1 << 16, NoSort: true, Cautious: true}),
		Answer: choice.Answer{Decision: tuner.Decision{
			Choice: tuner.Choice{Implementation: private, Class: private.Class().String(),
				PredictedUS: 16.25, LowUS: 14, HighUS: 20.5,
				SpeedupOverNaive: &ratio, LossBound: 1.025},
			Floor: &tuner.Floor{Floor: speedup.Floor{US: 6.5, Bytes: 8e6}, Share: 0.4},
			Ranking: []tuner.Ranked{
				{Implementation: private, Class: private.Class().String(), PredictedUS: 16.25, LowUS: 14,
					HighUS: 20.5, Binding: "memory", Launch: device.Shape{Blocks: 132, Threads: 1024,
						SharedBytes: 8224, Unroll: 2, BlocksPerSM: 1}},
				{Class: "naive", PredictedUS: 203.125, LowUS: 190, HighUS: 300, Binding: "slice"},
			},
			LeftOut: []tuner.LeftOut{{Implementation: variant.Variant{Base: variant.Sort},
				Reason: "re-orders the stream"},
				{Implementation: variant.Variant{Scatter: true}, Reason: "re-orders the stream"}},
			Ties: []variant.Variant{}, ToTime: []variant.Variant{}, HeldOut: &model.Loss{Points: 9,
				GeometricMean: 1.02, P90: 1.1, Max: 1.5},
			Sampling: &tuner.Sampling{Sampled: true, Launches: 1000, Blocks: 8, Updates: 2048, CostUS: 61.44,
				ExpectedGainUS: 12000, LeftUS: 3.5,
				Prior: private, PriorUS: 40},
			Reason:   "naive is bound by slice.",
			Warnings: []string{"this is made up"},
		}},
		Code: []string{`#include "atomtune_kernels.cuh"`, "fetch_update_private<2><<<132, 1024, 8224>>>();"},
	}
	made := func(string) (choice.Document, error) { return doc, nil }
	text, document := render(t, func(e *env) error {
		return input.Each(e, []string{"one"}, made, choice.Print)
	})
	printed(t, "choose-form", text)
	printed(t, "choose-form-json", document)
	_, several := render(t, func(e *env) error {
		return input.Each(e, []string{"one", "two"}, made, choice.Print)
	})
	if !strings.HasPrefix(several, "{\n  \"files\": [\n") || strings.Count(several,
		`"warnings"`) != 2 {
		t.Errorf("two documents: %s", several)
	}
}

func TestSimulationForm(t *testing.T) {
	doc := simulateDocument{
		File: "indices.npy", Device: "c2075", Bins: 256, Warnings: []string{},
		stream:  "indices.npy (npy, in the order of the file)",
		profile: profile(t, "c2075"),
		Launch:  device.Shape{Blocks: 84, Threads: 256, Unroll: 1},
		Cycles:  123456, US: 107.6, Updates: 1e6, WarpInstructions: 400000, Events: 500000, WallS: 0.125,
		Correct: true,
		Kernels: []hwsim.KernelTime{{Name: "clear", Cycles: 456}, {Name: "update", Cycles: 123000}},
	}
	text, document := render(t, func(e *env) error { return printSimulation(e, doc) })
	printed(t, "simulate-form", text)
	printed(t, "simulate-form-json", document)
}

// TestWrongSums: a simulation with wrong results prints them and fails.
func TestWrongSums(t *testing.T) {
	var stdout bytes.Buffer
	doc := simulateDocument{File: "indices.npy", Device: "c2075", Warnings: []string{}}
	e := newEnv(nil, &stdout, nil)
	e.JSON = true
	err := command.Action(func(*cobra.Command, []string) error { return printSimulation(e, doc) })(nil,
		nil)
	if !errors.Is(err, simulation.ErrWrongSums) || program.ExitCode(err) != exitFailed {
		t.Errorf("error %v", err)
	}
	if !strings.Contains(stdout.String(), `"correct": false,`) {
		t.Errorf("standard output %s", stdout.String())
	}
}

func TestTrainingForm(t *testing.T) {
	doc := trainDocument{
		Device: "c2075", Points: 1000, Seed: 7, Shard: "0/1", Rows: 1000, Journal: "points.jsonl",
		Model: "model.json", ElapsedS: 42.5, Trees: new(9),
		Evaluation: &model.Evaluation{
			HeldOut:    model.Loss{Points: 1000, GeometricMean: 1.02, P90: 1.1, Max: 1.5},
			FamilyOut:  model.Loss{Points: 1000, GeometricMean: 1.05, P90: 1.2, Max: 2},
			ClosedForm: model.Loss{Points: 1000, GeometricMean: 1.1, P90: 1.4, Max: 3},
			Naive:      model.Loss{Points: 900, GeometricMean: 4.25, P90: 30, Max: 120},
			Complete:   model.Loss{Points: 60, GeometricMean: 1.06, P90: 1.25, Max: 2},
			Screening:  model.Loss{Points: 60, GeometricMean: 1.001, P90: 1, Max: 1.125},
		},
	}
	text, document := render(t, func(e *env) error {
		return e.Emit(doc, func(w *bytes.Buffer) { printTraining(w, doc) })
	})
	printed(t, "train-form", text)
	printed(t, "train-form-json", document)
}

// TestTrainingNotes: of a screened sweep the table says what screening hides; of a
// model without trees, that there are none; of a part, which.
func TestTrainingNotes(t *testing.T) {
	none, some := 0, 2
	all, few := model.Loss{Points: 96, GeometricMean: 1.02, P90: 1.1, Max: 1.5},
		model.Loss{Points: 6, GeometricMean: 1.03, P90: 1.2, Max: 1.7}
	screened := &model.Evaluation{HeldOut: all, FamilyOut: all, ClosedForm: all, Naive: few,
		Complete: few, Screening: few}
	whole := &model.Evaluation{HeldOut: all, FamilyOut: all, ClosedForm: all, Naive: all,
		Complete: all, Screening: all}
	notes := []string{"nothing screened", "\nscreening  ", "Screening left", "no tree was kept",
		"shard", "rows: all.jsonl"}
	for name, c := range map[string]struct {
		doc  trainDocument
		want []string
	}{
		"screened": {trainDocument{Shard: "0/1", Model: "m", Trees: &some, Evaluation: screened},
			notes[:3]},
		"complete": {trainDocument{Shard: "0/1", Model: "m", Trees: &none, Evaluation: whole},
			notes[3:4]},
		"part":   {trainDocument{Shard: "1/2", Journal: "j"}, notes[4:5]},
		"merged": {trainDocument{Shard: "0/1", RowsFile: "all.jsonl"}, notes[5:]},
	} {
		var w bytes.Buffer
		printTraining(&w, c.doc)
		for _, note := range notes {
			if got, want := strings.Contains(w.String(), note), slices.Contains(c.want, note); got != want {
				t.Errorf("%s: it says %q: %v, want %v\n%s", name, note, got, want, w.String())
			}
		}
	}
}
