package training_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// screenedSweep is a small sweep of parameter sweeps that screens.
func screenedSweep() model.Sweep {
	return model.Sweep{Points: 33*6 + 3, Seed: 5, MinUpdates: 64, MaxUpdates: 1024, MaxBins: 1 << 16,
		Line: 6, Screen: 1.5}
}

// TestParameterSweepShards: parameter sweeps give the same checkpoint bytes whole, in shards, and
// where each shard was cut in the middle of them.
func TestParameterSweepShards(t *testing.T) {
	s := screenedSweep()
	var want []byte
	for _, of := range []int{1, 3} {
		var paths []string
		for i := range of {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i))
			ctx, cancel := context.WithCancel(context.Background())
			o := training.CollectOptions{Checkpoint: path, Shard: training.Shard{Index: i, Of: of}, Workers: 2}
			if of > 1 {
				o.Progress = func(done, _ int) {
					if done > 20 {
						cancel()
					}
				}
				_, err := training.Collect(ctx, tunertest.Profile(t, "h200"), s, tunertest.Fake(), o)
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("cut: error %v", err)
				}
				o.Progress = nil
			}
			collected(t, s, tunertest.Fake(), o)
			cancel()
			paths = append(paths, path)
		}
		head, rows, err := training.Merge(paths...)
		tunertest.Must(t, err)
		got, err := training.EncodeCheckpoint(head, rows)
		tunertest.Must(t, err)
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d shards give other bytes", of)
		}
	}
}

// TestScreen: what is left out is what the closed forms find too slow, or slower than the first few of its
// implementation, and nothing is on whole lines.
func TestScreen(t *testing.T) {
	d, s := tunertest.Profile(t, "h200"), screenedSweep()
	rows := collected(t, s, tunertest.Fake(), training.CollectOptions{})
	bare := *d
	bare.Host.Relayout.Value = 0
	out, whole := 0, 0
	for _, r := range rows {
		p, err := training.PointOf(s, r)
		tunertest.Must(t, err)
		if uint64(p.Stream.N) != r.Stats.Updates || uint64(p.Stream.K) != r.Stats.Bins {
			t.Fatalf("point %d at %v is %s, its row has %d updates of %d targets", r.Point, r.At, p.Stream,
				r.Stats.Updates, r.Stats.Bins)
		}
		closed, least, faster := map[impl.Spec]float64{}, math.Inf(1), map[impl.Spec]int{}
		for _, v := range d.Ranked() {
			if c, err := speedup.Predict(v, &r.Stats, &bare, p.Call); err == nil {
				for other, us := range closed {
					if other.Name() == v.Name() && us <= c.US {
						faster[v]++
					} else if other.Name() == v.Name() {
						faster[other]++
					}
				}
				closed[v] = c.US
				least = min(least, c.US)
			}
		}
		if s.Whole(r.Point) {
			whole++
		}
		for v, us := range closed {
			_, ran := r.US[v.String()]
			if ran != (s.Whole(r.Point) || us <= 1.5*least && faster[v] < 2) {
				t.Errorf("point %d: %s, %.3f times the least, simulated: %v", r.Point, v, us/least, ran)
			}
			if !ran {
				out++
			}
		}
	}
	if out < 100 || whole != 2*6 {
		t.Errorf("%d left out, %d rows of whole lines", out, whole)
	}
}

// crossing is a simulator by which one implementation is fastest below a number of
// targets and another from there on.
type crossing struct{ at uint64 }

func (f crossing) Simulate(v impl.Spec, _ *device.Profile, _ device.Call, _ []uint32,
	bins uint64) (float64, error) {
	us := 100.0
	switch {
	case v == impl.Spec{} && bins >= f.at:
		us = 50
	case v == impl.Spec{Reduction: impl.SR} && bins < f.at:
		us = 50
	}
	return us, nil
}

