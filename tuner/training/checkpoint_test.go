package training_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/training"
)

// FuzzReadJournal: any file is a checkpoint whose rows belong to its header's
// shard, or an error that names its kind.
func FuzzReadJournal(f *testing.F) {
	const head = `{"format":"atomtune-journal","version":2,"device":"h200","profile_hash":"","sweep":` +
		`{"points":4,"seed":1,"min_updates":1,"max_updates":9,"max_bins":9},"shard":"1/2"}` + "\n"
	row, err := json.Marshal(training.Row{Point: 1, At: 1,
		Stats: *tunertest.Analyze(f, "uniform:n=64,k=8,seed=1"), US: map[string]float64{"naive": 1.5}})
	tunertest.Must(f, err)
	f.Add([]byte(head + string(row) + "\n" + `{"poi`))
	f.Add([]byte(head + `{"point":2}` + "\n"))
	f.Add([]byte(head + "null\n"))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, _, _ := gzipped.Unpack(data, 1<<20)
		var head training.Header
		var rows []training.Row
		var err error
		allocation.Bound(t, max(len(data), len(plain)), func() { head, rows, err = training.DecodeCheckpoint("j", data) })
		if err != nil {
			if !errors.Is(err, training.ErrCheckpoint) {
				t.Fatal(err)
			}
			return
		}
		if len(rows) == 0 {
			return
		}
		part := head.Shard
		if err := part.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if !part.Has(r.Point) || r.Point >= head.Sweep.Points {
				t.Fatalf("point %d in shard %s", r.Point, part)
			}
		}
	})
}

// FuzzParseShard: a shard reads as what prints as a text that reads as the same.
func FuzzParseShard(f *testing.F) {
	for _, text := range []string{"1/2", "0/1", "01/2", "+1/2", "1/9223372036854775808"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := training.ParseShard(text)
		if err != nil {
			return
		}
		if again, err := training.ParseShard(s.String()); err != nil || again != s || s.Validate() != nil {
			t.Errorf("%q is %s, which reads as %s, %v", text, s, again, err)
		}
	})
}

// TestImpossibleRow: a row that no simulation gives is an error with file, line and value.
func TestImpossibleRow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.jsonl")
	s := tunertest.Sweep()
	s.Points = 20
	collected(t, s, tunertest.Fake(), training.CollectOptions{Checkpoint: path})
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
		_, rows, err := training.DecodeCheckpoint("j", []byte(lines[0]+lines[1]+tunertest.MustJSON(t, row)+"\n"))
		if want == "" {
			if err != nil || len(rows) != 2 {
				t.Errorf("as it was: %d rows, %v", len(rows), err)
			}
			continue
		}
		if !errors.Is(err, training.ErrCheckpoint) || !strings.Contains(err.Error(), "j:3: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with line 3 and %q", err, want)
		}
	}
}
