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
	zipped := zip(t, []byte(text))
	write(t, "p.txt", []byte(text))
	write(t, "p.txt.gz", zipped)
	args := line("latency --device gtx580 --type f32 --patterns")
	lines := done(t, append(args, "p.txt")...)
	if done(t, append(args, "p.txt.gz")...) != lines || atomtune(string(zipped), append(args, "-")...).Done(t) != lines {
		t.Error("gzip or standard input give other latencies")
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

// TestMostExplained: more rounds than --explain draws are refused, and predicted without it; those of the structured
// patterns are drawn.
func TestMostExplained(t *testing.T) {
	text := strings.Repeat(strings.Repeat("0,", 31)+"0\n", mostRounds/32+1)
	args := line("latency --device gtx580 --type f32 --patterns -")
	atomtune(text, args...).Done(t)
	failed(t, exitFailed, text, append(args, "--explain"), "stdin", fmt.Sprint(mostRounds/32+1), fmt.Sprint(mostRounds),
		"--explain")
	atomtune(done(t, "patterns", "--kind", "structured"), "latency", "--explain", "--patterns", "-").Done(t)
}
