package training_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// TestImpossibleRow: a row that no simulation gives is an error with file and line.
func TestImpossibleRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	s := tunertest.Sweep()
	s.Points = 20
	if _, err := training.Collect(context.Background(), tunertest.Profile(t, "h200"), s,
		tunertest.Fake(), training.CollectOptions{Journal: path}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	for want, spoil := range map[string]func(*training.Row){
		"":                          func(*training.Row) {},
		"at 1.5, want 0 to 1":       func(r *training.Row) { r.At = 1.5 },
		"at -0.1, want 0 to 1":      func(r *training.Row) { r.At = -0.1 },
		"10000 of them different":   func(r *training.Row) { r.Stats.Unique = 10000 },
		"warps of 0":                func(r *training.Row) { r.Stats.WarpSize = 0 },
		"clustered_fraction 2":      func(r *training.Row) { r.Stats.ClusteredFraction = 2 },
		"max_frequency 0":           func(r *training.Row) { r.Stats.MaxFrequency = 0 },
		"naive takes 0 us":          func(r *training.Row) { r.US["naive"] = 0 },
		"naive takes -2.5 us":       func(r *training.Row) { r.US["naive"] = -2.5 },
		"no implementation has a t": func(r *training.Row) { r.US = nil },
	} {
		var row training.Row
		if err := json.Unmarshal([]byte(lines[2]), &row); err != nil {
			t.Fatal(err)
		}
		spoil(&row)
		line, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(lines[0]+lines[1]+string(line)+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := training.ReadJournal(path)
		if want == "" {
			if err != nil || len(j.Rows) != 2 {
				t.Errorf("as it was: %d rows, %v", len(j.Rows), err)
			}
			continue
		}
		if !errors.Is(err, training.ErrJournal) || !strings.Contains(err.Error(), path+":3: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with line 3 and %q", err, want)
		}
	}
}

// TestCuts: parts of different cuts of a sweep are told, and a part without a line is
// no part.
func TestCuts(t *testing.T) {
	d, s := tunertest.Profile(t, "h200"), tunertest.Sweep()
	s.Points = 20
	var paths []string
	for _, part := range []training.Shard{{Index: 0, Of: 2}, {Index: 2, Of: 3}} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(part.Of))
		if _, err := training.Collect(context.Background(), d, s, tunertest.Fake(),
			training.CollectOptions{Journal: path, Shard: part}); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	_, _, err := training.Merge(paths...)
	for _, want := range []string{paths[0], paths[1] + ":1", "part 2/3", "part 0/2",
		"into 3 parts and into 2"} {
		if !errors.Is(err, training.ErrJournal) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "none")
	_, err = training.Collect(context.Background(), d, s, tunertest.Fake(),
		training.CollectOptions{Journal: path, Shard: training.Shard{Index: 60, Of: 100}})
	if !errors.Is(err, model.ErrSweep) || !strings.Contains(err.Error(),
		"shard 60/100 has none of the 20 points") {
		t.Errorf("an empty part: error %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("an empty part left a journal: %v", err)
	}
}
