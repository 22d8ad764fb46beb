package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// sweeps are the committed checkpoints: points on which an embedded model is trained.
var sweeps = []string{"gtx680"}

func checkpoint(t *testing.T, name string) (training.Header, []training.Row) {
	t.Helper()
	head, rows, err := training.ReadCheckpoint(filepath.Join("testdata", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return head, rows
}

// TestSweepsAreSimulated: each sweep has all its points, and those that are simulated again, short ones
// from all over each sweep, come out the same. ATOMTUNE_FULL=1 simulates longer ones too.
func TestSweepsAreSimulated(t *testing.T) {
	longest := uint64(1 << 12)
	if golden.Full() {
		longest = 1 << 15
	}
	for _, name := range sweeps {
		head, rows := checkpoint(t, name)
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if head.ProfileHash != model.ProfileHash(d) || len(rows) != head.Sweep.Points {
			t.Errorf("%s: profile %s, %d rows of %d points", name, head.ProfileHash, len(rows),
				head.Sweep.Points)
		}
		bare := *d
		bare.Host.Relayout.Value = 0
		again := 0
		for i := 0; i < len(rows); i += len(rows) / 50 {
			if r := rows[i]; r.Stats.Updates <= longest {
				simulateAgain(t, head.Sweep, r, &bare)
				again++
			}
		}
		if again < 4 {
			t.Errorf("%s: only %d points were simulated again", name, again)
		}
	}
}

func simulateAgain(t *testing.T, s model.Sweep, r training.Row, d *device.Profile) {
	t.Helper()
	p, err := training.PointOf(s, r)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(p.Stream)
	if err != nil {
		t.Fatal(err)
	}
	bins := uint64(p.Stream.K)
	stats, err := collision.Analyze(indices, collision.Options{WarpSize: int(d.Core.WarpLanes.Value),
		Bins: bins})
	if err != nil {
		t.Fatal(err)
	}
	same := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-6*math.Abs(want) {
			t.Errorf("%s, point %d (%s), %s: %v, the checkpoint has %v", d.Name, r.Point, p.Stream, what, got,
				want)
		}
	}
	same("updates", float64(stats.Updates), float64(r.Stats.Updates))
	same("warp_level", stats.WarpLevel, r.Stats.WarpLevel)
	same("hot_warps", stats.HotWarps, r.Stats.HotWarps)
	same("hot_segments", stats.HotSegments, r.Stats.HotSegments)
	same("sector_passes_per_warp_8", stats.SectorPassesPerWarp8, r.Stats.SectorPassesPerWarp8)
	for name, want := range r.US {
		v, err := impl.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		us, err := simulator{}.Simulate(v, d, p.Call, indices, bins)
		if err != nil {
			t.Fatal(err)
		}
		same(name, us+d.Launch.LaterStart.Value, want)
	}
}

// TestModels: every device but estimates has a model, each is of its profile and of closed forms as they are,
// and those of recorded devices have intervals. With ATOMTUNE_FULL=1 these are what the calls of the fit half give, to the byte.
func TestModels(t *testing.T) {
	for _, name := range device.Names() {
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Embedded(name)
		if d.Estimate != nil && errors.Is(err, model.ErrNoModel) {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if err := m.Fits(d); err != nil || m.Simulations == 0 {
			t.Errorf("%s: %d simulated times, %v", name, m.Simulations, err)
		}
		recorded := name == "h100" || name == "h200"
		if (m.Intervals != nil) != recorded {
			t.Errorf("%s: intervals %+v", name, m.Intervals)
		}
		if recorded && golden.Full() {
			fitted(t, name, m)
		}
	}
}

// fitted makes the intervals of a model anew.
func fitted(t *testing.T, name string, m *model.Model) {
	t.Helper()
	bare, out := filepath.Join(t.TempDir(), "bare.json"), filepath.Join(t.TempDir(), "m.json.gz")
	data, err := m.With(nil).Encode()
	if err != nil {
		t.Fatal(err)
	}
	write(t, bare, data)
	done(t, "train", "--device", name, "--measurements", filepath.Join("..", "..", "datasets", name), "--part", "fit",
		"--model", bare, "--out", out)
	embedded, err := os.ReadFile(filepath.Join("..", "..", "tuner", "model", "embedded", name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, out), embedded) {
		t.Errorf("the embedded model of the %s is not what its calls give: run script/regenerate models", name)
	}
}
