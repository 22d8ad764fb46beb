package main

import (
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// TestGolden compares what the commands print with committed files. Times of
// this machine do not vary: the clock of the tests is fixed.
func TestGolden(t *testing.T) {
	inputs(t)
	lines := []struct{ name, line string }{
		{"analyze", "analyze indices.npy"},
		{"analyze-json", "analyze --json indices.npy"},
		{"analyze-sample", "analyze --sample 8 --seed 3 indices.npy"},
		{"analyze-several-json", "analyze --json matrix.mtx edges.txt"},
		{"analyze-column", "analyze --keys --column city keys.csv"},
		{"analyze-gzip", "analyze --bins 16 --warp 64 indices.txt.gz"},
		{"analyze-width", "analyze --width 16 indices.npy"},
		{"choose-width", "choose --width 16 --type bf16 indices.npy"},
		{"choose-width-explain", "choose --width 128 --value-type bf16 --clear=false --explain --order row edges.txt"},
		{"devices", "devices"},
		{"devices-json", "devices --json"},
		{"latency", "latency --device gtx580 --type f32 --patterns patterns.txt"},
		{"latency-simulate", "latency --device gtx580 --type f32 --simulate --patterns patterns.txt"},
		{"latency-explain", "latency --device gtx580 --type f32 --explain --simulate --patterns patterns.txt"},
		{"latency-explain-wide", "latency --device gtx580 --type u64 --explain --patterns patterns.txt"},
		{"latency-json", "latency --device gtx580 --type f32 --json --patterns patterns.txt"},
		{"latency-explain-json",
			"latency --device gtx580 --type f32 --explain --json --patterns patterns.txt"},
		{"patterns-json", "patterns --words 96 --seed 3 --count 2 --json"},
		{"optimize", "optimize --device gtx580 --type f32 --words 256 --block 1024"},
		{"optimize-json", "optimize --device gtx580 --type f32 --json indices.npy"},
		{"help", "help"},
		{"help-optimize", "help optimize"},
		{"help-latency", "help latency"},
		{"help-patterns", "help patterns"},
		{"help-emit", "help emit"},
		{"emit", "emit --impl match --launch 264x256 synth:stride:n=4096,k=64,step=3"},
		{"help-fit", "help fit"},
		{"help-analyze", "help analyze"},
		{"help-choose", "help choose"},
		{"help-simulate", "help simulate"},
		{"help-train", "help train"},
		{"help-devices", "help devices"},
		{"help-export", "help export"},
		{"help-report", "help report"},
	}
	for _, l := range lines {
		printed(t, l.name, done(t, strings.Fields(l.line)...))
	}
}

// TestStructuredPatterns: the help says how many there are.
func TestStructuredPatterns(t *testing.T) {
	if n := len(patterns.Structured()); n != structuredPatterns {
		t.Errorf("%d structured patterns, the help says %d", n, structuredPatterns)
	}
}
