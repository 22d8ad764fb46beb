package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestEstimatesSaySo: what rests on a profile that is an estimate says so once, where people read it
// and in JSON; an AMD GPU gets no lines of CUDA.
func TestEstimatesSaySo(t *testing.T) {
	t.Chdir(t.TempDir())
	inputs(t)
	const note = "is an estimate, from public documents"
	for _, l := range []struct {
		line string
		want int
	}{
		{"choose --device a100 indices.npy", 1}, {"choose --json --device a100 indices.npy", 1},
		{"choose --device mi300x indices.npy", 1}, {"choose --device h200 indices.npy", 0},
		{"choose --width 8 --device a100 indices.npy", 1}, {"choose --width 8 indices.npy", 0},
		{"emit --device a100 indices.npy", 1}, {"emit --json --device a100 indices.npy", 1},
		{"emit --device h200 indices.npy", 0},
		{"simulate --json --device v100 --impl naive indices.npy", 1},
		{"simulate --json --device h200 --impl naive indices.npy", 0},
		{"tables --device l40s --type u32 --updates 4096", 1},
	} {
		text := done(t, strings.Fields(l.line)...)
		plain := strings.Join(strings.Fields(strings.NewReplacer(`\n`, " ", "//", " ").Replace(text)), " ")
		if got := strings.Count(plain, note); got != l.want {
			t.Errorf("%s: says %d times that %q\n%s", l.line, got, note, text)
		}
	}
	if text := done(t, "choose", "--device", "mi300x", "indices.npy"); strings.Contains(text, "<<<") {
		t.Errorf("CUDA for an AMD GPU:\n%s", text)
	}
	var list struct {
		Devices []deviceRow `json:"devices"`
	}
	if err := json.Unmarshal([]byte(done(t, "devices", "--json")), &list); err != nil {
		t.Fatal(err)
	}
	origins := map[string]int{}
	for _, d := range list.Devices {
		origins[d.Profile]++
	}
	if origins["estimate"] != 6 || origins["readings"] != 2 || origins["papers"] != 5 {
		t.Errorf("profiles: %v", origins)
	}
}
