package learners

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/lab/golearnbridge"
	"github.com/atomtune/atomtune/regtree"
)

// How the compared learners are set; none of it was searched for.
const (
	cartDepth, cartLeaf, cartFolds = 8, 5, 5
	neighbours                     = 5
	ridge                          = 1e-6 // of the rows, on standardised columns
	bags                           = 20
	boostRounds, boostDepth        = 50, 3
	boostRate                      = 0.1
)

var cartOptions = regtree.Options{MaxDepth: cartDepth, MinLeaf: cartLeaf}

// prunedTree is a CART tree pruned by cross-validation on its squared error.
func prunedTree(t regtree.Table, seed uint64) (predictor, error) {
	tree, _, err := fitPruned(t, cartOptions, cartFolds, seed)
	return predicted(tree, err)
}

// golearn is golearn's CART, as deep as the others. It takes time with the
// square of the rows.
func golearn(t regtree.Table, _ uint64) (predictor, error) {
	return predicted(golearnbridge.Fit(t, cartDepth))
}

func predicted(tree *regtree.Tree, err error) (predictor, error) { return tree.Predict, err }

// standardised returns what scales columns to mean 0 and standard deviation 1 over the rows;
// constant ones to 0.
func standardised(rows [][]float64) func(x []float64) []float64 {
	n := float64(len(rows))
	mean, inverse := make([]float64, len(rows[0])), make([]float64, len(rows[0]))
	for j := range mean {
		for _, x := range rows {
			mean[j] += x[j] / n
		}
		var squares float64
		for _, x := range rows {
			squares += float64((x[j] - mean[j]) * (x[j] - mean[j]))
		}
		if deviation := math.Sqrt(squares / n); deviation > 1e-12 {
			inverse[j] = 1 / deviation
		}
	}
	return func(x []float64) []float64 {
		z := make([]float64, len(x))
		for j, v := range x {
			z[j] = (v - mean[j]) * inverse[j]
		}
		return z
	}
}

// linear is least squares on standardised columns with a slight ridge, which
// keeps columns that depend on each other apart.
func linear(t regtree.Table, _ uint64) (predictor, error) {
	scaled := standardised(t.X)
	columns, n := len(t.X[0]), float64(len(t.X))
	mean := 0.0
	for _, y := range t.Y {
		mean += y / n
	}
	normal, right := mat.NewSymDense(columns, nil), mat.NewVecDense(columns, nil)
	for i, x := range t.X {
		z := mat.NewVecDense(columns, scaled(x))
		normal.SymRankOne(normal, 1, z)
		right.AddScaledVec(right, t.Y[i]-mean, z)
	}
	for j := range columns {
		normal.SetSym(j, j, normal.At(j, j)+ridge*n)
	}
	var factor mat.Cholesky
	if !factor.Factorize(normal) {
		return nil, mat.Condition(math.Inf(1))
	}
	weights := mat.NewVecDense(columns, nil)
	if err := factor.SolveVecTo(weights, right); err != nil {
		return nil, err
	}
	return func(x []float64) float64 {
		return mean + mat.Dot(weights, mat.NewVecDense(columns, scaled(x)))
	}, nil
}

// nearest is the mean of the nearest rows in standardised columns.
func nearest(t regtree.Table, _ uint64) (predictor, error) {
	scaled := standardised(t.X)
	rows := make([][]float64, len(t.X))
	for i, x := range t.X {
		rows[i] = scaled(x)
	}
	return func(x []float64) float64 {
		z := scaled(x)
		var near [neighbours]struct{ distance, y float64 }
		for i := range near {
			near[i].distance = math.Inf(1)
		}
		for i, row := range rows {
			var d float64
			for j, v := range row {
				d += (v - z[j]) * (v - z[j])
			}
			k := neighbours - 1
			if d >= near[k].distance {
				continue
			}
			for ; k > 0 && near[k-1].distance > d; k-- {
				near[k] = near[k-1]
			}
			near[k].distance, near[k].y = d, t.Y[i]
		}
		var sum float64
		for _, n := range near {
			sum += n.y
		}
		return sum / neighbours
	}, nil
}

// bagged is the mean of trees, each fitted on a drawn half of the rows [breiman96].
func bagged(t regtree.Table, seed uint64) (predictor, error) {
	sorted, err := regtree.Sort(t)
	if err != nil {
		return nil, err
	}
	r := synth.NewRand(seed)
	var trees []*regtree.Tree
	for range bags {
		keep := make([]bool, len(t.X))
		for i := range keep {
			keep[i] = r.Below(2) == 0
		}
		if !slices.Contains(keep, true) {
			keep[0] = true
		}
		tree, err := sorted.Fit(func(row int) bool { return keep[row] }, cartOptions)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	return sum(trees, 1.0/bags), nil
}

// boosted is a sum of small trees, each fitted to what the ones before it leave
// and taken at a part [friedman01].
func boosted(t regtree.Table, _ uint64) (predictor, error) {
	sorted, err := regtree.Sort(t)
	if err != nil {
		return nil, err
	}
	rest := slices.Clone(t.Y)
	var trees []*regtree.Tree
	for range boostRounds {
		now, err := sorted.With(rest)
		if err != nil {
			return nil, err
		}
		tree, err := now.Fit(func(int) bool { return true },
			regtree.Options{MaxDepth: boostDepth, MinLeaf: cartLeaf})
		if err != nil {
			return nil, err
		}
		for i, x := range t.X {
			rest[i] -= float64(boostRate * tree.Predict(x))
		}
		trees = append(trees, tree)
	}
	return sum(trees, boostRate), nil
}

func sum(trees []*regtree.Tree, factor float64) predictor {
	return func(x []float64) float64 {
		var s float64
		for _, t := range trees {
			s += float64(factor * t.Predict(x))
		}
		return s
	}
}
