package golearnbridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

// drawn is a table of few rows, whose columns are often constant, alike, or of values that occur
// several times.
func drawn(r *rand.Rand) regtree.Table {
	n, columns := 1+r.IntN(60), 1+r.IntN(4)
	t := regtree.Table{X: make([][]float64, n), Y: make([]float64, n)}
	values := []func() float64{
		func() float64 { return r.NormFloat64() * 1000 },
		func() float64 { return float64(r.IntN(5) - 2) },
		func() float64 { return 7 },
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return float64(r.IntN(20)) / 8 },
		func() float64 { return math.Exp(20 * r.NormFloat64()) },
	}
	for j := range columns {
		t.Features = append(t.Features, fmt.Sprintf("x%d", j))
		value := values[r.IntN(len(values))]
		alike := j > 0 && r.IntN(4) == 0
		for i := range t.X {
			if t.X[i] = append(t.X[i], value()); alike {
				t.X[i][j] = -t.X[i][j-1]
			}
		}
	}
	target := values[r.IntN(5)]
	for i := range t.Y {
		if t.Y[i] = target(); i > 0 && r.IntN(5) == 0 { // the same row, of another target perhaps
			t.X[i] = t.X[i-1]
		}
	}
	return t
}

// pairOfTrees are two trees of one table.
type pairOfTrees struct {
	table        regtree.Table
	ours, theirs []regtree.Node
	alike, tied  int // nodes at which they divide the rows alike, and otherwise but as well
}

// squares is the squared error of the rows about their mean.
func (p *pairOfTrees) squares(rows []int) (sum float64) {
	mean := 0.0
	for _, r := range rows {
		mean += p.table.Y[r] / float64(len(rows))
	}
	for _, r := range rows {
		sum += (p.table.Y[r] - mean) * (p.table.Y[r] - mean)
	}
	return sum
}

// parts are the rows below a node's threshold, and the others; all stay in a leaf.
func (p *pairOfTrees) parts(n regtree.Node, rows []int) (left, right []int) {
	for _, r := range rows {
		if n.Feature < 0 || p.table.X[r][n.Feature] < n.Threshold {
			left = append(left, r)
		} else {
			right = append(right, r)
		}
	}
	return left, right
}

// compare walks both trees from two nodes that hold the same rows, down to where they differ.
func (p *pairOfTrees) compare(rows []int, at, there int) error {
	a, b := p.ours[at], p.theirs[there]
	left, right := p.parts(a, rows)
	otherLeft, otherRight := p.parts(b, rows)
	near := 1e-9 * (p.squares(rows) + 1e-300)
	own := p.squares(left) + p.squares(right)
	other := p.squares(otherLeft) + p.squares(otherRight)
	switch {
	case math.Abs(own-other) > near:
		return fmt.Errorf("%d rows: a squared error of %v behind feature %d < %v, golearn %v behind feature %d < %v",
			len(rows), own, a.Feature, a.Threshold, other, b.Feature, b.Threshold)
	case a.Feature < 0 && b.Feature < 0:
		if math.Abs(a.Leaf.Value-b.Leaf.Value) > 1e-9*(1+math.Abs(b.Leaf.Value)) || a.Leaf.Count != b.Leaf.Count {
			return fmt.Errorf("a leaf %+v, golearn %+v", a.Leaf, b.Leaf)
		}
		p.alike++
		return nil
	case a.Feature != b.Feature || a.Threshold != b.Threshold:
		p.tied++ // what is below has other rows
		return nil
	}
	p.alike++
	if err := p.compare(left, a.Left, b.Left); err != nil {
		return err
	}
	return p.compare(right, a.Right, b.Right)
}

// TestRandomTables: on 1,000 small tables with ties of all kinds the two divide the rows of each node
// alike, or lower the squared error as much. Where no split helps, both are leaves.
func TestRandomTables(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	alike, tied, leaves := 0, 0, 0
	for k := range 1000 {
		table, depth := drawn(r), 1+r.IntN(5)
		theirs, err := Fit(table, depth)
		if err != nil {
			t.Fatalf("table %d: %v", k, err)
		}
		ours, err := regtree.Fit(table, regtree.Options{MaxDepth: depth})
		if err != nil {
			t.Fatalf("table %d: %v", k, err)
		}
		rows := make([]int, len(table.Y))
		for i := range rows {
			rows[i] = i
		}
		p := &pairOfTrees{table: table, ours: ours.Nodes(), theirs: theirs.Nodes()}
		if err := p.compare(rows, 0, 0); err != nil {
			t.Fatalf("table %d, depth %d: %v\n%+v", k, depth, err, table)
		}
		alike, tied = alike+p.alike, tied+p.tied
		if len(p.ours) == 1 {
			leaves++
		}
	}
	if alike < 5_000 || tied > alike/5 || leaves < 50 {
		t.Errorf("%d nodes are alike, %d as good, %d trees are leaves", alike, tied, leaves)
	}
}
