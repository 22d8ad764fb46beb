package regtree

import (
	"fmt"
	"slices"
)

// A Tree is a fitted regression tree, immutable and safe for concurrent use.
// It comes from Fit, FitPruned, Prune, New or Parse; the zero Tree holds no
// nodes and predicts nothing.
//
// Nodes are stored in preorder: the left child of an inner node follows it,
// and every child stands after its parent.
type Tree struct {
	features []string
	nodes    []node
	stats    []Leaf  // of the training rows at each node
	walk     []visit // the same nodes as Predict goes through them
}

// node is one comparison, or a leaf where feature is negative.
type node struct {
	threshold float64
	feature   int32
	right     int32 // index of the right child
}

const leafFeature = -1

// Features returns the names of the features in the order of Predict's x.
func (t *Tree) Features() []string { return slices.Clone(t.features) }

// PredictRows returns the prediction for each row of x. A row with a wrong
// number of values gives an error that wraps ErrShape, a NaN or an infinity
// one that wraps ErrNotFinite.
func (t *Tree) PredictRows(x [][]float64) ([]float64, error) {
	predictions := make([]float64, len(x))
	for i, row := range x {
		if err := t.checkRow(row); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		predictions[i] = t.Predict(row)
	}
	return predictions, nil
}

func (t *Tree) checkRow(row []float64) error {
	if len(row) != len(t.features) {
		return fmt.Errorf("%d values for %d features: %w", len(row), len(t.features), ErrShape)
	}
	for j, v := range row {
		if !finite(v) {
			return fmt.Errorf("column %d (%s): %v: %w", j, t.features[j], v, ErrNotFinite)
		}
	}
	return nil
}

// NumNodes returns the number of nodes, leaves included.
func (t *Tree) NumNodes() int { return len(t.nodes) }

// NumLeaves returns the number of leaves: a binary tree of n nodes has (n+1)/2.
func (t *Tree) NumLeaves() int { return (len(t.nodes) + 1) / 2 }

// Depth returns the number of comparisons on the longest way to a leaf.
func (t *Tree) Depth() int {
	deepest := 0
	for _, d := range t.depths() {
		deepest = max(deepest, d)
	}
	return deepest
}

// depths returns the number of comparisons above each node.
func (t *Tree) depths() []int {
	depth := make([]int, len(t.nodes))
	for i, n := range t.nodes {
		if n.feature >= 0 {
			depth[i+1] = depth[i] + 1
			depth[n.right] = depth[i] + 1
		}
	}
	return depth
}
