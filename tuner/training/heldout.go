package training

import (
	"context"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/model"
)

// heldOut holds out-of-fold predictions of samples under hyperparameters that were chosen
// without the fold.
type heldOut struct {
	outOfFold *predictions
	fold      []int               // of each sample
	settings  [][]hyperparameters // by fold and variant
}

// value returns the correction of a sample, ln(predicted/closed).
func (h *heldOut) value(v, i int) float64 {
	value, _ := h.correction(v, i)
	return value
}

// correction returns the value with the spread of the leaf's rows around it.
func (h *heldOut) correction(v, i int) (value, spread float64) {
	return h.outOfFold.correction(v, i, h.settings[h.fold[i]][v])
}

// familyOut returns the hyperparameters that choose best on families held out, and
// out-of-fold predictions of each family under hyperparameters chosen on the others. Where
// these choices do not lose significantly less than the closed forms alone, both are without
// corrections.
func (n *ensemble) familyOut(ctx context.Context) ([]hyperparameters, *heldOut, error) {
	folds := len(n.Families)
	fold := n.familyFolds()
	outOfFold, err := n.without(ctx, fold, folds)
	if err != nil {
		return nil, nil, err
	}
	chosen := make([][]hyperparameters, folds+1)
	err = parallel(ctx, folds+1, 0, func(f int) error {
		var samples []int
		for i := range n.Samples {
			if fold[i] != f {
				samples = append(samples, i)
			}
		}
		chosen[f] = n.searchSettings(outOfFold, samples)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	h := &heldOut{outOfFold: outOfFold, fold: fold, settings: chosen[:folds]}
	if !n.gains(h) {
		none := slices.Repeat(grid[:1], len(n.Variants))
		chosen = slices.Repeat([][]hyperparameters{none}, folds+1)
		h.settings = chosen[:folds]
	}
	return chosen[folds], h, nil
}

// gains reports whether choices by trees lose significantly less than those by the closed
// forms.
func (t *Training) gains(h *heldOut) bool {
	all := t.places(func(*Sample) bool { return true })
	trees, plain := t.Choices(all, h.value), t.Choices(all, func(v, i int) float64 { return 0 })
	gain := make([]float64, len(all))
	for j := range all {
		gain[j] = plain[j].LogLoss - trees[j].LogLoss
	}
	mean, deviation := t.overFamilies(gain, t.familyFolds())
	return mean > significance*deviation
}

// sweepOut returns out-of-fold predictions, a fold being parameter sweeps.
func (n *ensemble) sweepOut(ctx context.Context, s []hyperparameters) (*heldOut, error) {
	fold := n.sweepFolds(n.options.Folds)
	outOfFold, err := n.without(ctx, fold, n.options.Folds)
	settings := slices.Repeat([][]hyperparameters{s}, n.options.Folds)
	return &heldOut{outOfFold: outOfFold, fold: fold, settings: settings}, err
}

// Part returns the training of some of the samples.
func (t *Training) Part(samples []int) *Training {
	part := *t
	part.Samples, part.Families = nil, nil
	for _, i := range samples {
		part.Samples = append(part.Samples, t.Samples[i])
		part.Families = append(part.Families, t.Samples[i].Family)
	}
	slices.Sort(part.Families)
	part.Families = slices.Compact(part.Families)
	return &part
}

// Trees returns the trees that Fit would put into a model, nil where rows are too few.
func (t *Training) Trees(ctx context.Context, o model.FitOptions) ([]*regtree.Tree, error) {
	n, err := t.ensemble(o.Normal())
	if err != nil {
		return nil, err
	}
	whole, err := n.whole(ctx)
	if err != nil {
		return nil, err
	}
	chosen, _, err := n.familyOut(ctx)
	if err != nil {
		return nil, err
	}
	trees := make([]*regtree.Tree, len(whole))
	for v, s := range chosen {
		if whole[v] == nil {
			continue
		}
		if trees[v], err = n.tree(v, whole[v], s); err != nil {
			return nil, err
		}
	}
	return trees, nil
}
