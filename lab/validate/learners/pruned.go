package learners

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/atomtune/atomtune/regtree"
)

// errFolds reports fewer folds than 2, or more than there are rows.
var errFolds = errors.New("bad folds")

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
// of the full tree; of equal errors the smaller tree wins. Errors are those of regtree,
// or wrap errFolds.
func fitPruned(
	t regtree.Table, o regtree.Options, folds int, seed uint64,
) (*regtree.Tree, pruning, error) {
	sorted, err := regtree.Sort(t)
	if err != nil {
		return nil, pruning{}, err
	}
	foldOf, err := randomFolds(len(t.X), folds, seed)
	if err != nil {
		return nil, pruning{}, err
	}
	full, err := sorted.Fit(func(int) bool { return true }, o)
	if err != nil {
		return nil, pruning{}, err
	}
	p := pruning{alphas: append(full.Alphas(), 0)}
	slices.Sort(p.alphas)
	p.alphas = slices.Compact(p.alphas)
	p.mse = make([]float64, len(p.alphas))
	candidates := representatives(p.alphas)
	for fold := range folds {
		tree, err := sorted.Fit(func(row int) bool { return foldOf[row] != fold }, o)
		if err != nil {
			return nil, pruning{}, fmt.Errorf("without fold %d: %w", fold, err)
		}
		nodes, collapse := tree.Nodes(), tree.Alphas()
		for row, f := range foldOf {
			if f != fold {
				continue
			}
			addErrors(nodes, collapse, t.X[row], t.Y[row], candidates, p.mse)
		}
	}
	for i := range p.mse {
		if p.mse[i] /= float64(len(t.X)); p.mse[i] <= p.mse[p.chosen] {
			p.chosen = i
		}
	}
	tree, err := full.Prune(p.alphas[p.chosen])
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

// randomFolds deals rows at random into k folds whose sizes differ by at most
// one, and returns the fold of each row.
func randomFolds(rows, k int, seed uint64) ([]int, error) {
	if k < 2 || k > rows {
		return nil, fmt.Errorf("%d folds of %d rows: want 2 to the number of rows: %w", k, rows, errFolds)
	}
	of := make([]int, rows)
	for i := range of {
		of[i] = i % k
	}
	for i := rows - 1; i > 0; i-- {
		j := below(&seed, uint64(i+1))
		of[i], of[j] = of[j], of[i]
	}
	return of, nil
}

// below returns a number uniform in [0, n), drawn by Lemire's multiplication
// with rejection from the splitmix64 generator at state. It is written out so
// that a seed keeps its folds whatever the standard library does.
func below(state *uint64, n uint64) uint64 {
	for {
		*state += 0x9e3779b97f4a7c15
		z := *state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		high, low := bits.Mul64(z^z>>31, n)
		if low >= -n%n {
			return high
		}
	}
}
