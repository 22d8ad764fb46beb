package training

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/model"
)

// alphas are the costs per leaf, in squared ln units, at which every tree is
// pruned [breiman84]; at the last only the root is left.
var alphas = [...]float64{0, 1e-5, 4e-5, 1.6e-4, 6.4e-4, 2.56e-3, 1.024e-2,
	model.MaxLogFactor * model.MaxLogFactor}

// pruned is one tree at each of the alphas; nil where rows are too few.
type pruned []*regtree.Tree

// ensemble grows trees on parts of a training's samples.
type ensemble struct {
	*Training
	options   model.FitOptions
	byVariant []variantRows     // by variant
	bags      []map[string]bool // the families of each bag
}

// variantRows is the table of one variant's trees.
type variantRows struct {
	sorted  *regtree.Sorted // nil without rows
	table   regtree.Table
	samples []int // by row of the table
}

func (t *Training) ensemble(o model.FitOptions) (*ensemble, error) {
	n := &ensemble{Training: t, options: o, byVariant: make([]variantRows, len(t.Variants)),
		bags: bags(t.Families, o.Bags)}
	for v := range t.Variants {
		p := &n.byVariant[v]
		p.samples = t.rowsOf(v)
		if len(p.samples) == 0 {
			continue
		}
		p.table = t.Table(v, p.samples)
		var err error
		if p.sorted, err = regtree.Sort(p.table); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Variants[v], err)
		}
	}
	return n, nil
}

// Table returns a variant's rows of some samples, with the targets
// ln(simulated/closed).
func (t *Training) Table(v int, samples []int) regtree.Table {
	table := regtree.Table{Features: model.FeatureNames[:]}
	for _, i := range samples {
		s := &t.Samples[i]
		table.X = append(table.X, s.Columns(v, make([]float64, 0, model.NumFeatures)))
		table.Y = append(table.Y, s.Target[v])
	}
	return table
}

// bags splits the families at random into two parts per pair of bags, so that trees agree on
// what no single family decides.
func bags(families []string, n int) []map[string]bool {
	list := make([]map[string]bool, n)
	order, r := slices.Clone(families), synth.NewRand(uint64(n))
	for b := range list {
		if b%2 == 0 && n > 1 {
			shuffle(r, order)
		}
		list[b] = map[string]bool{}
		for at, family := range order {
			list[b][family] = n == 1 || at%2 == b%2
		}
	}
	return list
}

// shuffle brings a list into an order that is drawn.
func shuffle[T any](r *synth.Rand, list []T) {
	for i := range list {
		j := i + int(r.Below(uint64(len(list)-i)))
		list[i], list[j] = list[j], list[i]
	}
}

// grow fits a variant's tree on the samples that keep accepts and prunes it at each alpha:
// one tree fitted to the mean of the bags' trees [breiman96], with the spread of the rows in
// its leaves. Without enough rows, or with one family, there is none.
func (n *ensemble) grow(v int, keep func(sample int) bool) (pruned, error) {
	p := &n.byVariant[v]
	kept := n.kept(p, keep)
	if len(kept.X) < n.options.MinRows || !n.mixed(p, keep) {
		return nil, nil
	}
	full, err := n.distilled(p, keep)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Variants[v], err)
	}
	list := make(pruned, len(alphas))
	for a, alpha := range alphas {
		cut, err := full.Prune(alpha)
		if err == nil {
			list[a], err = cut.Rescale(1, kept)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Variants[v], err)
		}
	}
	return list, nil
}

// kept returns the rows of a variant that keep accepts.
func (n *ensemble) kept(p *variantRows, keep func(sample int) bool) regtree.Table {
	table := regtree.Table{Features: p.table.Features}
	for row, i := range p.samples {
		if keep(i) {
			table.X, table.Y = append(table.X, p.table.X[row]), append(table.Y, p.table.Y[row])
		}
	}
	return table
}

