package regtree_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/atomtune/atomtune/regtree"
)

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
