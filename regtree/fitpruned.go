package regtree

import (
	"fmt"
	"math"
)

// PruneOptions say how FitPruned chooses the cost per leaf.
type PruneOptions struct {
	// Folds is the number of random folds; 0 means 10, or the number of rows
	// if that is smaller. It is not read when ByGroup is set.
	Folds int
	// Seed deals the folds.
	Seed uint64
	// ByGroup holds out one group at a time instead of random folds.
	ByGroup bool
	// OneStandardError takes the smallest tree whose cross-validated error is
	// within one standard error of the least, instead of the least.
	OneStandardError bool
}

// A Pruning tells how FitPruned chose. Path holds the nested trees of the full
// fit, CV the error estimated for each, and Chosen the index of the tree that
// was returned.
type Pruning struct {
	Path   []PruningStep
	CV     []CVError
	Chosen int
	Seed   uint64
}

// CVError is a cross-validated mean squared error and its standard error,
// both in squared units of the target.
type CVError struct {
	MSE, StandardError float64
}

// FitPruned grows a tree and prunes it at the cost per leaf that
// cross-validation finds best [breiman84] section 3.4. Candidates are the
// geometric means of neighbouring alphas of the full tree's pruning path; of
// equal errors the smaller tree wins.
//
// The errors are those of CrossValidate; o.Alpha must be 0.
func FitPruned(t Table, o Options, p PruneOptions) (*Tree, Pruning, error) {
	f, err := p.deal(t, o)
	if err != nil {
		return nil, Pruning{}, fmt.Errorf("fit pruned: %w", err)
	}
	c := newColumns(t)
	full, err := c.fit(c.filter(func(int32) bool { return true }), o)
	if err != nil {
		return nil, Pruning{}, fmt.Errorf("fit pruned: %w", err)
	}
	report := Pruning{Path: full.PruningPath(), Seed: p.Seed}
	alphas := representatives(report.Path)
	total := newErrorSums(len(alphas))
	err = f.each(c, o, func(tree *Tree, held []int) {
		collapse, _ := tree.collapse()
		for _, row := range held {
			tree.addErrors(t, row, collapse, alphas, total)
		}
	})
	if err != nil {
		return nil, Pruning{}, fmt.Errorf("fit pruned: %w", err)
	}
	report.CV = total.estimates()
	report.Chosen = choose(report.CV, p.OneStandardError)
	tree, err := full.Prune(report.Path[report.Chosen].Alpha)
	return tree, report, err
}

// deal checks the inputs and deals the folds.
func (p PruneOptions) deal(t Table, o Options) (folds, error) {
	if err := o.Validate(); err != nil {
		return folds{}, err
	}
	if o.Alpha != 0 {
		return folds{}, fmt.Errorf("option Alpha is %v, but is to be chosen: want 0: %w", o.Alpha, ErrOptions)
	}
	if err := t.Validate(); err != nil {
		return folds{}, err
	}
	if p.ByGroup {
		return groupFolds(t)
	}
	k := p.Folds
	if k == 0 {
		k = min(10, len(t.X))
	}
	return randomFolds(len(t.X), k, p.Seed)
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

// errorSums collects the squared errors of held-out rows, for each alpha.
type errorSums struct {
	weight, weight2 float64
	sum             []float64 // of weight · error
	cross           []float64 // of weight² · error
	squares         []float64 // of weight² · error²
}

func newErrorSums(alphas int) *errorSums {
	return &errorSums{
		sum:     make([]float64, alphas),
		cross:   make([]float64, alphas),
		squares: make([]float64, alphas),
	}
}

// addErrors adds the error of one held-out row under every alpha. Going down
// the tree, collapse never grows, so a node serves the alphas from its own
// collapse up to its parent's.
func (t *Tree) addErrors(table Table, row int, collapse, alphas []float64, s *errorSums) {
	x, w := table.X[row], table.weight(row)
	s.weight += w
	s.weight2 += w * w
	at, open := int32(0), len(alphas)
	for open > 0 {
		n := t.nodes[at]
		off := t.stats[at].Value - table.Y[row]
		for open > 0 && (n.feature < 0 || alphas[open-1] >= collapse[at]) {
			open--
			s.sum[open] += w * off * off
			s.cross[open] += w * w * off * off
			s.squares[open] += w * off * off * w * off * off
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

// estimates returns the weighted mean error m of each alpha and its standard
// error sqrt(sum w²(e-m)²) / sum w.
func (s *errorSums) estimates() []CVError {
	estimates := make([]CVError, len(s.sum))
	for i := range estimates {
		mean := s.sum[i] / s.weight
		spread := s.squares[i] - 2*mean*s.cross[i] + mean*mean*s.weight2
		estimates[i] = CVError{mean, math.Sqrt(max(0, spread)) / s.weight}
	}
	return estimates
}

// choose returns the last, which is the smallest, tree of least error, or the
// last within one standard error of it.
func choose(cv []CVError, oneStandardError bool) int {
	best := 0
	for i, e := range cv {
		if e.MSE <= cv[best].MSE {
			best = i
		}
	}
	if !oneStandardError {
		return best
	}
	limit := cv[best].MSE + cv[best].StandardError
	for i, e := range cv {
		if e.MSE <= limit {
			best = max(best, i)
		}
	}
	return best
}
