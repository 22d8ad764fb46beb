package main

import (
	"strings"
	"testing"
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
		{"devices", "devices"},
		{"devices-json", "devices --json"},
		{"help", "help"},
		{"help-analyze", "help analyze"},
		{"help-choose", "help choose"},
		{"help-simulate", "help simulate"},
		{"help-train", "help train"},
		{"help-devices", "help devices"},
	}
	for _, l := range lines {
		golden(t, l.name, done(t, strings.Fields(l.line)...))
	}
}
