package training_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/training"
)

// TestImpossibleRow: a row that no simulation gives is an error with file, line and value.
func TestImpossibleRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	s := tunertest.Sweep()
	s.Points = 20
	collected(t, s, tunertest.Fake(), training.CollectOptions{Journal: path})
	data, err := os.ReadFile(path)
	tunertest.Must(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	for want, spoil := range map[string]func(*training.Row){
		"":                func(*training.Row) {},
		"1.5":             func(r *training.Row) { r.At = 1.5 },
		"-0.1":            func(r *training.Row) { r.At = -0.1 },
		"10000":           func(r *training.Row) { r.Stats.Unique = 10000 },
		"warps of 0":      func(r *training.Row) { r.Stats.WarpSize = 0 },
		"max_frequency 0": func(r *training.Row) { r.Stats.MaxFrequency = 0 },
		"naive takes 0":   func(r *training.Row) { r.US["naive"] = 0 },
		"-2.5":            func(r *training.Row) { r.US["naive"] = -2.5 },
		":3: ":            func(r *training.Row) { r.US = nil },
	} {
		var row training.Row
		if err := json.Unmarshal([]byte(lines[2]), &row); err != nil {
			t.Fatal(err)
		}
		spoil(&row)
		j, err := training.DecodeJournal("j", []byte(lines[0]+lines[1]+tunertest.MustJSON(t, row)+"\n"))
		if want == "" {
			if err != nil || len(j.Rows) != 2 {
				t.Errorf("as it was: %d rows, %v", len(j.Rows), err)
			}
			continue
		}
		if !errors.Is(err, training.ErrJournal) || !strings.Contains(err.Error(), "j:3: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with line 3 and %q", err, want)
		}
	}
}
