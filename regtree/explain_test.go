package regtree_test

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

var lanes = regtree.Table{
	Features: []string{"warp_level", "bins"},
	X:        [][]float64{{1, 16}, {1, 4096}, {2, 16}, {8, 16}, {8, 4096}, {32, 1}},
	Y:        []float64{1, 1.1, 1, 3, 2, 9},
}

func ExampleFit() {
	tree, err := regtree.Fit(lanes, regtree.Options{MaxLeaves: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []float64{8, 256}
	fmt.Print(tree)
	fmt.Println(tree.Predict(x), "because", tree.Path(x))
	// Output:
	// warp_level < 20
	//   warp_level < 5
	//     1.03333 (rows 3, sd 0.0471405)
	//     2.5 (rows 2, sd 0.5)
	//   9 (rows 1, sd 0)
	// 2.5 because warp_level = 8 < 20, warp_level = 8 >= 5
}

func TestPathLeadsToTheLeaf(t *testing.T) {
	data := smooth(200, 3, 8)
	tree := mustFit(t, data, regtree.Options{})
	steps := 0
	for _, x := range data.X {
		rows := len(data.X) + 1
		for _, s := range tree.Path(x) {
			if s.Left != (x[s.Feature] < s.Threshold) || s.Name != data.Features[s.Feature] || s.Value != x[s.Feature] {
				t.Errorf("step %+v of %v", s, x)
			}
			if s.Node.Count >= rows {
				t.Errorf("step %v is met by %d rows, the one before by %d", s, s.Node.Count, rows)
			}
			rows = s.Node.Count
			steps++
		}
		if leaf := tree.Leaf(x); leaf.Count >= rows || leaf.Value != tree.Predict(x) {
			t.Errorf("leaf %+v after %d rows predicts %v", leaf, rows, tree.Predict(x))
		}
	}
	if steps < len(data.X) {
		t.Errorf("checked %d steps", steps)
	}
}

func TestPathOfALeafIsEmpty(t *testing.T) {
	single := mustFit(t, lanes, regtree.Options{MaxLeaves: 1})
	if path := single.Path(lanes.X[0]); len(path) != 0 || path.String() != "" {
		t.Errorf("path in a single leaf is %q", path)
	}
}
