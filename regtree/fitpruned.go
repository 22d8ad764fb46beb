package regtree

import (
	"fmt"
	"math"
	"math/bits"
)

// A Pruning tells how FitPruned chose. Path holds the nested trees of the full
// fit, MSE the cross-validated mean squared error of each, and Chosen the index
// of the tree that was returned.
type Pruning struct {
	Path   []PruningStep
	MSE    []float64
	Chosen int
}

// FitPruned grows a tree and prunes it at the cost per leaf that
// cross-validation over random folds finds best [breiman84] section 3.4; 0
// folds mean 10, or the number of rows if that is smaller. Candidates are the
// geometric means of neighbouring alphas of the full tree's pruning path; of
// equal errors the smaller tree wins.
//
// The errors are those of Fit, or wrap ErrFolds where there are fewer than 2
// folds or more than rows; o.Alpha must be 0.
func FitPruned(t Table, o Options, folds int, seed uint64) (*Tree, Pruning, error) {
	full, report, err := fitPruned(t, o, folds, seed)
	if err != nil {
		return nil, Pruning{}, fmt.Errorf("fit pruned: %w", err)
	}
	tree, err := full.Prune(report.Path[report.Chosen].Alpha)
	return tree, report, err
}

func fitPruned(t Table, o Options, folds int, seed uint64) (*Tree, Pruning, error) {
	if err := o.Validate(); err != nil {
		return nil, Pruning{}, err
	}
	if o.Alpha != 0 {
		return nil, Pruning{}, fmt.Errorf("option Alpha is %v, but is to be chosen: want 0: %w",
			o.Alpha, ErrOptions)
	}
	if err := t.Validate(); err != nil {
		return nil, Pruning{}, err
	}
	if folds == 0 {
		folds = min(10, len(t.X))
	}
	foldOf, err := randomFolds(len(t.X), folds, seed)
	if err != nil {
		return nil, Pruning{}, err
	}
	c := newColumns(t)
	full, err := c.fit(c.filter(func(int32) bool { return true }), o)
	if err != nil {
		return nil, Pruning{}, err
	}
	report := Pruning{Path: full.PruningPath()}
	alphas := representatives(report.Path)
	report.MSE = make([]float64, len(alphas))
	weight := 0.0
	for fold := range folds {
		tree, err := c.fit(c.filter(func(row int32) bool { return foldOf[row] != fold }), o)
		if err != nil {
			return nil, Pruning{}, fmt.Errorf("without fold %d: %w", fold, err)
		}
		collapse, _ := tree.collapse()
		for row, f := range foldOf {
			if f == fold {
				weight += t.weight(row)
				tree.addErrors(t, row, collapse, alphas, report.MSE)
			}
		}
	}
	for i := range report.MSE {
		if report.MSE[i] /= weight; report.MSE[i] <= report.MSE[report.Chosen] {
			report.Chosen = i
		}
	}
	return full, report, nil
}

// representatives returns an alpha inside the interval in which each tree of
// the path is best.
func representatives(path []PruningStep) []float64 {
	alphas := make([]float64, len(path))
	for i := range path {
		alphas[i] = math.Inf(1)
		if i+1 < len(path) {
			alphas[i] = math.Sqrt(path[i].Alpha) * math.Sqrt(path[i+1].Alpha)
		}
	}
	return alphas
}

// addErrors adds the weighted squared error of one held-out row under every
// alpha. Going down the tree, collapse never grows, so a node serves the alphas
// from its own collapse up to its parent's.
func (t *Tree) addErrors(table Table, row int, collapse, alphas, sum []float64) {
	x, w := table.X[row], table.weight(row)
	at, open := int32(0), len(alphas)
	for open > 0 {
		n := t.nodes[at]
		off := t.stats[at].Value - table.Y[row]
		for open > 0 && (n.feature < 0 || alphas[open-1] >= collapse[at]) {
			open--
			sum[open] += w * off * off
		}
		switch {
		case n.feature < 0:
		case x[n.feature] < n.threshold:
			at++
		default:
			at = n.right
		}
	}
}

// randomFolds deals rows at random into k folds whose sizes differ by at most
// one, and returns the fold of each row.
func randomFolds(rows, k int, seed uint64) ([]int, error) {
	if k < 2 || k > rows {
		return nil, fmt.Errorf("%d folds of %d rows: want 2 to the number of rows: %w", k, rows, ErrFolds)
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
