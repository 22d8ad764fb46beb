package regtree_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/regtree"
	"pgregory.net/rapid"
)

// plain is CART by exhaustion: every threshold of every feature, each judged
// by two passes over the rows. It is the slow oracle of Fit.
type plain struct {
	t table
	o regtree.Options
}

type plainNode struct {
	feature     int // -1 in a leaf
	threshold   float64
	value       float64
	left, right *plainNode
}

func plainFit(t table, o regtree.Options) *plainNode {
	p := plain{t: t, o: o}
	rows := make([]int, len(t.X))
	for i := range rows {
		rows[i] = i
	}
	return p.grow(rows)
}

func (p plain) meanAndError(rows []int) (mean, squares float64) {
	for _, r := range rows {
		mean += p.t.Y[r] / float64(len(rows))
	}
	for _, r := range rows {
		squares += (p.t.Y[r] - mean) * (p.t.Y[r] - mean)
	}
	return mean, squares
}

func (p plain) divide(rows []int, feature int, threshold float64) (left, right []int) {
	for _, r := range rows {
		if p.t.X[r][feature] < threshold {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

func (p plain) grow(rows []int) *plainNode {
	mean, squares := p.meanAndError(rows)
	n := &plainNode{feature: -1, value: mean}
	noise := 1e-12 * squares
	best := noise
	for feature := range p.t.X[0] {
		values := make([]float64, 0, len(rows))
		for _, r := range rows {
			values = append(values, p.t.X[r][feature])
		}
		slices.Sort(values)
		values = slices.Compact(values)
		for i := 1; i < len(values); i++ {
			threshold := (values[i-1] + values[i]) / 2
			left, right := p.divide(rows, feature, threshold)
			if min(len(left), len(right)) < max(1, p.o.MinLeaf) {
				continue
			}
			_, l := p.meanAndError(left)
			_, r := p.meanAndError(right)
			margin := 0.0
			if n.feature >= 0 {
				margin = noise
			}
			if gain := squares - l - r; gain > best+margin {
				best, n.feature, n.threshold = gain, feature, threshold
			}
		}
	}
	if n.feature >= 0 {
		left, right := p.divide(rows, n.feature, n.threshold)
		n.left, n.right = p.grow(left), p.grow(right)
	}
	return n
}

func (n *plainNode) compare(t rapid.TB, nodes regtree.Tree, at int) (checked int) {
	have := nodes[at]
	if have.Feature != n.feature || have.Threshold != n.threshold {
		t.Fatalf("node %d: feature %d < %v, reference feature %d < %v", at, have.Feature, have.Threshold, n.feature,
			n.threshold)
	}
	if n.feature >= 0 {
		return 1 + n.left.compare(t, nodes, at+1) + n.right.compare(t, nodes, have.Right)
	}
	if math.Abs(have.Values[0]-n.value) > 1e-9*(1+math.Abs(n.value)) {
		t.Fatalf("node %d: value %v, reference %v", at, have.Values[0], n.value)
	}
	return 1
}

// anyTable draws tables with many ties: few distinct feature values and
// integer targets.
func anyTable(t *rapid.T) table {
	rows := rapid.IntRange(1, 40).Draw(t, "rows")
	features := rapid.IntRange(1, 4).Draw(t, "features")
	levels := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "levels")
	table := table{}
	for range rows {
		x := make([]float64, features)
		for j := range x {
			x[j] = float64(rapid.IntRange(0, levels).Draw(t, "x"))
		}
		table.X = append(table.X, x)
		table.Y = append(table.Y, float64(rapid.IntRange(-9, 9).Draw(t, "y")))
	}
	return table
}

func anyOptions(t *rapid.T) regtree.Options {
	return regtree.Options{MaxLeaves: 100, MinLeaf: rapid.IntRange(0, 5).Draw(t, "minleaf")}
}

func TestFitAgreesWithExhaustiveSearch(t *testing.T) {
	nodes := 0
	rapid.Check(t, func(t *rapid.T) {
		table, options := anyTable(t), anyOptions(t)
		before := clone(table)
		nodes += plainFit(table, options).compare(t, mustFit(t, table, options), 0)
		if !slices.Equal(before.Y, table.Y) || !slices.EqualFunc(before.X, table.X, slices.Equal[[]float64]) {
			t.Fatal("Fit changed its input")
		}
	})
	if nodes < 20 {
		t.Errorf("compared %d nodes", nodes)
	}
}

// smooth returns rows of uniform features and a curved target with noise, as
// speedups over collision levels look.
func smooth(rows, features int, seed uint64) table {
	r := rand.New(rand.NewPCG(seed, 0))
	t := table{}
	for range rows {
		x := make([]float64, features)
		for j := range x {
			x[j] = r.Float64() * 32
		}
		y := math.Sqrt(x[0]) + math.Sin(x[features-1]/4) + 0.1*r.NormFloat64()
		t.X = append(t.X, x)
		t.Y = append(t.Y, y)
	}
	return t
}

// line is a table of one feature.
func line(x, y []float64) table {
	t := table{Y: y}
	for _, v := range x {
		t.X = append(t.X, []float64{v})
	}
	return t
}

// clone copies a table in depth.
func clone(t table) table {
	c := table{Y: slices.Clone(t.Y)}
	for _, row := range t.X {
		c.X = append(c.X, slices.Clone(row))
	}
	return c
}