// mixed reports whether the kept rows are of more than one family.
func (n *ensemble) mixed(p *variantRows, keep func(sample int) bool) bool {
	first := slices.IndexFunc(p.samples, keep)
	return first >= 0 && slices.ContainsFunc(p.samples, func(i int) bool {
		return keep(i) && n.Samples[i].Family != n.Samples[p.samples[first]].Family
	})
}

// distilled returns the tree fitted to the mean of the bags' trees.
func (n *ensemble) distilled(p *variantRows, keep func(sample int) bool) (*regtree.Tree, error) {
	mean := make([]float64, len(p.samples))
	grown := 0.0
	for _, bag := range n.bags {
		in := func(i int) bool { return keep(i) && bag[n.Samples[i].Family] }
		if !slices.ContainsFunc(p.samples, in) {
			continue
		}
		tree, err := p.sorted.Fit(func(row int) bool { return in(p.samples[row]) }, n.growth())
		if err != nil {
			return nil, err
		}
		grown++
		for row, x := range p.table.X {
			mean[row] += tree.Predict(x)
		}
	}
	for row := range mean {
		mean[row] /= grown
	}
	smooth, err := p.sorted.With(mean)
	if err != nil {
		return nil, err
	}
	return smooth.Fit(func(row int) bool { return keep(p.samples[row]) }, n.growth())
}

func (n *ensemble) growth() regtree.Options {
	return regtree.Options{MaxDepth: n.options.MaxDepth, MaxLeaves: n.options.MaxLeaves,
		MinLeaf: n.options.MinLeaf}
}

// without grows trees without each fold, and predicts the fold by them.
func (n *ensemble) without(ctx context.Context, fold []int, folds int) (*predictions, error) {
	outOfFold := n.newPredictions()
	variants := len(n.Variants)
	err := parallel(ctx, folds*variants, 0, func(i int) error {
		trees, err := n.grow(i%variants, func(s int) bool { return fold[s] != i/variants })
		n.predict(outOfFold, i%variants, trees, func(s int) bool { return fold[s] == i/variants })
		return err
	})
	return outOfFold, err
}

// whole grows the trees on all samples.
func (n *ensemble) whole(ctx context.Context) ([]pruned, error) {
	list := make([]pruned, len(n.Variants))
	err := parallel(ctx, len(list), 0, func(v int) (err error) {
		list[v], err = n.grow(v, func(int) bool { return true })
		return err
	})
	return list, err
}

// tree returns a variant's tree under hyperparameters.
func (n *ensemble) tree(v int, p pruned, s hyperparameters) (*regtree.Tree, error) {
	tree, err := p[s.alpha].Rescale(s.shrink, n.byVariant[v].table)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.Variants[v], err)
	}
	return tree, nil
}

// predictions holds out-of-fold predictions by variant, alpha and sample: a leaf's value and
// the spread of its rows.
type predictions struct{ value, spread [][][]float64 }

func (t *Training) newPredictions() *predictions {
	lists := func() [][][]float64 {
		all := make([][][]float64, len(t.Variants))
		for v := range all {
			all[v] = make([][]float64, len(alphas))
			for a := range all[v] {
				all[v][a] = make([]float64, len(t.Samples))
			}
		}
		return all
	}
	return &predictions{value: lists(), spread: lists()}
}

// predict lets a variant's trees predict the samples that ask accepts.
func (n *ensemble) predict(f *predictions, v int, trees pruned, ask func(sample int) bool) {
	if trees == nil {
		return
	}
	p := &n.byVariant[v]
	for row, i := range p.samples {
		if !ask(i) {
			continue
		}
		for a, tree := range trees {
			leaf := tree.Leaf(p.table.X[row])
			f.value[v][a][i], f.spread[v][a][i] = leaf.Value, leaf.StdDev
		}
	}
}

// correction returns the shrunk correction of a sample and the spread of the leaf's rows
// around it.
func (f *predictions) correction(v, i int, s hyperparameters) (value, spread float64) {
	full := f.value[v][s.alpha][i]
	return s.shrink * full, math.Hypot(f.spread[v][s.alpha][i], (1-s.shrink)*full)
}
