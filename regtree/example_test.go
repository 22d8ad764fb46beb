package regtree_test

import (
	"fmt"

	"github.com/atomtune/atomtune/regtree"
)

func ExampleSorted_Fit() {
	levels := [][]float64{{1, 16}, {1, 4096}, {2, 16}, {8, 16}, {8, 4096}, {32, 1}}
	slower := []float64{1, 1.1, 1, 3, 2, 9}
	tree, err := regtree.Sort(levels, slower).Fit(func(int) bool { return true }, regtree.Options{MaxLeaves: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Predict([]float64{8, 256}))
	// Output:
	// [2.5]
}
