package training

import (
	"context"
	"fmt"
	"slices"
	"sync"

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
	byVariant []variantRows
	family    []int    // of each sample, by number
	bags      [][]bool // whether a bag has a family
}

// variantRows is the table of one variant's trees.
type variantRows struct {
	samples []int // by row of the table
	table   regtree.Table
	sorted  *regtree.Sorted // nil without rows
	// bags are what each bag's tree of all of its families says of all rows. It is grown at the
	// first call: trees without a family that a bag does not have share it.
	bags []func() ([]float64, error)
}

func (t *Training) ensemble(o model.FitOptions) (*ensemble, error) {
	n := &ensemble{Training: t, options: o, byVariant: make([]variantRows, len(t.Variants)),
		family: t.familyFolds(), bags: bags(len(t.Families), o.Bags)}
	for v := range t.Variants {
		p := &n.byVariant[v]
		p.table.Features = model.FeatureNames[:]
		for i := range t.Samples {
			if s := &t.Samples[i]; s.Has(v) {
				p.samples = append(p.samples, i)
				p.table.X = append(p.table.X, s.Columns(v, make([]float64, 0, model.NumFeatures)))
				p.table.Y = append(p.table.Y, s.Target[v])
			}
		}
		if len(p.samples) == 0 {
			continue
		}
		var err error
		if p.sorted, err = regtree.Sort(p.table); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Variants[v], err)
		}
		for _, bag := range n.bags {
			p.bags = append(p.bags, sync.OnceValues(func() ([]float64, error) {
				return n.predictions(p, func(i int) bool { return bag[n.family[i]] })
			}))
		}
	}
	return n, nil
}

// bags splits the families at random into two parts per pair of bags, so that trees agree on
// what no single family decides.
func bags(families, n int) [][]bool {
	list := make([][]bool, n)
	order, r := make([]int, families), synth.NewRand(uint64(n))
	for f := range order {
		order[f] = f
	}
	for b := range list {
		if b%2 == 0 && n > 1 {
			shuffle(r, order)
		}
		list[b] = make([]bool, families)
		for at, f := range order {
			list[b][f] = n == 1 || at%2 == b%2
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
	kept, families := regtree.Table{Features: p.table.Features}, map[int]bool{}
	for row, i := range p.samples {
		if keep(i) {
			kept.X, kept.Y = append(kept.X, p.table.X[row]), append(kept.Y, p.table.Y[row])
			families[n.family[i]] = true
		}
	}
	if len(kept.X) < n.options.MinRows || len(families) < 2 {
		return nil, nil
	}
	full, err := n.distilled(p, keep)
	if err != nil {
		return nil, err
	}
	list := make(pruned, len(alphas))
	for a, alpha := range alphas {
		cut, err := full.Prune(alpha)
		if err == nil {
			list[a], err = cut.Rescale(1, kept)
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// distilled returns the tree fitted to the mean of the bags' trees.
func (n *ensemble) distilled(p *variantRows, keep func(sample int) bool) (*regtree.Tree, error) {
	mean, grown := make([]float64, len(p.samples)), 0.0
	for b, bag := range n.bags {
		in := func(i int) bool { return keep(i) && bag[n.family[i]] }
		if !slices.ContainsFunc(p.samples, in) {
			continue
		}
		predictions := p.bags[b]
		if slices.ContainsFunc(p.samples, func(i int) bool { return bag[n.family[i]] && !keep(i) }) {
			predictions = func() ([]float64, error) { return n.predictions(p, in) }
		}
		values, err := predictions()
		if err != nil {
			return nil, err
		}
		grown++
		for row, value := range values {
			mean[row] += value
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

// predictions returns what the tree of the samples that keep accepts says of all rows.
func (n *ensemble) predictions(p *variantRows, keep func(sample int) bool) ([]float64, error) {
	tree, err := p.sorted.Fit(func(row int) bool { return keep(p.samples[row]) }, n.growth())
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(p.table.X))
	tree.PredictAll(p.table.X, values)
	return values, nil
}

func (n *ensemble) growth() regtree.Options {
	return regtree.Options{MaxDepth: n.options.MaxDepth, MaxLeaves: n.options.MaxLeaves,
		MinLeaf: n.options.MinLeaf}
}

// final grows the trees on all samples under the hyperparameters that familyOut chooses; nil
// where rows are too few.
func (n *ensemble) final(ctx context.Context) (trees []*regtree.Tree, chosen []hyperparameters,
	familyOut *heldOut, err error) {
	if chosen, familyOut, err = n.familyOut(ctx); err != nil {
		return nil, nil, nil, err
	}
	trees = make([]*regtree.Tree, len(n.Variants))
	err = Parallel(ctx, len(trees), 0, func(v int) (err error) {
		defer wrap(n.Variants[v].String(), &err)
		list, err := n.grow(v, func(int) bool { return true })
		if list != nil {
			s := chosen[v]
			trees[v], err = list[s.alpha].Rescale(s.shrink, n.byVariant[v].table)
		}
		return err
	})
	return trees, chosen, familyOut, err
}

// Trees returns the trees that Fit would put into a model, nil where rows are too few.
func (t *Training) Trees(ctx context.Context, o model.FitOptions) ([]*regtree.Tree, error) {
	n, err := t.ensemble(o.Normal())
	if err != nil {
		return nil, err
	}
	trees, _, _, err := n.final(ctx)
	return trees, err
}

// FamilyOut returns ln(predicted/closed) of each variant on each sample, by trees that were
// grown without the sample's family, under hyperparameters that were chosen without it. It is
// 0 where Fit would put no tree into a model.
func (t *Training) FamilyOut(ctx context.Context, o model.FitOptions) ([][]float64, error) {
	n, err := t.ensemble(o.Normal())
	if err != nil {
		return nil, err
	}
	_, h, err := n.familyOut(ctx)
	if err != nil {
		return nil, err
	}
	values := make([][]float64, len(t.Variants))
	for v := range values {
		for i := range t.Samples {
			values[v] = append(values[v], h.value(v, i))
		}
	}
	return values, nil
}
