package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/gzipped"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// slowness is the factor by which the invented calls take longer than their
// closed forms.
const slowness = 1.5

// measuredFiles are the calls and streams of a run on a device that is an H200,
// but slower; the last call is a predicted one.
var measuredFiles = sync.OnceValue(func() map[string][]byte {
	gpu, err := device.Builtin("h200")
	if err != nil {
		panic(err) // an embedded profile
	}
	var calls []recordings.Call
	var streams []recordings.Stream
	for i := range 12 {
		label := fmt.Sprintf("uniform:n=%d,k=%d,seed=1", 3000+400*i, 16<<(i%5))
		stats := statisticsOf(label)
		streams = append(streams, recordings.Stream{Label: label, Half: recordings.Half(label),
			Stats: stats})
		for j, v := range []variant.Variant{{}, {Base: variant.Private}, {Reduction: variant.Match}} {
			call := device.Call{Type: []device.Type{device.U32, device.F32}[i%2]}
			cost, err := speedup.Predict(v, &stats, gpu, call)
			if err != nil {
				panic(err)
			}
			us := cost.US * slowness * (1 + 0.001*float64((i+j)%3))
			calls = append(calls, recordings.Call{Label: label, Updates: stats.Updates, Bins: stats.Bins,
				Call: call, Implementation: v,
				Origin: recordings.Measured, MedianUS: us, MinUS: us, MaxUS: us, Repeats: 1, Correct: true})
		}
	}
	last := calls[0]
	last.Implementation, last.Origin, last.Correct, last.Repeats = variant.Variant{Base: variant.Sort},
		recordings.Predicted, false, 0
	table, errCalls := recordings.EncodeCalls(recordings.Provenance{}, append(calls, last))
	packed, errPacked := gzipped.Pack(table)
	lines, errStreams := recordings.EncodeStreams(streams)
	packedLines, errLines := gzipped.Pack(lines)
	if err := errors.Join(errCalls, errPacked, errStreams, errLines); err != nil {
		panic(err)
	}
	return map[string][]byte{"measured/calls.csv.gz": packed, "measured/streams.jsonl.gz": packedLines,
		"plain.csv": table}
})

func statisticsOf(label string) collision.Stats {
	spec, err := synth.Parse(label)
	if err != nil {
		panic(err)
	}
	indices, err := synth.Generate(spec)
	if err != nil {
		panic(err)
	}
	stats, err := collision.Analyze(indices, collision.Options{Bins: uint64(spec.K), Workers: 1})
	if err != nil {
		panic(err)
	}
	return stats
}

// TestTrainMeasured: a folder, or a file with its streams beside it or named,
// corrects a model, which choose takes.
func TestTrainMeasured(t *testing.T) {
	inputs(t)
	doc := document(t, line("train --no-model --measurements measured --out folder.json")...)
	need(t, "train", doc,
		"device base measurements statistics points passed_over model calibration offsets elapsed_s warnings")
	if doc["points"] != 12.0 || doc["passed_over"] != 1.0 || doc["base"] != "closed forms" {
		t.Errorf("%v points, %v passed over, base %v", doc["points"], doc["passed_over"], doc["base"])
	}
	calibration := need(t, "calibration", doc["calibration"],
		"streams hash leaves apart before after renewed coverage")
	if after := need(t, "after", calibration["after"],
		"loss mean_error"); !(after["mean_error"].(float64) < 0.02) {
		t.Errorf("predicted times are off by %v", after["mean_error"])
	}
	for _, o := range doc["offsets"].([]any) {
		row := need(t, "offset", o, "implementation measured factor lowest highest")
		if f := row["factor"].(float64); row["measured"] == 12.0 &&
			(f < slowness-0.02 || f > slowness+0.02) {
			t.Errorf("factor %v of %v, want %v", f, row["implementation"], slowness)
		}
	}
	done(t, line("train --no-model --measurements plain.csv --streams measured/streams.jsonl.gz --out file.json")...)
	if !bytes.Equal(read(t, "folder.json"), read(t, "file.json")) {
		t.Error("folder and file give different models")
	}
	done(t, line("train --model file.json --measurements measured/calls.csv.gz --out again.json.gz")...)

	text := done(t, line("train --no-model --measurements measured --out text.json")...)
	for _, want := range []string{"12 measured points of 12 streams", "passed over: 1 call predicted",
		"text.json", "corrected", "private"} {
		if !strings.Contains(text, want) {
			t.Errorf("the output does not say %q:\n%s", want, text)
		}
	}
	checkPredicted(t)
}

