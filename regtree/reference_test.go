package regtree_test

import (
	"fmt"
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
	t regtree.Table
	o regtree.Options
}

type plainNode struct {
	feature     int // -1 in a leaf
	threshold   float64
	value       float64
	rows        int
	left, right *plainNode
}

func plainFit(t regtree.Table, o regtree.Options) *plainNode {
	p := plain{t: t, o: o}
	rows := make([]int, len(t.X))
	for i := range rows {
		rows[i] = i
	}
	return p.grow(rows, 0)
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

func (p plain) grow(rows []int, depth int) *plainNode {
	mean, squares := p.meanAndError(rows)
	n := &plainNode{feature: -1, value: mean, rows: len(rows)}
	if p.o.MaxDepth > 0 && depth == p.o.MaxDepth {
		return n
	}
	noise := 1e-12 * squares
	best := noise
	for feature := range p.t.Features {
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
		n.left, n.right = p.grow(left, depth+1), p.grow(right, depth+1)
	}
	return n
}

func (n *plainNode) compare(t rapid.TB, nodes []regtree.Node, at int) (checked int) {
	have := nodes[at]
	if have.Feature != n.feature || have.Leaf.Count != n.rows {
		t.Fatalf("node %d: feature %d over %d rows, reference feature %d over %d rows",
			at, have.Feature, have.Leaf.Count, n.feature, n.rows)
	}
	if math.Abs(have.Leaf.Value-n.value) > 1e-9*(1+math.Abs(n.value)) {
		t.Fatalf("node %d: value %v, reference %v", at, have.Leaf.Value, n.value)
	}
	if n.feature < 0 {
		return 1
	}
	if have.Threshold != n.threshold {
		t.Fatalf("node %d: threshold %v, reference %v", at, have.Threshold, n.threshold)
	}
	return 1 + n.left.compare(t, nodes, have.Left) + n.right.compare(t, nodes, have.Right)
}

// anyTable draws tables with many ties: few distinct feature values and
// integer targets.
func anyTable(t *rapid.T) regtree.Table {
	rows := rapid.IntRange(1, 40).Draw(t, "rows")
	features := rapid.IntRange(1, 4).Draw(t, "features")
	levels := rapid.SampledFrom([]int{2, 5, 1000}).Draw(t, "levels")
	table := regtree.Table{Features: names(features)}
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
	return regtree.Options{
		MaxDepth: rapid.IntRange(0, 6).Draw(t, "depth"),
		MinLeaf:  rapid.IntRange(0, 5).Draw(t, "minleaf"),
	}
}

func TestFitAgreesWithExhaustiveSearch(t *testing.T) {
	nodes := 0
	rapid.Check(t, func(t *rapid.T) {
		table, options := anyTable(t), anyOptions(t)
		before := clone(table)
		tree, err := regtree.Fit(table, options)
		if err != nil {
			t.Fatal(err)
		}
		nodes += plainFit(table, options).compare(t, tree.Nodes(), 0)
		if !equalTables(before, table) {
			t.Fatal("Fit changed its input")
		}
		for i, x := range table.X {
			l := tree.Leaf(x)
			if y := table.Y[i]; y < l.Min || y > l.Max || l.Value != tree.Predict(x) {
				t.Fatalf("row %d: target %v outside its leaf %+v", i, y, l)
			}
		}
	})
	if nodes < 20 {
		t.Errorf("compared %d nodes", nodes)
	}
}

func equalTables(a, b regtree.Table) bool {
	return slices.Equal(a.Features, b.Features) && slices.Equal(a.Y, b.Y) &&
		slices.EqualFunc(a.X, b.X, slices.Equal[[]float64])
}

// smooth returns rows of uniform features and a curved target with noise, as
// speedups over collision levels look.
func smooth(rows, features int, seed uint64) regtree.Table {
	r := rand.New(rand.NewPCG(seed, 0))
	t := regtree.Table{Features: names(features)}
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

func names(features int) []string {
	n := make([]string, features)
	for j := range n {
		n[j] = fmt.Sprintf("f%d", j)
	}
	return n
}

// table builds a table of one feature.
func table(x, y []float64) regtree.Table {
	t := regtree.Table{Features: []string{"x"}, Y: y}
	for _, v := range x {
		t.X = append(t.X, []float64{v})
	}
	return t
}

// clone copies a table in depth.
func clone(t regtree.Table) regtree.Table {
	c := t
	c.Features = append([]string(nil), t.Features...)
	c.X = nil
	for _, row := range t.X {
		c.X = append(c.X, append([]float64(nil), row...))
	}
	c.Y = append([]float64(nil), t.Y...)
	return c
}

// depth returns the number of comparisons on the longest path below a node.
func depth(nodes []regtree.Node, at int) int {
	if n := nodes[at]; n.Feature >= 0 {
		return 1 + max(depth(nodes, n.Left), depth(nodes, n.Right))
	}
	return 0
}
