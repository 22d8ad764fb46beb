package regtree_test

import (
	"fmt"

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
	leaf := tree.Leaf(x)
	fmt.Printf("%v from %d rows, standard deviation %v\n", tree.Predict(x), leaf.Count, leaf.StdDev)
	// Output:
	// 2.5 from 2 rows, standard deviation 0.5
}
