package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/plan"
)

// TestChoosePlan: the plan of a choice is found by the key of its call, and replaced by the next.
func TestChoosePlan(t *testing.T) {
	inputs(t)
	indices := hot(4096, 64) // of indices.npy
	for _, args := range [][]string{{"--only", "naive"}, {}, {"--launches", "1000000"}} {
		args = append(append([]string{"choose", "--save-plan", "plans.txt", "--index", "i64", "--type",
			"f32"}, args...), "indices.npy")
		doc := need(t, "choose", document(t, args...), "ranking stream")
		first := need(t, "ranking", doc["ranking"].([]any)[0], "implementation launch")
		launch := need(t, "launch", first["launch"], "blocks threads unroll")
		text, err := os.ReadFile("plans.txt")
		if err != nil {
			t.Fatal(err)
		}
		stream := need(t, "stream", doc["stream"], "updates bins")
		updates, bins := uint64(stream["updates"].(float64)), uint64(stream["bins"].(float64))
		hash := plan.Sample(updates, func(i uint64) uint32 { return indices[i] })
		p, found := plan.Find(text, plan.Key{Device: "NVIDIA_H200", Version: plan.Version,
			Type: device.F32, Index: plan.I64, Updates: updates, Bins: bins, Sample: hash})
		if !found || p.Implementation.String() != first["implementation"] ||
			float64(p.Launch.Blocks) != launch["blocks"] || float64(p.Launch.Unroll) != launch["unroll"] ||
			float64(p.Launch.Threads) != launch["threads"] {
			t.Errorf("%v: %t %v, want %v\n%s", args, found, p, first, text)
		}
	}
	for _, path := range []string{"indices.npy", filepath.Join("missing", "plans.txt")} {
		failed(t, exitFailed, "", []string{"choose", "--save-plan", path, "indices.npy"}, path)
	}
}
