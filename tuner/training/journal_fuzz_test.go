package training_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/training"
)

// FuzzReadJournal: any file is a journal whose rows belong to its header's
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
		var j training.Journal
		var err error
		allocation.Bound(t, max(len(data), len(plain)), func() { j, err = training.DecodeJournal("j", data) })
		if err != nil {
			if !errors.Is(err, training.ErrJournal) {
				t.Fatal(err)
			}
			return
		}
		if len(j.Rows) == 0 {
			return
		}
		part := j.Header.Shard
		if err := part.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, r := range j.Rows {
			if !part.Has(r.Point) || r.Point >= j.Header.Sweep.Points {
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