// TestDecisionSensitivity: on lines along the targets, points gather around the number where the
// choice changes: after the ends, twelve points come as near as a fraction of 2^-7 of
// the line, and points elsewhere are few.
func TestDecisionSensitivity(t *testing.T) {
	const at = 300
	s := model.Sweep{Points: 60 * 14, Seed: 2, MinUpdates: 256, MaxUpdates: 300, MaxBins: 1 << 16,
		Line: 14}
	rows, err := training.Collect(context.Background(), tunertest.Profile(t, "gtx680"), s,
		crossing{at}, training.CollectOptions{})
	tunertest.Must(t, err)
	crossed := 0
	for first := 0; first < len(rows); first += s.Line {
		line := rows[first : first+s.Line]
		low, high := line[0].Stats.Bins, line[1].Stats.Bins
		if low >= at || high < at {
			continue
		}
		crossed++
		place := math.Log(at/float64(low)) / math.Log(float64(high)/float64(low))
		nearest, near := 1.0, 0
		for _, r := range line {
			nearest = min(nearest, math.Abs(r.At-place))
			if math.Abs(r.At-place) < 0.13 {
				near++
			}
		}
		if nearest > 1.0/64 || near < 5 {
			t.Errorf("points %d to %d, %d to %d targets: the nearest lies %.4f of the sweep away, %d near",
				first, first+s.Line-1, low, high, nearest, near)
		}
	}
	if crossed < 8 {
		t.Errorf("only %d lines cross the boundary", crossed)
	}
}

// TestFrom: what comes out is what a run of its own makes, of points of a shorter sweep
// and where other closed forms have screened, and only what differs is simulated.
func TestFrom(t *testing.T) {
	s, folder := screenedSweep(), t.TempDir()
	merged := func(path string) string {
		t.Helper()
		h, rows, err := training.Merge(path)
		tunertest.Must(t, err)
		data, err := training.EncodeCheckpoint(h, rows)
		tunertest.Must(t, err)
		return string(data)
	}
	whole, short := filepath.Join(folder, "whole"), filepath.Join(folder, "short")
	all, few := tunertest.Fake(), tunertest.Fake()
	collected(t, s, all, training.CollectOptions{Checkpoint: whole})
	want := merged(whole)
	less := s
	less.Points = 100 // four points of the last line
	collected(t, less, few, training.CollectOptions{Checkpoint: short})

	data, err := os.ReadFile(whole)
	tunertest.Must(t, err)
	text := strings.Split(string(data), "\n")
	text[0] = strings.Replace(text[0], `"closed_forms":"`, `"closed_forms":"0`, 1)
	other := slices.IndexFunc(text, func(l string) bool { return strings.HasPrefix(l, `{"point":8,`) })
	// An implementation that those closed forms screen in.
	text[other] = strings.Replace(text[other], `"us":{`, `"us":{"private:r=3":1,`, 1)
	screened := filepath.Join(folder, "screened")
	if err := os.WriteFile(screened, []byte(strings.Join(text, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	for from, most := range map[string]int64{
		whole:    0,
		short:    all.Calls.Load() - few.Calls.Load(),
		screened: all.Calls.Load() / 10, // four points of one line
	} {
		sim, checkpoint := tunertest.Fake(), from+".again"
		collected(t, s, sim, training.CollectOptions{Checkpoint: checkpoint, From: from})
		if merged(checkpoint) != want || sim.Calls.Load() > most {
			t.Errorf("%s: as by itself: %t, %d simulations of %d", from, merged(checkpoint) == want,
				sim.Calls.Load(), all.Calls.Load())
		}
		collected(t, s, sim, training.CollectOptions{Checkpoint: checkpoint, From: filepath.Join(folder, "none")})
	}
	part := training.Shard{Index: 1, Of: 2}
	rows := collected(t, s, tunertest.Fake(), training.CollectOptions{Shard: part, From: whole})
	if len(rows) < 90 || len(rows) > 110 {
		t.Errorf("a part of the points: %d rows", len(rows))
	}
	s.Seed++
	for _, from := range []string{whole, filepath.Join(folder, "none")} {
		_, err := training.Collect(t.Context(), tunertest.Profile(t, "h200"), s, tunertest.Fake(),
			training.CollectOptions{From: from})
		if !errors.Is(err, training.ErrCheckpoint) || !strings.Contains(err.Error(), from) {
			t.Errorf("%s: error %v", from, err)
		}
	}
}
