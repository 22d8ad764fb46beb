package golearnbridge

import (
	"errors"
	"fmt"
	"math"

	"github.com/sjwhitworth/golearn/trees"

	"github.com/atomtune/atomtune/regtree"
)

// ErrForeign reports a golearn tree that was not trained on the given table.
var ErrForeign = errors.New("tree was not trained on this table")

// fromTree converts a trained golearn regressor. golearn's trees hold no
// feature names and no leaf statistics, so fromTree sends the rows of the
// training table t down the tree and takes both from there.
//
// Where golearn found no split it predicts 0 on one side; such a root becomes
// a leaf that predicts the mean of t. An untrained tree and one whose leaves
// do not predict the means of t's rows give an error that wraps ErrForeign.
func fromTree(c *trees.CARTDecisionTreeRegressor, t regtree.Table) (*regtree.Tree, error) {
	if c == nil || c.RootNode == nil {
		return nil, fmt.Errorf("golearn tree: not trained: %w", ErrForeign)
	}
	nodes, err := convert(c, t)
	if err != nil {
		return nil, fmt.Errorf("golearn tree: %w", err)
	}
	return regtree.New(t.Features, nodes)
}

func convert(c *trees.CARTDecisionTreeRegressor, t regtree.Table) ([]regtree.Node, error) {
	all := make([]int, len(t.X))
	for i := range all {
		all[i] = i
	}
	if unsplit(c, t, all) {
		return []regtree.Node{leafOf(t, all)}, nil
	}
	var nodes []regtree.Node
	stack := stackOf(c.RootNode, all)
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(p.rows) == 0 {
			return nil, fmt.Errorf("node %d: no row reaches it: %w", len(nodes), ErrForeign)
		}
		n := p.source
		if n == nil {
			leaf := leafOf(t, p.rows)
			if !near(leaf.Leaf.Value, p.prediction, t) {
				return nil, fmt.Errorf("node %d: a leaf predicts %v where the rows' mean is %v: %w",
					len(nodes), p.prediction, leaf.Leaf.Value, ErrForeign)
			}
			nodes = append(nodes, leaf)
			continue
		}
		if n.Feature < 0 || n.Feature >= int64(len(t.Features)) {
			return nil, fmt.Errorf("feature %d of %d: %w", n.Feature, len(t.Features), ErrForeign)
		}
		nodes = append(nodes, regtree.Node{Feature: int(n.Feature), Threshold: n.Threshold})
		left, right := p, p
		left.source, left.prediction, left.rows = n.Left, n.LeftPred, nil
		right.source, right.prediction, right.rows = n.Right, n.RightPred, nil
		for _, r := range p.rows {
			if t.X[r][n.Feature] < n.Threshold {
				left.rows = append(left.rows, r)
			} else {
				right.rows = append(right.rows, r)
			}
		}
		stack = append(stack, right, left)
	}
	return nodes, nil
}

// unsplit says whether golearn found no split: then the root's comparison is
// all zeros and its left prediction the mean, or 0 at depth 0. A true split at
// threshold 0 whose left mean is that of all rows gains nothing, so that no
// other root looks like it.
func unsplit(c *trees.CARTDecisionTreeRegressor, t regtree.Table, all []int) bool {
	n := c.RootNode
	if n.Left != nil || n.Right != nil || n.Feature != 0 || n.Threshold != 0 || n.RightPred != 0 {
		return false
	}
	return n.LeftPred == 0 || near(n.LeftPred, leafOf(t, all).Leaf.Value, t)
}

// pending is a subtree to convert: the rows that reach it, its golearn node, and for
// a leaf, which has none, the prediction that golearn keeps in the parent.
type pending[N any] struct {
	rows       []int
	source     N
	prediction float64
}

// stackOf starts a stack; it is generic because golearn does not export the
// type of its nodes.
func stackOf[N any](root N, rows []int) []pending[N] {
	return []pending[N]{{source: root, rows: rows}}
}

// leafOf describes the given rows.
func leafOf(t regtree.Table, rows []int) regtree.Node {
	l := regtree.Leaf{Count: len(rows), Min: math.Inf(1), Max: math.Inf(-1)}
	var sum float64
	for _, r := range rows {
		sum += t.Y[r]
		l.Min, l.Max = min(l.Min, t.Y[r]), max(l.Max, t.Y[r])
	}
	l.Value = max(l.Min, min(sum/float64(l.Count), l.Max))
	var squares float64
	for _, r := range rows {
		squares += (t.Y[r] - l.Value) * (t.Y[r] - l.Value)
	}
	l.StdDev = min(math.Sqrt(squares/float64(l.Count)), l.Max-l.Min)
	return regtree.Node{Feature: -1, Leaf: l}
}

// near compares two means of targets, with room for the order of summation.
func near(a, b float64, t regtree.Table) bool {
	var largest float64
	for _, y := range t.Y {
		largest = max(largest, math.Abs(y))
	}
	return math.Abs(a-b) <= 1e-9*largest
}
