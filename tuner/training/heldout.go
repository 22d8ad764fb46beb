package training

import (
	"context"
	"slices"

	"github.com/atomtune/atomtune/internal/portable"
)

// heldOut holds what trees say of the samples that they have not seen.
type heldOut struct {
	fold   []int                 // of each sample
	leaves [][len(alphas)][]leaf // by variant, alpha and sample
	chosen [][]hyperparameters   // by fold and variant, without the samples of the fold
}

// leaf is the value of a tree's leaf and the spread of its rows.
type leaf struct{ value, spread float64 }

func (t *Training) newHeldOut(fold []int) *heldOut {
	h := &heldOut{fold: fold, leaves: make([][len(alphas)][]leaf, len(t.Variants))}
	for v := range h.leaves {
		for a := range alphas {
			h.leaves[v][a] = make([]leaf, len(fold))
		}
	}
	return h
}

// value returns the correction of a sample, ln(predicted/closed).
func (h *heldOut) value(v, i int) float64 {
	value, _ := h.correction(v, i)
	return value
}

// correction returns the shrunk correction of a sample and the spread of the leaf's rows
// around it.
func (h *heldOut) correction(v, i int) (value, spread float64) {
	s := h.chosen[h.fold[i]][v]
	l := h.leaves[v][s.alpha][i]
	return s.shrink * l.value, portable.Hypot(l.spread, (1-s.shrink)*l.value)
}

// without grows trees without each fold, and lets them predict the fold.
func (n *ensemble) without(ctx context.Context, fold []int, folds int) (*heldOut, error) {
	h, variants := n.newHeldOut(fold), len(n.Variants)
	err := Parallel(ctx, folds*variants, 0, func(i int) (err error) {
		v, f := i%variants, i/variants
		defer wrap(n.Variants[v].String(), &err)
		trees, err := n.grow(v, func(s int) bool { return fold[s] != f })
		p := &n.byVariant[v]
		for a, tree := range trees {
			for row, s := range p.samples {
				if fold[s] == f {
					at := tree.Leaf(p.table.X[row])
					h.leaves[v][a][s] = leaf{at.Value, at.StdDev}
				}
			}
		}
		return err
	})
	return h, err
}

// familyOut returns the hyperparameters that choose best on families held out, and
// out-of-fold predictions of each family under hyperparameters chosen on the others. Where
// these choices do not lose significantly less than the closed forms alone, both are without
// corrections. Where the largest loss of a choice is larger than that of the closed forms
// alone, the most complex trees allowed are left out, until it is not.
func (n *ensemble) familyOut(ctx context.Context) ([]hyperparameters, *heldOut, error) {
	h, err := n.without(ctx, n.family, len(n.Families))
	if err != nil {
		return nil, nil, err
	}
	for allowed := grid; ; {
		chosen, err := n.searchFolds(ctx, h, allowed)
		if err != nil || len(allowed) == 1 {
			return chosen, h, err
		}
		switch gains, worsens := n.compare(h); {
		case !gains:
			allowed = grid[:1]
		case worsens:
			allowed = allowed[:len(allowed)-len(shrinks)]
		default:
			return chosen, h, nil
		}
	}
}

// searchFolds chooses the hyperparameters of each fold, of those allowed, on the samples of
// the other folds, and returns those chosen on all samples.
func (n *ensemble) searchFolds(ctx context.Context, h *heldOut,
	allowed []hyperparameters) ([]hyperparameters, error) {
	folds := len(n.Families)
	chosen := make([][]hyperparameters, folds+1) // the last without no fold
	err := Parallel(ctx, folds+1, 0, func(f int) error {
		var samples []int
		for i := range n.Samples {
			if h.fold[i] != f {
				samples = append(samples, i)
			}
		}
		chosen[f] = n.searchSettings(h, samples, allowed)
		return nil
	})
	h.chosen = chosen[:folds]
	return chosen[folds], err
}

// compare reports whether choices by trees lose significantly less than those by the closed
// forms alone, and whether the choice that loses most loses more than theirs.
func (t *Training) compare(h *heldOut) (gains, worsens bool) {
	gain, trees := t.losses(all, t.corrected(uncorrected)), t.losses(all, t.corrected(h.value))
	worsens = slices.Max(trees) > slices.Max(gain)
	for j := range gain {
		gain[j] -= trees[j]
	}
	mean, deviation := t.overFamilies(gain, t.familyFolds())
	return mean > significance*deviation, worsens
}

// sweepOut returns out-of-fold predictions, a fold being parameter sweeps.
func (n *ensemble) sweepOut(ctx context.Context, s []hyperparameters) (*heldOut, error) {
	h, err := n.without(ctx, n.sweepFolds(n.options.Folds), n.options.Folds)
	h.chosen = slices.Repeat([][]hyperparameters{s}, n.options.Folds)
	return h, err
}
