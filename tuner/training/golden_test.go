package training_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// TestLearnt: the rows of a sweep, and the models that options of all sorts fit to them, with trees,
// intervals and evaluation, are what testdata/learnt.txt holds.
func TestLearnt(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	var lines []string
	for _, s := range []model.Sweep{tunertest.Sweep(), {Points: 60, Seed: 9, MinUpdates: 64, MaxUpdates: 4096,
		MaxBins: 1 << 14, Line: 4, Screen: 8}} {
		rows, err := training.Collect(t.Context(), d, s, tunertest.Fake(), training.CollectOptions{})
		tunertest.Must(t, err)
		h := training.Header{Format: "atomtune-journal", Version: 2, Device: d.Name, ProfileHash: model.ProfileHash(d),
			Sweep: s.Normal(), Shard: training.Shard{Of: 1}}
		text, err := training.EncodeJournal(h, rows)
		tunertest.Must(t, err)
		lines = append(lines, fmt.Sprintf("altered: %s", golden.Altered(text, 200, func(altered []byte) error {
			_, err := training.DecodeJournal("journal", altered)
			return tunertest.Refused(err)
		})))
		var sum golden.Digest
		sum.JSON(t, rows)
		lines = append(lines, fmt.Sprintf("rows of %+v: %s", s, &sum))
		for _, o := range []model.FitOptions{{Bags: 4, MinRows: 5, MaxDepth: 3, Folds: 2},
			{Bags: 3, MaxLeaves: 6, MinLeaf: 9, Folds: 3}} {
			m, err := training.Fit(t.Context(), d, s, rows, o)
			tunertest.Must(t, err)
			var sum golden.Digest
			sum.JSON(t, m)
			lines = append(lines, fmt.Sprintf("model of %+v: %s", o, &sum))
		}
	}
	golden.Compare(t, "testdata/learnt.txt", lines)
}
