package leaveoneout

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// twice is a simulator in which every call takes twice its closed form, and a
// sort ten times.
type twice struct{}

func (twice) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	s, err := collision.Analyze(indices, collision.Options{WarpSize: int(d.Core.WarpLanes.Value),
		Bins: bins})
	if err != nil {
		return 0, err
	}
	cost, err := speedup.Predict(v, &s, d, c)
	if err != nil {
		return 0, err
	}
	if v.Base == variant.Sort {
		return 10 * cost.US, nil
	}
	return 2 * cost.US, nil
}

// sweepFile collects a small sweep and returns its journal.
func sweepFile(t *testing.T, points int) string {
	t.Helper()
	gpu, err := device.Builtin("gtx680")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sweep.jsonl")
	sweep := model.Sweep{Points: points, Seed: 3, MaxUpdates: 4096, MaxBins: 4096, Line: 4}
	if _, err := training.Collect(t.Context(), gpu, sweep, twice{},
		training.CollectOptions{Journal: path}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSweepTable: the inputs are the points of the journal, and a rule learns
// there what the closed forms miss.
func TestSweepTable(t *testing.T) {
	const points = 60
	table, err := sweepTable(sweepFile(t, points))
	if err != nil || len(table.inputs) != points || table.profile.Name != "gtx680" {
		t.Fatalf("%d inputs, %v", len(table.inputs), err)
	}
	ran := 0
	lines := map[string]bool{} // held out as a whole
	for i := range table.inputs {
		in := &table.inputs[i]
		lines[in.stream] = true
		for v, us := range in.us {
			factor := 2.0
			if table.variants[v].Base == variant.Sort {
				factor = 10
			}
			if !math.IsNaN(us) {
				ran++
			}
			// a closed form of the statistics that the journal rounds
			if math.IsNaN(us) != math.IsNaN(in.closed[v]) || math.Abs(us/in.closed[v]/factor-1) > 0.01 {
				t.Fatalf("input %d, %s: %v us, closed form %v us", i, table.variants[v], us, in.closed[v])
			}
		}
		if in.family == "" || in.stream == "" {
			t.Fatalf("input %d: %+v", i, in)
		}
	}
	if len(lines) != points/4 {
		t.Errorf("%d lines of %d points", len(lines), points)
	}
	if ran < 5*points {
		t.Errorf("%d times of %d points", ran, points)
	}
	corrected, err := table.off(rules()[0], heldStream)
	if err != nil || corrected.MeanPercent > 1 {
		t.Errorf("%+v, %v", corrected, err)
	}
}

// TestSweepFaults: journals that cannot be used are named.
func TestSweepFaults(t *testing.T) {
	good := sweepFile(t, 3)
	j, err := training.ReadJournal(good)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfterN(string(text), "\n", 3)
	for _, c := range []struct{ name, text, word string }{
		{"missing", "", "no such file"},
		{"device", strings.ReplaceAll(lines[0], `"device":"gtx680"`, `"device":"gtx999"`), "gtx999"},
		{"profile", strings.Replace(lines[0], j.Header.ProfileHash, strings.Repeat("0", 64), 1),
			"another profile"},
		{"empty", lines[0], "no point at which"},
		{"screened", lines[0] + strings.Replace(lines[1], `"naive":`, `"other":`, 1), "naive"},
	} {
		path := filepath.Join(t.TempDir(), c.name+".jsonl")
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := sweepTable(path)
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
