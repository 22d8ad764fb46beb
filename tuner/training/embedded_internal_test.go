package training

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestEmbeddedModelsAreOfSweeps remakes what needs no tree of the models that are too large to be remade
// in a test from the committed sweeps: the features' ranges, the rows and the losses of the closed forms.
// cmd/atomtune remakes whole models.
func TestEmbeddedModelsAreOfSweeps(t *testing.T) {
	for _, name := range []string{"gtx680", "c2075"} {
		d, unknown := device.Builtin(name)
		j, unread := ReadJournal(filepath.Join("..", "sweeps", name+".jsonl.gz"))
		want, missing := model.Embedded(name)
		if err := errors.Join(unknown, unread, missing); err != nil {
			t.Fatal(err)
		}
		whole, err := Prepare(d, j.Header.Sweep, j.Rows)
		if err != nil {
			t.Fatal(err)
		}
		var x [][]float64
		for i := range whole.Samples {
			x = append(x, whole.Samples[i].X)
		}
		if !slices.Equal(want.Features, model.Ranges(x)) || want.Rows != len(x) ||
			want.Sweep != j.Header.Sweep.Normal() {
			t.Errorf("%s: features, rows or sweep are not those of %d points", name, len(x))
		}
		if closed := model.Summarize(whole.losses(all, whole.corrected(uncorrected))); closed != want.Evaluation.ClosedForm {
			t.Errorf("%s: closed forms lose %+v, the model says %+v", name, closed, want.Evaluation.ClosedForm)
		}
	}
}
