package main

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/latency"
)

// TestFitProfile: a run's files give a profile, the same to the byte in whatever
// order they are named, and calls beside them do not matter.
func TestFitProfile(t *testing.T) {
	inputs(t)
	tell(t, "run/scratchpad.csv", "u32_add", "atom.shared.add.u32")
	done(t, "fit", "--name", "mine", "--out", "one.json", "run/readings.csv", "run/scratchpad.csv")
	doc := need(t, "fit", document(t, "fit", "--name", "mine", "--out", "two.json",
		"run/scratchpad_spread.csv", "run/scratchpad.csv", "run/calls.csv", "run/readings.csv"),
		"readings patterns not_fitted gpu starts quantities columns unidentified warnings profile")
	one, err := os.ReadFile("one.json")
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile("two.json")
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("the order of the files matters: %v, %d and %d bytes", err, len(one), len(two))
	}
	if others, _ := doc["not_fitted"].([]any); len(others) != 2 {
		t.Errorf("not fitted: %v, want calls and spread", doc["not_fitted"])
	}
	found := map[string]bool{}
	for _, q := range doc["quantities"].([]any) {
		row := need(t, "quantity", q, "name value unit interval source rationale")
		found[row["name"].(string)] = true
	}
	for _, name := range []string{"core.clock", "global.slices", "launch.next",
		"shared_atomics.f32_add.round", "global_atomics.f64.same_address"} {
		if !found[name] {
			t.Errorf("%s is no quantity of the document", name)
		}
	}
	mine, err := device.Load("./one.json")
	if err != nil {
		t.Fatal(err)
	}
	gpu := profile(t, "h200")
	if mine.Name != "mine" || mine.Title != "NVIDIA H200" ||
		mine.Core.SMs.Value != gpu.Core.SMs.Value ||
		mine.Global.ChunkBytes.Value != gpu.Global.ChunkBytes.Value {
		t.Errorf("%s with %v SMs, chunks of %v bytes", mine.Name, mine.Core.SMs.Value,
			mine.Global.ChunkBytes.Value)
	}
	if got := mine.SharedAtomics["u32_add"].Instruction; got != "atom.shared.add.u32" {
		t.Errorf("instruction of u32_add: %q", got)
	}
	done(t, "latency", "--device", "one.json", "--type", "f32", "--patterns", "patterns.txt")
	done(t, "choose", "--device", "one.json", "indices.npy")
}

// tell lets a file of patterns say the instruction of a column.
func tell(t *testing.T, path, column, instruction string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^(# column: ` + column + ` .*instruction=)`)
	if !line.Match(data) {
		t.Fatalf("%s does not describe %s", path, column)
	}
	if err := os.WriteFile(path, line.ReplaceAll(data, []byte("${1}"+instruction)),
		0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBrokenRuns: what is missing or broken in a run is named.
func TestBrokenRuns(t *testing.T) {
	inputs(t)
	readings, err := os.ReadFile("run/readings.csv")
	if err != nil {
		t.Fatal(err)
	}
	drop := func(word string) []byte {
		var kept []string
		for line := range strings.Lines(string(readings)) {
			if !strings.HasPrefix(line, word) {
				kept = append(kept, line)
			}
		}
		return []byte(strings.Join(kept, ""))
	}
	replace := func(old, with string) []byte {
		return bytes.Replace(readings, []byte(old),
			[]byte(with), 1)
	}
	for _, f := range []fault{
		{"calls.csv", drop("call,"), []string{"run/scratchpad.csv"}, []string{"call sm_clock"}},
		{"warp.csv", drop("warp,latency"), []string{"run/scratchpad.csv"},
			[]string{"warp latency op=shuffle"}},
		{"alone.csv", readings, nil, []string{"scratchpad.csv"}},
		{"nameless.csv", drop("# gpu"), []string{"run/scratchpad.csv"}, []string{"GPU"}},
		{"capability.csv", replace("9.0", "nine"), []string{"run/scratchpad.csv"}, []string{"nine"}},
		{"other.csv", replace("NVIDIA H200", "NVIDIA A100"), []string{"run/scratchpad.csv"},
			[]string{"NVIDIA H200", "NVIDIA A100"}},
		{"number.csv", replace(",MHz,", ",,"), []string{"run/scratchpad.csv"},
			[]string{"number.csv:", "unit"}},
		{"value.csv", replace("device,sm_count,,132", "device,sm_count,,many"),
			[]string{"run/scratchpad.csv"}, []string{"value.csv:", `"many"`}},
		{"sms.csv", replace("device,sm_count,,132,1,132,132", "device,sm_count,,1.5,1,1.5,1.5"),
			[]string{"run/scratchpad.csv"}, []string{"sms"}},
	} {
		write(t, f.file, f.content)
		failed(t, exitFailed, "", append([]string{"fit", f.file}, f.args...), f.words...)
	}
	failed(t, exitFailed, "", []string{"fit", "run/calls.csv", "run/scratchpad_spread.csv"},
		"run/calls.csv", "calls")
	failed(t, exitFailed, "", []string{"fit", "--out", "missing/mine.json", "run/readings.csv",
		"run/scratchpad.csv"}, "missing/mine.json")
	if _, err := os.Stat("mine.json"); err == nil {
		t.Error("a failed fit left a file")
	}
}

// TestFitProfileForm: the form of the text and of the document, with made-up
// numbers.
func TestFitProfileForm(t *testing.T) {
	residuals := fit.Residuals{Rows: 6, Median: 0.001, P90: 0.02, P95: 0.02, Max: 0.03}
	doc := profileDocument{
		Readings: "readings.csv", Patterns: "scratchpad.csv", NotFitted: []fitInput{{Name: "calls.csv.gz",
			Kind: "calls"}}, GPU: "NVIDIA H200", Starts: 2,
		driver: "580.1", out: "mine.json", Profile: []byte("{}"),
		Report: fit.Report{
			Quantities: []fit.Estimate{
				{Name: "core.clock", Value: 1972, Unit: "MHz", Interval: fit.Interval{Low: 1970, High: 1974.5},
					Source:    "measured on NVIDIA H200 (driver 580.1, CUDA 13.0): readings.csv, suite call",
					Rationale: "sm_clock"},
				{Name: "exchange.match_key_latency", Value: 11, Unit: "cycle/key",
					Interval: fit.Interval{Low: 10.97, High: 11.04}, Residuals: &residuals,
					Source:    "measured on NVIDIA H200 (driver 580.1, CUDA 13.0): readings.csv, suite warp",
					Rationale: "each distinct key"},
			},
			Columns: []fit.ColumnFit{{Column: "u32_add", Type: device.U32, Operation: device.OpAdd,
				Result: fit.Result{
					Params: latency.Params{Structure: latency.Structure{Mechanism: device.Native, Lanes: 32,
						Banks: 32}}}}},
			Unidentified: []fit.Unidentified{{Name: "core.schedulers",
				Reason: "4: 4 of compute capability 9.0"}},
			Warnings: []string{"this is made up"},
		},
	}
	text, document := render(t, func(e *env) error {
		return report.EmitPage(e, doc, func(p *report.Page) { printProfile(p, doc) })
	})
	printed(t, "fit-profile-form", text)
	printed(t, "fit-profile-form-json", document)
}
