package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/internal/gzipped"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
	"github.com/atomtune/atomtune/variant"
)

// sweeps are the committed journals, of which the embedded models are made.
var sweeps = []string{"h200", "gtx680", "c2075"}

func journal(t *testing.T, name string) training.Journal {
	t.Helper()
	j, err := training.ReadJournal(filepath.Join("..", "..", "tuner", "sweeps", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestSweepsAreSimulated: each sweep has all its points, and those that are simulated again, short ones
// from all over each sweep, come out the same. ATOMTUNE_FULL=1 simulates longer ones too.
func TestSweepsAreSimulated(t *testing.T) {
	points, longest := 0, uint64(1<<12)
	if golden.Full() {
		longest = 1 << 15
	}
	for _, name := range sweeps {
		j := journal(t, name)
		points += len(j.Rows)
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if j.Header.ProfileHash != model.ProfileHash(d) || len(j.Rows) != j.Header.Sweep.Points {
			t.Errorf("%s: profile %s, %d rows of %d points", name, j.Header.ProfileHash, len(j.Rows),
				j.Header.Sweep.Points)
		}
		bare := *d
		bare.Host.Relayout.Value = 0
		again := 0
		for i := 0; i < len(j.Rows); i += len(j.Rows) / 50 {
			if r := j.Rows[i]; r.Stats.Updates <= longest {
				simulateAgain(t, j.Header.Sweep, r, &bare)
				again++
			}
		}
		if again < 4 {
			t.Errorf("%s: only %d points were simulated again", name, again)
		}
	}
	if points < 20_000 {
		t.Errorf("%d points", points)
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
			t.Errorf("%s, point %d (%s), %s: %v, the journal has %v", d.Name, r.Point, p.Stream, what, got,
				want)
		}
	}
	same("updates", float64(stats.Updates), float64(r.Stats.Updates))
	same("warp_level", stats.WarpLevel, r.Stats.WarpLevel)
	same("hot_warps", stats.HotWarps, r.Stats.HotWarps)
	same("hot_segments", stats.HotSegments, r.Stats.HotSegments)
	same("sector_passes_per_warp_8", stats.SectorPasses8, r.Stats.SectorPasses8)
	for name, want := range r.US {
		v, err := variant.Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		us, err := simulator{}.Simulate(v, d, p.Call, indices, bins)
		if err != nil {
			t.Fatal(err)
		}
		same(name, us, want)
	}
}

// TestModelIsOfSweep: with ATOMTUNE_FULL=1 the embedded models are what their sweeps give, that of the
// H200 corrected by the recorded calls of the fit half, to the byte.
func TestModelIsOfSweep(t *testing.T) {
	golden.OnlyFull(t)
	for _, name := range sweeps {
		j := journal(t, name)
		d, err := device.Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := training.Fit(context.Background(), d, j.Header.Sweep, j.Rows, model.FitOptions{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if name == "h200" {
			bare := filepath.Join(t.TempDir(), "bare.json")
			write(t, bare, data)
			data = corrected(t, name, "--model", bare)
		} else if data, err = gzipped.Pack(data); err != nil {
			t.Fatal(err)
		}
		compareEmbedded(t, name, data)
	}
}

// corrected learns from the fit half of a GPU's recorded calls.
func corrected(t *testing.T, name string, base ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "m.json.gz")
	done(t, append([]string{"train", "--device", name, "--measurements",
		filepath.Join("..", "..", "datasets", name), "--part", "fit", "--out", out}, base...)...)
	return read(t, out)
}

func compareEmbedded(t *testing.T, name string, made []byte) {
	t.Helper()
	embedded, err := os.ReadFile(filepath.Join("..", "..", "tuner", "model", "embedded",
		name+".json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, embedded) {
		t.Errorf("the embedded model of the %s is not what its points and calls give: run script/regenerate models",
			name)
	}
}

// TestModelIsOfCalls: the embedded model of the H100 is of its profile and of closed forms as they
// are, and has learned from half of its calls and from nothing simulated. With ATOMTUNE_FULL=1 it
// is what they give, to the byte.
func TestModelIsOfCalls(t *testing.T) {
	const name = "h100"
	m, err := model.Embedded(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := device.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Fits(d); err != nil {
		t.Error(err)
	}
	if m.Simulations != 0 || m.MeasuredPoints < 1000 || m.Calibration == nil {
		t.Errorf("learned from %d simulated times and %d measured points", m.Simulations, m.MeasuredPoints)
	}
	if golden.Full() {
		compareEmbedded(t, name, corrected(t, name, "--no-model"))
	}
}