// checkPredicted: choose with the corrected model predicts what was measured.
func checkPredicted(t *testing.T) {
	t.Helper()
	gpu, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	const label = "uniform:n=3000,k=16,seed=1"
	stats := statisticsOf(label)
	cost, err := speedup.Predict(variant.Variant{}, &stats, gpu, device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	doc := document(t, line("choose --device h200 --model folder.json --only naive",
		"synth:"+label)...)
	choice := need(t, "choice", doc["choice"], "implementation predicted_us")
	if us := choice["predicted_us"].(float64); us < 0.98*slowness*cost.US ||
		us > 1.02*slowness*cost.US {
		t.Errorf("predicted %v us, measured %v", us, slowness*cost.US)
	}
}

func plainStreams(t *testing.T) []byte {
	t.Helper()
	lines, err := recordings.Plain("streams.jsonl.gz", measuredFiles()["measured/streams.jsonl.gz"])
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// TestTrainMeasuredFolder: a folder's files may be plain, and a table of another
// GPU than the profile's gives a warning and the same model.
func TestTrainMeasuredFolder(t *testing.T) {
	inputs(t)
	if err := os.Mkdir("bare", 0o755); err != nil {
		t.Fatal(err)
	}
	table := measuredFiles()["plain.csv"]
	write(t, "bare/streams.jsonl", plainStreams(t))
	for gpu, warned := range map[string]bool{"": false, "NVIDIA H200": false, "H200": false,
		"NVIDIA H100": true} {
		text := table
		if gpu != "" {
			text = append([]byte("# gpu: "+gpu+"\n"), table...)
		}
		write(t, "bare/calls.csv", text)
		got := atomtune("", line("train --no-model --measurements bare --out bare.json --json")...)
		var doc measuredDocument
		if err := json.Unmarshal([]byte(got.stdout), &doc); got.code != 0 || err != nil {
			t.Fatalf("exit code %d, %v: %s", got.code, err, got.stderr)
		}
		if doc.Measurements != "bare/calls.csv" || doc.Statistics != "bare/streams.jsonl" ||
			doc.Points != 12 {
			t.Errorf("%+v", doc)
		}
		if said := strings.Contains(got.stderr,
			"warning: bare/calls.csv was measured on"); said != warned || len(doc.Warnings) > 0 != warned {
			t.Errorf("%q: %q on stderr, warnings %q", gpu, got.stderr, doc.Warnings)
		}
	}
	done(t, line("train --no-model --measurements measured --out folder.json")...)
	if !bytes.Equal(read(t, "folder.json"), read(t, "bare.json")) {
		t.Error("packed and plain files give different models")
	}
}

// TestCounted: one thing has no plural.
func TestCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 streams", 1: "1 stream", 1200: "1,200 streams"} {
		if got := report.Counted(n, "stream"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestTrainMeasuredFaults(t *testing.T) {
	inputs(t)
	table := string(measuredFiles()["plain.csv"])
	lines := strings.SplitAfter(table, "\n")
	write(t, "label.csv", []byte(strings.Replace(table, "n=3400,k=32", "n=3401,k=32", 1)))
	write(t, "updates.csv", []byte(strings.Replace(table, ",3800,64,", ",3801,64,", 1)))
	write(t, "time.csv", []byte(strings.Join(lines[:2], "")+strings.Replace(lines[2], ",measured,",
		",guessed,", 1)))
	write(t, "none.csv", []byte(lines[0]+lines[len(lines)-2]))
	row := func(name, text string) string {
		t.Helper()
		for i, l := range strings.Split(string(read(t, name)), "\n") {
			if strings.Contains(l, text) {
				return fmt.Sprintf("%s:%d:", name, i+1)
			}
		}
		t.Fatalf("%s does not hold %s", name, text)
		return ""
	}
	measured := func(file string, more ...string) []string {
		return append(line("train --no-model --out bad.json --streams measured/streams.jsonl.gz --measurements", file), more...)
	}
	failed(t, exitFailed, "", measured("label.csv"), row("label.csv", "n=3401"), "n=3401,k=32",
		"streams.jsonl.gz")
	failed(t, exitFailed, "", measured("updates.csv"), row("updates.csv", ",3801,"), "3801")
	failed(t, exitFailed, "", measured("time.csv"), "time.csv:3", "guessed")
	failed(t, exitFailed, "", measured("none.csv"), "none.csv", "measured", "(1 call passed over)")
	streams := strings.Split(string(plainStreams(t)), "\n")
	streams[4] = regexp.MustCompile(`"warp_level":[^,]*`).ReplaceAllString(streams[4],
		`"warp_level":1.5`)
	write(t, "level.jsonl", []byte(strings.Join(streams, "\n")))
	failed(t, exitFailed, "",
		line("train --no-model --measurements plain.csv --streams level.jsonl --out bad.json"),
		"level.jsonl:5: uniform:n=4600,", "warp_level 1.5")
	failed(t, exitFailed, "", measured("missing.csv"), "missing.csv")
	failed(t, exitFailed, "", measured("image.png"), "image.png:")
	failed(t, exitFailed, "", measured("plain.csv", "--streams", "plain.csv"), "plain.csv:1")
	failed(t, exitFailed, "", line("train --no-model --measurements plain.csv --out bad.json"),
		"streams.jsonl.gz", "--streams")
	failed(t, exitFailed, "",
		line("train --device hd5870 --no-model --measurements measured --out bad.json"),
		"streams.jsonl.gz:1: uniform:n=", "warps of 32")
	failed(t, exitFailed, "", line("train --measurements measured --model plain.csv --out bad.json"),
		"plain.csv")
	if _, err := os.Stat("bad.json"); !os.IsNotExist(err) {
		t.Errorf("a failed run left its output: %v", err)
	}
	for _, c := range []struct{ args, words string }{
		{"--measurements measured", "--out"},
		{"--measurements= --out m.json", "empty"},
		{"--measurements measured --out m.json more", `"more"`},
		{"--measurements measured --out m.json --points 30", "--points"},
		{"--measurements measured --out m.json --model a --no-model", "exclude"},
		{"--streams measured --out m.json", "--measurements"},
		{"--no-model --out m.json", "--measurements"},
	} {
		failed(t, exitUsage, "", line("train", c.args), c.words)
	}
}
