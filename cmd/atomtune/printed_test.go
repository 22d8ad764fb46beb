package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

// more are commands beside those of script/same.txt: of kinds that it has not, and for people.
const more = `choose --explain --type f32 --op max --device rtx4090 synth:cells:n=65536,k=4096,seed=5
choose --explain --no-sort --memory 64KiB --device l40s synth:hotspot:n=65536,k=4096,seed=5,h=3,p=0.7
choose --deterministic --type f32 --relaid synth:permuted:n=65536,k=65536,seed=5
choose --type u32 --value one --only naive --only private:* --only sort synth:zipf:n=65536,k=64,seed=5,s=1
choose --exclude naive --launch 264x256 synth:uniform:n=65536,k=64,seed=5
choose --clear=false --returns --type u64 synth:stride:n=65536,k=64,step=3
choose synth:sorted:n=65536,k=4096,seed=5 synth:uniform:n=65536,k=64,seed=5
choose --width 128 --type bf16 --explain synth:zipf:n=65536,k=2000,seed=5,s=1
analyze --warp 64 --block 512 synth:image:n=65536,k=4096,seed=5,noise=0.3
simulate --type f64 --impl hot:s=256,r=1 synth:zipf:n=8192,k=4096,seed=5,s=1
simulate --impl naive --width 16 synth:zipf:n=4096,k=256,seed=5,s=1
latency --simulate --device h100 --type f32 --patterns WORK/patterns
optimize --words 300 --type f64 --device h200 --order sorted
patterns --words 64 --seed 9 --count 5
export --to c
export --to python
devices h100
devices --json mi300x
tables --json --device a100 --type u32 --updates 4096
emit --type u32 --impl match --launch 66x256 synth:zipf:n=65536,k=64,seed=5,s=1`

// TestPrinted: what commands print, and write, is what testdata/printed.txt holds.
func TestPrinted(t *testing.T) {
	same, err := os.ReadFile("../../script/same.txt")
	if err != nil {
		t.Fatal(err)
	}
	at, err := filepath.Abs("testdata/printed.txt")
	if err != nil {
		t.Fatal(err)
	}
	inputs(t)
	if err := os.Symlink(datasetsFolder, "datasets"); err != nil { // no answer holds where the tree lies
		t.Fatal(err)
	}
	if err := os.WriteFile("patterns", []byte(done(t, "patterns", "--words", "96", "--seed", "3", "--count", "40")),
		0o600); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(same) + more) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		lines = append(lines, printedOf(t, line))
		if people := strings.Replace(line, " --json", "", 1); people != line && !strings.HasPrefix(line, "train") {
			lines = append(lines, printedOf(t, people))
		}
	}
	if len(lines) < 50 {
		t.Errorf("%d commands", len(lines))
	}
	golden.Compare(t, at, lines)
}

// printedOf is a command and a digest of what it prints, and of the file that it writes.
func printedOf(t *testing.T, line string) string {
	t.Helper()
	text := done(t, strings.Fields(strings.ReplaceAll(line, "WORK/", ""))...)
	if written, err := os.ReadFile("file"); err == nil {
		text += string(written)
		if err := os.Remove("file"); err != nil {
			t.Fatal(err)
		}
	}
	var sum golden.Digest
	sum.Text(text)
	return fmt.Sprintf("%s: %d lines, %s", line, strings.Count(text, "\n"), &sum)
}
