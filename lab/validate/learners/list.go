package learners

import (
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/training"
)

// Learners lists what is compared, the model's own first. References:
//
//	[egielski14] sections 3.3 and 4: a regression tree over three collision levels.
//	[breiman96]  L. Breiman. Bagging Predictors. Machine Learning 24, 1996.
//	[friedman01] J. Friedman. Greedy Function Approximation: A Gradient Boosting
//	             Machine. Annals of Statistics 29(5), 2001.
func Learners() []Learner {
	return []Learner{
		{Name: "closed forms", Fit: closedForms},
		{Name: "trees of the model", Fit: modelTrees},
		{Name: "cart: three collision levels, ln us", Fit: perVariant(lnUS, threeLevels, prunedTree)},
		{Name: "cart: all features, ln us", Fit: perVariant(lnUS, nil, prunedTree)},
		{Name: "cart: all features, ratio", Fit: perVariant(ratio, nil, prunedTree)},
		{Name: "linear: all features, ln us", Fit: perVariant(lnUS, nil, linear)},
		{Name: "linear: all features, ratio", Fit: perVariant(ratio, nil, linear)},
		{Name: "nearest neighbours, ratio", Fit: perVariant(ratio, nil, nearest)},
		{Name: "tree over the choice", Timeless: true, Fit: choiceTree},
		{Name: "bagged trees, ratio", Fit: perVariant(ratio, nil, bagged)},
		{Name: "boosted trees, ratio", Fit: perVariant(ratio, nil, boosted)},
		{Name: "golearn's cart, ratio", Subset: true, Fit: perVariant(ratio, nil, golearn)},
	}
}

// closedForms scores by the closed forms alone.
func closedForms(context.Context, *training.Training, uint64) (Scores, error) {
	return func(s *training.Sample) []float64 { return logs(s.Closed) }, nil
}

func logs(us []float64) []float64 {
	list := make([]float64, len(us))
	for i, v := range us {
		list[i] = math.Log(v)
	}
	return list
}

// modelTrees are the trees as a model gets them.
func modelTrees(ctx context.Context, t *training.Training, _ uint64) (Scores, error) {
	trees, err := t.Trees(ctx, model.FitOptions{})
	if err != nil {
		return nil, err
	}
	predictors := make([]predictor, len(trees))
	for v, tree := range trees {
		if tree != nil {
			predictors[v] = tree.Predict
		}
	}
	return ratio.scores(predictors, nil), nil
}

// goal is what a learner learns of each implementation: ln of its time, or of the ratio to its
// closed form.
type goal bool

const (
	lnUS  goal = false
	ratio goal = true
)

func (l goal) of(s *training.Sample, v int) float64 {
	if l == ratio {
		return s.Target[v]
	}
	return math.Log(s.Simulated[v])
}

// columns are the numbers in model.FeatureNames of those that a learner sees; nil
// means all.
type columns []int

var threeLevels = columns{
	slices.Index(model.FeatureNames[:], "warp_level"),
	slices.Index(model.FeatureNames[:], "block_level"),
	slices.Index(model.FeatureNames[:], "log2_all_level"),
}

// seen picks the columns of all.
func seen[T any](c columns, all []T) []T {
	if c == nil {
		return all
	}
	list := make([]T, len(c))
	for i, column := range c {
		list[i] = all[column]
	}
	return list
}

// predictor returns what was learnt for a row of columns.
type predictor func(x []float64) float64

// minRows is the number of rows from which on an implementation is learnt.
const minRows = 20

// perVariant learns each implementation for itself; with too few rows it keeps
// the closed form.
func perVariant(
	l goal, c columns, fit func(t regtree.Table, seed uint64) (predictor, error),
) func(context.Context, *training.Training, uint64) (Scores, error) {
	return func(ctx context.Context, t *training.Training, seed uint64) (Scores, error) {
		predictors := make([]predictor, len(t.Variants))
		for v := range t.Variants {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			table := regtree.Table{Features: seen(c, model.FeatureNames[:])}
			for i := range t.Samples {
				if s := &t.Samples[i]; s.Has(v) {
					table.X = append(table.X, seen(c, s.Columns(v, nil)))
					table.Y = append(table.Y, l.of(s, v))
				}
			}
			if len(table.X) < minRows {
				continue
			}
			var err error
			if predictors[v], err = fit(table, seed); err != nil {
				return nil, err
			}
		}
		return l.scores(predictors, c), nil
	}
}

func (l goal) scores(predictors []predictor, c columns) Scores {
	return func(s *training.Sample) []float64 {
		list := logs(s.Closed)
		for v, predict := range predictors {
			if predict == nil || !s.Has(v) {
				continue
			}
			value := predict(seen(c, s.Columns(v, nil)))
			if l == ratio {
				value += list[v]
			}
			list[v] = value
		}
		return list
	}
}
