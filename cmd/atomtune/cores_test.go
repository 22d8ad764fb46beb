package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestAnswersDoNotDependOnCores compares the bytes of answers for several numbers of cores, and of
// workers.
func TestAnswersDoNotDependOnCores(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, line := range []string{
		"choose --json --type f32 synth:zipf:n=262144,k=4096,seed=1,s=1",
		"choose --json --device gtx680 --sample 8 synth:runs:n=262144,k=4096,seed=1",
		"choose --json --width 16 synth:zipf:n=65536,k=4096,seed=1,s=1",
		"analyze --json synth:hotspot:n=300000,k=70000,seed=1",
		"simulate --json --impl private:r=2 synth:zipf:n=4096,k=256,seed=1,s=1",
		"fit --json --column u32_load " + datasetsFolder + "/h100/quick/scratchpad.csv.gz",
		"train --json --points 32 --max-updates 1024 --max-bins 4096 --shard 0/8 --workers WORKERS --out part.jsonl",
	} {
		want := ""
		for i, cores := range []int{1, 2, 3, 5, 8} {
			got := onCores(t, cores, strings.ReplaceAll(line, "WORKERS", fmt.Sprint(i+1)))
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s: another answer on %d cores than on one", line, cores)
			}
		}
	}
}

// onCores returns what a command prints on so many cores, and the file that it writes.
func onCores(t *testing.T, cores int, line string) string {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	text := done(t, strings.Fields(line)...)
	if file, err := os.ReadFile("part.jsonl"); err == nil {
		points := strings.Split(string(file), "\n") // as they were done
		slices.Sort(points)
		text += strings.Join(points, "\n")
		if err := os.Remove("part.jsonl"); err != nil {
			t.Fatal(err)
		}
	}
	return text
}
