package main

import (
	"bytes"
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
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
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
		for j, v := range []impl.Spec{{}, {Algorithm: impl.Private}, {Reduction: impl.Match}} {
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
	last.Implementation, last.Origin, last.Correct, last.Repeats = impl.Spec{Algorithm: impl.Sort},
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

// TestTrainMeasured: a folder, or a file with its streams beside it or named, gives a model the interval of measured
// over predicted times, which choose prints, and leaves the predicted times as they are.
func TestTrainMeasured(t *testing.T) {
	inputs(t)
	doc := document(t, line("train --no-model --measurements measured --out folder.json")...)
	need(t, "train", doc, "device base measurements statistics passed_over model intervals elapsed_s warnings")
	intervals := need(t, "intervals", doc["intervals"], "hash streams points classes tree closed_form")
	if intervals["points"] != 12.0 || doc["passed_over"] != 1.0 || doc["base"] != "closed forms" {
		t.Errorf("%v points, %v passed over, base %v", intervals["points"], doc["passed_over"], doc["base"])
	}
	done(t, line("train --no-model --measurements plain.csv --streams measured/streams.jsonl.gz --out file.json")...)
	if !bytes.Equal(read(t, "folder.json"), read(t, "file.json")) {
		t.Error("folder and file give different models")
	}
	done(t, line("train --model file.json --measurements measured/calls.csv.gz --out again.json.gz")...)

	const label = "uniform:n=3000,k=16,seed=1"
	stats := statisticsOf(label)
	cost, err := speedup.Predict(impl.Spec{}, &stats, profile(t, "h200"), device.Call{})
	if err != nil {
		t.Fatal(err)
	}
	choice := chosen(t, document(t, line("choose --device h200 --model folder.json --only naive", "synth:"+label)...))
	for name, factor := range map[string]float64{"predicted_us": 1, "low_us": slowness, "high_us": slowness} {
		us, found := choice[name].(float64)
		if want := factor * cost.US; !found || us < 0.99*want || us > 1.01*want {
			t.Errorf("%s %v, want %v", name, choice[name], want)
		}
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
		decode(t, got.Done(t), &doc)
		if doc.Measurements != "bare/calls.csv" || doc.Statistics != "bare/streams.jsonl" ||
			doc.Intervals.Points != 12 {
			t.Errorf("%+v", doc)
		}
		if said := strings.Contains(got.Stderr, "bare/calls.csv"); said != warned || len(doc.Warnings) > 0 != warned {
			t.Errorf("%q: %q on stderr, warnings %q", gpu, got.Stderr, doc.Warnings)
		}
	}
	done(t, line("train --no-model --measurements measured --out folder.json")...)
	if !bytes.Equal(read(t, "folder.json"), read(t, "bare.json")) {
		t.Error("packed and plain files give different models")
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
	for name, words := range map[string]string{"label.csv": "label.csv: n=3401,k=32 streams.jsonl.gz",
		"updates.csv": "updates.csv: 3801", "time.csv": "time.csv:3 guessed", "none.csv": "none.csv 1",
		"missing.csv": "missing.csv", "image.png": "image.png:", "plain.csv --streams plain.csv": "plain.csv:1"} {
		failed(t, exitFailed, "", line("train --no-model --out bad.json --streams measured/streams.jsonl.gz --measurements",
			name), line(words)...)
	}
	streams := strings.Split(string(plainStreams(t)), "\n")
	streams[4] = regexp.MustCompile(`"warp_level":[^,]*`).ReplaceAllString(streams[4],
		`"warp_level":1.5`)
	write(t, "level.jsonl", []byte(strings.Join(streams, "\n")))
	failed(t, exitFailed, "",
		line("train --no-model --measurements plain.csv --streams level.jsonl --out bad.json"),
		"level.jsonl:5:", "uniform:n=4600,", "warp_level", "1.5")
	if _, err := os.Stat("bad.json"); !os.IsNotExist(err) {
		t.Errorf("a failed run left its output: %v", err)
	}
}
