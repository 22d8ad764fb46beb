package regtree_test

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

// without copies the rows of t that are not of the given fold.
func without(t table, fold []int, held int) table {
	kept := table{}
	for i := range t.X {
		if fold[i] != held {
			kept.X = append(kept.X, t.X[i])
			kept.Y = append(kept.Y, t.Y[i])
		}
	}
	return kept
}

// TestSortedFitsParts: a fit on part of a sorted table is the fit on a table of
// that part.
func TestSortedFitsParts(t *testing.T) {
	data := smooth(300, 4, 5)
	fold := make([]int, len(data.X))
	for i := range fold {
		fold[i] = i % 4
	}
	sorted := regtree.Sort(data.X, data.Y)
	o := regtree.Options{MaxLeaves: 32, MinLeaf: 3}
	for held := range 4 {
		tree, err := sorted.Fit(func(row int) bool { return fold[row] != held }, o)
		if err != nil {
			t.Fatal(err)
		}
		want := mustFit(t, without(data, fold, held), o)
		if leaves(tree) < 8 {
			t.Errorf("%d leaves", leaves(tree))
		}
		for i, x := range data.X {
			if got, exp := tree.Predict(x)[0], want.Predict(x)[0]; math.Abs(got-exp) > 1e-12 {
				t.Fatalf("without fold %d, row %d: %v, want %v", held, i, got, exp)
			}
		}
	}
}

// joint sorts a table with several targets: the square, the negative, and noise of the first.
func joint(t *testing.T, data table) (*regtree.Sorted, [][]float64) {
	t.Helper()
	targets := make([][]float64, 3)
	for i, y := range data.Y {
		targets[0] = append(targets[0], y)
		targets[1] = append(targets[1], data.X[i][0]*data.X[i][1]/16)
		targets[2] = append(targets[2], math.Mod(y*1e3, 3))
	}
	return regtree.Sort(data.X, targets...), targets
}

// TestJointRoot: the root's split is, of all, the one that lowers the errors of all targets most.
func TestJointRoot(t *testing.T) {
	data := smooth(60, 3, 4)
	s, targets := joint(t, data)
	tree, err := s.Fit(everyRow, regtree.Options{MaxLeaves: 2, MinLeaf: 5})
	if err != nil {
		t.Fatal(err)
	}
	squares := func(side func(row int) bool) (sum float64, rows int) {
		for _, y := range targets {
			mean := 0.0
			rows = 0
			for i := range y {
				if side(i) {
					mean += y[i]
					rows++
				}
			}
			mean /= float64(rows)
			for i := range y {
				if side(i) {
					sum += (y[i] - mean) * (y[i] - mean)
				}
			}
		}
		return sum, rows
	}
	root := tree[0]
	after := func(feature int, threshold float64) (float64, bool) {
		left, l := squares(func(row int) bool { return data.X[row][feature] < threshold })
		right, r := squares(func(row int) bool { return data.X[row][feature] >= threshold })
		return left + right, l >= 5 && r >= 5
	}
	least, _ := after(root.Feature, root.Threshold)
	tried := 0
	for feature := range data.X[0] {
		for _, x := range data.X {
			if sum, fits := after(feature, x[feature]); fits {
				if tried++; sum < least*(1-1e-9) {
					t.Errorf("feature %d below %v leaves %v, the root's leaves %v", feature, x[feature],
						sum, least)
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("%d splits were tried", tried)
	}
}

// TestJointMeans: the leaves predict the means of each target.
func TestJointMeans(t *testing.T) {
	data := smooth(300, 2, 6)
	s, targets := joint(t, data)
	tree, err := s.Fit(everyRow, regtree.Options{MaxLeaves: 20, MinLeaf: 4})
	if err != nil || leaves(tree) != 20 {
		t.Fatalf("%d leaves, %v", leaves(tree), err)
	}
	for k, y := range targets {
		sum, count := map[int]float64{}, map[int]float64{}
		for i, x := range data.X {
			at := tree.Find(x)
			sum[at] += y[i]
			count[at]++
		}
		for at, total := range sum {
			if got := tree[at].Values[k]; math.Abs(got-total/count[at]) > 1e-9 {
				t.Errorf("target %d, leaf %d: %v, want %v", k, at, got, total/count[at])
			}
		}
	}
}

// TestUnknownTargets: what is not known takes no part in splits and means, and where too few rows of a leaf
// know a target the leaf predicts what the node above it does.
func TestUnknownTargets(t *testing.T) {
	nan, all := math.NaN(), make([][]float64, 40)
	whole, holes, half, none := make([]float64, 40), make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range all {
		all[i] = []float64{float64(i)}
		if i >= 20 {
			whole[i] = 10
		}
		holes[i], half[i], none[i] = whole[i], nan, nan
		if i%3 == 0 {
			holes[i] = nan
		}
		if i < 20 {
			half[i] = 2
		}
		if i >= 20 && i < 23 { // of the right half three rows
			half[i] = 4
		}
	}
	tree, err := regtree.Sort(all, whole, holes, half, none).Fit(everyRow, regtree.Options{MaxLeaves: 2, MinLeaf: 4})
	if err != nil {
		t.Fatal(err)
	}
	above := (20.0*2 + 3*4) / 23
	for target, want := range [][2]float64{{0, 10}, {0, 10}, {2, above}, {0, 0}} {
		for side, x := range []float64{3, 35} {
			if got := tree.Predict([]float64{x})[target]; math.Abs(got-want[side]) > 1e-12 {
				t.Errorf("target %d at %v: %v, want %v", target, x, got, want[side])
			}
		}
	}
	// A target with holes is split as though the rows without it were not there.
	alone := mustFit(t, table{all, holes}, regtree.Options{MaxLeaves: 2})
	if root := alone[0]; root.Feature != 0 || root.Threshold < 19 || root.Threshold > 21 {
		t.Errorf("the root compares %+v", root)
	}
}
