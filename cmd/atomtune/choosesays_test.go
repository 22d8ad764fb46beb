package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestTimesOfOnly: --only and --exclude change which forms are ranked, and the time of none.
func TestTimesOfOnly(t *testing.T) {
	times := func(flags string) map[any]any {
		of := map[any]any{}
		for _, r := range document(t, line("choose "+flags)...)["ranking"].([]any) {
			form := r.(map[string]any)
			of[form["implementation"]] = form["predicted_us"]
		}
		return of
	}
	all, compared := times(""), 0
	for _, flags := range []string{"--only threadprivate", "--only hot:s=64,r=32", "--only private:* --only sr",
		"--exclude naive --exclude sort"} {
		for name, us := range times(flags) {
			if of, ranked := all[name]; ranked && of != us {
				t.Errorf("%s: %v takes %v us, %v among all", flags, name, us, of)
			}
			compared++
		}
	}
	if compared < 10 {
		t.Errorf("%d times were compared", compared)
	}
}

// TestSampledCounts: counts that a sample estimates are marked, and those of the whole stream are not.
func TestSampledCounts(t *testing.T) {
	const stream = " synth:zipf:n=1048576,k=4096,seed=1"
	for flags, want := range map[string]string{"--launches 1000000": "counts: estimates from 2,048 sampled updates: ",
		"--sample 16": "counts: estimates from 4,096 sampled updates: ", "": "updates per touched target"} {
		text := done(t, line("choose "+flags+stream)...)
		_, counts, _ := strings.Cut(text, "\ncounts:")
		counts, _, _ = strings.Cut("counts:"+counts, "\ndevice:")
		counts = strings.Join(strings.Fields(counts), " ")
		if !strings.Contains(counts, want) || strings.Contains(counts, "estimates") != (flags != "") {
			t.Errorf("%q: %q, want %q in it", flags, counts, want)
		}
	}
}

// TestFixedPointIsNamed: where floats go without atomics to be the same on every run, choose and report
// name the call of the headers that adds in fixed point.
func TestFixedPointIsNamed(t *testing.T) {
	const stream = " synth:zipf:n=65536,k=4096,seed=1"
	for flags, want := range map[string]bool{"--deterministic --type f32": true, "--deterministic": false,
		"--type f32": false, "--type f32 --only sort": false, "--deterministic --type f32 --device gtx580": true,
		"--deterministic --type f32 --device hd5870": false} {
		for _, command := range []string{"choose ", "report --json "} {
			doc := document(t, line(command+flags+stream)...)
			if files, several := doc["files"].([]any); several {
				doc, _ = files[0].(map[string]any)
			}
			said := fmt.Sprint(doc["warnings"])
			if strings.Contains(said, "CallOptions::deterministic") != want {
				t.Errorf("%s%s: %s", command, flags, said)
			}
		}
	}
}

// TestKnownTargets: where hot targets must be known before, a warning says so and what is fastest else.
func TestKnownTargets(t *testing.T) {
	doc := document(t, "choose", "synth:hotspot:n=1000000,k=1000000,seed=1")
	warnings, _ := doc["warnings"].([]any)
	said, _ := warnings[0].(string)
	if !strings.Contains(said, "hot:s=256,r=32 needs the most frequent targets before the call") ||
		!strings.Contains(said, "the fastest is hot:s=64,r=32,sample=2048, ") {
		t.Errorf("the warnings are %q", warnings)
	}
}

// TestClearing: the lines to paste clear the targets where the price does.
func TestClearing(t *testing.T) {
	for flags, want := range map[string]bool{"": true, "--clear=false": false, "--type f64": true} {
		code := fmt.Sprint(document(t, line("choose "+flags)...)["code"])
		if strings.Contains(code, "cudaMemsetAsync(A, 0, 256 * sizeof(") != want {
			t.Errorf("choose %s: %s", flags, code)
		}
	}
}
