package training

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestEmbeddedModelsAreOfSweeps remakes parts of the models that are too large to be remade as
// wholes in a test: from the committed sweeps what needs no fold, the features' ranges, the rows
// and the losses of the closed forms, and for a few implementations the tree of all bags, to
// the byte. cmd/atomtune remakes whole models. With ATOMTUNE_FULL=1 those of the larger sweep too.
func TestEmbeddedModelsAreOfSweeps(t *testing.T) {
	names := []string{"c2075"}
	if os.Getenv("ATOMTUNE_FULL") != "" {
		names = append(names, "gtx680")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			d, err := device.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			j, err := ReadJournal(filepath.Join("..", "sweeps", name+".jsonl.gz"))
			if err != nil {
				t.Fatal(err)
			}
			want, err := model.Embedded(name)
			if err != nil {
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
				t.Errorf("features, rows or sweep are not those of %d points", len(x))
			}
			closed := model.Summarize(whole.losses(all, whole.corrected(uncorrected)))
			if closed != want.Evaluation.ClosedForm {
				t.Errorf("closed forms lose %+v, the model says %+v", closed, want.Evaluation.ClosedForm)
			}
			growTrees(t, whole, want)
		})
	}
}

// growTrees grows the trees of two implementations with trees of several leaves anew, under the
// hyperparameters that the model says.
func growTrees(t *testing.T, whole *Training, want *model.Model) {
	t.Helper()
	grown := 0
	for i := range want.Implementations {
		c := &want.Implementations[(i*7+3)%len(want.Implementations)]
		if c.Tree.NumLeaves() < 2 || grown == 2 {
			continue
		}
		grown++
		one := whole.With(slices.Clone(whole.Samples))
		v := slices.Index(whole.Variants, c.Name)
		one.Variants = whole.Variants[v : v+1]
		for i := range one.Samples {
			s := &one.Samples[i]
			s.Closed, s.Simulated, s.Target = s.Closed[v:v+1], s.Simulated[v:v+1], s.Target[v:v+1]
		}
		n, err := one.ensemble(want.Fit)
		if err != nil {
			t.Fatal(err)
		}
		list, err := n.grow(0, func(int) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		at := slices.Index(alphas[:], c.Alpha)
		tree, err := list[at].Rescale(c.Shrink, n.byVariant[0].table)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		stands, err := json.Marshal(c.Tree)
		if err != nil || string(got) != string(stands) {
			t.Errorf("%s: the sweep gives a tree of %d leaves, the model has one of %d: run script/models",
				c.Name, tree.NumLeaves(), c.Tree.NumLeaves())
		}
	}
	if grown < 2 {
		t.Errorf("%d trees were grown again", grown)
	}
}
