package tuner

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
)

// crossed holds trees fitted without one fold each.
type crossed struct {
	training *training
	fold     []int             // of each sample
	trees    [][]*regtree.Tree // by fold and variant; nil where rows are too few
}

// fold fits, for each fold and variant, a tree on the samples of all other
// folds.
func (t *training) fold(ctx context.Context, fold []int, folds int, o FitOptions) (*crossed, error) {
	c := &crossed{training: t, fold: fold, trees: make([][]*regtree.Tree, folds)}
	for f := range c.trees {
		c.trees[f] = make([]*regtree.Tree, len(t.variants))
	}
	n := len(t.variants)
	err := each(ctx, folds*n, 0,
		func(i int) (*regtree.Tree, error) { return c.fit(i/n, i%n, o) },
		func(i int, tree *regtree.Tree) error { c.trees[i/n][i%n] = tree; return nil })
	return c, err
}

// fit grows a variant's tree without a fold and prunes it by cross-validation
// over families, so that no split stays that serves one family alone, to the
// smallest tree within one standard error of the best: a spurious split costs
// more between near ties than a missing one. Without
// enough rows, or with rows of a single family, there is no tree.
func (c *crossed) fit(without, v int, o FitOptions) (*regtree.Tree, error) {
	table := regtree.Table{Features: featureNames[:]}
	for i := range c.training.samples {
		s := &c.training.samples[i]
		if c.fold[i] == without || math.IsNaN(s.target[v]) {
			continue
		}
		table.X = append(table.X, s.x)
		table.Y = append(table.Y, s.target[v])
		table.Group = append(table.Group, s.family)
	}
	if len(table.X) < o.MinRows || len(slices.Compact(slices.Sorted(slices.Values(table.Group)))) < 2 {
		return nil, nil
	}
	tree, _, err := regtree.FitPruned(table, o.tree(), regtree.PruneOptions{ByGroup: true, OneStandardError: true})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.training.variants[v], err)
	}
	return tree, nil
}

// correction returns the leaf that sample i reaches in the tree fitted without
// its fold; the zero Leaf, no correction, where there is no tree.
func (c *crossed) correction(v, i int) regtree.Leaf {
	tree := c.trees[c.fold[i]][v]
	if tree == nil {
		return regtree.Leaf{}
	}
	return tree.Leaf(c.training.samples[i].x)
}

// spread returns the 5 % and the 95 % quantile.
func spread(values []float64) (low, high float64) {
	return sortedQuantile(values, 0.05), sortedQuantile(values, 0.95)
}

func sortedQuantile(values []float64, p float64) float64 {
	return quantile(slices.Sorted(slices.Values(values)), p)
}
