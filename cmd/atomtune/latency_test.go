package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/latency"
)

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
			t.Errorf("pattern %d: printed %s (%v), JSON %v, want %v", i+1, numbers[i], err, cycles,
				want.Cycles)
		}
	}
}

// TestMostExplained: more rounds than --explain draws are refused by one line, and predicted without it; those of the
// structured patterns are drawn.
func TestMostExplained(t *testing.T) {
	text := strings.Repeat(strings.Repeat("0,", 31)+"0\n", mostRounds/32+1)
	for _, explain := range []bool{true, false} {
		got := atomtune(text, "latency", "--device", "gtx580", "--type", "f32", "--patterns", "-",
			fmt.Sprintf("--explain=%t", explain))
		want := "atomtune: stdin: too large: its first 2049 patterns have more than 65536 rounds, the most that " +
			"--explain draws: leave it out, or name a smaller file\n"
		if explain != (got.code == exitFailed) || explain && got.stderr != want {
			t.Errorf("explain %t: exit code %d, %s", explain, got.code, got.stderr)
		}
	}
	structured := atomtune("", "patterns", "--kind", "structured")
	if got := atomtune(structured.stdout, "latency", "--explain", "--patterns", "-"); got.code != 0 {
		t.Errorf("structured patterns: %s", got.stderr)
	}
}

// TestExplainDocument: with --explain the document has terms and rounds, and
// empty lists where no lane takes part.
func TestExplainDocument(t *testing.T) {
	inputs(t)
	doc := need(t, "latency", document(t, "latency", "--device", "gtx580", "--type", "f32",
		"--patterns", "patterns.txt", "--explain", "--simulate"),
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
	if text := fmt.Sprint(round["waits"]); !strings.Contains(text,
		"held_by:0 lane:1 lock:0 word:1024") {
		t.Errorf("waits of the first round: %s", text)
	}
	last := need(t, "prediction", predictions[2], "terms rounds simulated_cycles")
	if last["cycles"] != 0.0 || len(last["terms"].([]any)) != 0 || len(last["rounds"].([]any)) != 0 {
		t.Errorf("without an active lane: %v", last)
	}
}
