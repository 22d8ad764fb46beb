package learners

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/regtree"
)

// pruning tells how fitPruned chose: alphas are the costs per leaf at which the full
// tree changes, mse the cross-validated mean squared error of each of its subtrees,
// and chosen the place of the one that was returned.
type pruning struct {
	alphas, mse []float64
	chosen      int
}

// fitPruned grows a tree and prunes it at the cost per leaf that cross-validation
// over random folds finds best: L. Breiman et al., Classification and Regression
// Trees, 1984, section 3.4. Candidates are the geometric means of neighbouring alphas
// of the full tree; of equal errors the smaller tree wins. There are at least as many
// rows as folds, of which there are 2 or more. Errors are those of regtree.
func fitPruned(
	t regtree.Table, o regtree.Options, folds int, seed uint64,
) (tree *regtree.Tree, p pruning, err error) {
	sorted, err := regtree.Sort(t)
	if err != nil {
		return nil, p, err
	}
	foldOf := randomFolds(len(t.X), folds, seed)
	full, err := sorted.Fit(func(int) bool { return true }, o)
	if err != nil {
		return nil, p, err
	}
	p.alphas = append(full.Alphas(), 0)
	slices.Sort(p.alphas)
	p.alphas = slices.Compact(p.alphas)
	p.mse = make([]float64, len(p.alphas))
	candidates := representatives(p.alphas)
	for fold := range folds {
		tree, err := sorted.Fit(func(row int) bool { return foldOf[row] != fold }, o)
		if err != nil {
			return nil, p, fmt.Errorf("without fold %d: %w", fold, err)
		}
		nodes, collapse := tree.Nodes(), tree.Alphas()
		for row, f := range foldOf {
			if f == fold {
				addErrors(nodes, collapse, t.X[row], t.Y[row], candidates, p.mse)
			}
		}
	}
	for i := range p.mse {
		if p.mse[i] /= float64(len(t.X)); p.mse[i] <= p.mse[p.chosen] {
			p.chosen = i
		}
	}
	tree, err = full.Prune(p.alphas[p.chosen])
	return tree, p, err
}

// representatives returns an alpha inside the interval in which each subtree is best.
func representatives(alphas []float64) []float64 {
	inside := make([]float64, len(alphas))
	for i := range alphas {
		inside[i] = math.Inf(1)
		if i+1 < len(alphas) {
			inside[i] = math.Sqrt(alphas[i]) * math.Sqrt(alphas[i+1])
		}
	}
	return inside
}

// addErrors adds the squared error of one held-out row under every
// alpha. Going down the tree, collapse never grows, so a node serves the alphas
// from its own collapse up to its parent's.
func addErrors(nodes []regtree.Node, collapse, x []float64, y float64, alphas, sum []float64) {
	at, open := 0, len(alphas)
	for open > 0 {
		n := nodes[at]
		off := n.Leaf.Value - y
		for open > 0 && (n.Feature < 0 || alphas[open-1] >= collapse[at]) {
			open--
			sum[open] += off * off
		}
		switch {
		case n.Feature < 0:
		case x[n.Feature] < n.Threshold:
			at = n.Left
		default:
			at = n.Right
		}
	}
}

// randomFolds splits rows at random into k folds whose sizes differ by at most
// one, and returns the fold of each row.
func randomFolds(rows, k int, seed uint64) []int {
	of := make([]int, rows)
	for i := range of {
		of[i] = i % k
	}
	r := synth.NewRand(seed)
	for i := rows - 1; i > 0; i-- {
		j := r.Below(uint64(i + 1))
		of[i], of[j] = of[j], of[i]
	}
	return of
}
