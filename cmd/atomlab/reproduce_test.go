package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReproduceFigures: a figure is written as SVG and PNG, its table as CSV.
func TestReproduceFigures(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "figures")
	for _, line := range []string{"elteir11 --item figure4", "streamhpc --item listings"} {
		out := done(t, append([]string{"reproduce"}, strings.Fields(line+" --out "+folder)...)...)
		if !strings.Contains(out, "0 with a wrong status") {
			t.Errorf("%s: %s", line, out)
		}
	}
	for name, begins := range map[string]string{
		"figure4.svg": "<", "figure4.png": "\x89PNG", "figure4.csv": "workgroups,",
		"listings.svg": "<", "listings.png": "\x89PNG", "listings.csv": "listing,",
	} {
		content, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.HasPrefix(string(content), begins) {
			t.Errorf("%s: %.20q, %v", name, content, err)
		}
	}
}

// TestReproduceCompletion: --item completes to the experiments of the paper.
func TestReproduceCompletion(t *testing.T) {
	for paper, want := range map[string]string{"gomezluna13": "section2.1.2", "elteir11": "section5",
		"streamhpc": "listings"} {
		words := strings.Fields(done(t, "__complete", "reproduce", paper, "--item", ""))
		found := 0
		for _, word := range words {
			if word == want {
				found++
			}
		}
		if found != 1 || paper != "streamhpc" && strings.Contains(strings.Join(words, " "), "listings") {
			t.Errorf("%s: %v", paper, words)
		}
	}
	if words := done(t, "__complete", "reproduce", ""); !strings.Contains(words, "elteir11") ||
		!strings.Contains(words, "streamhpc") {
		t.Errorf("papers: %s", words)
	}
}
