package training_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/training"
)

// TestFrom: what comes out is what a run of its own makes, of points of a shorter sweep
// and where other closed forms have screened, and only what differs is simulated.
func TestFrom(t *testing.T) {
	s, folder := screenedSweep(), t.TempDir()
	merged := func(path string) string {
		t.Helper()
		h, rows, err := training.Merge(path)
		tunertest.Must(t, err)
		data, err := training.EncodeJournal(h, rows)
		tunertest.Must(t, err)
		return string(data)
	}
	whole, short := filepath.Join(folder, "whole"), filepath.Join(folder, "short")
	all, few := tunertest.Fake(), tunertest.Fake()
	collected(t, s, all, training.CollectOptions{Journal: whole})
	want := merged(whole)
	less := s
	less.Points = 100 // four points of the last line
	collected(t, less, few, training.CollectOptions{Journal: short})

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
		sim, journal := tunertest.Fake(), from+".again"
		collected(t, s, sim, training.CollectOptions{Journal: journal, From: from})
		if merged(journal) != want || sim.Calls.Load() > most {
			t.Errorf("%s: as by itself: %t, %d simulations of %d", from, merged(journal) == want,
				sim.Calls.Load(), all.Calls.Load())
		}
		collected(t, s, sim, training.CollectOptions{Journal: journal, From: filepath.Join(folder, "none")})
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
		if !errors.Is(err, training.ErrJournal) || !strings.Contains(err.Error(), from) {
			t.Errorf("%s: error %v", from, err)
		}
	}
}
