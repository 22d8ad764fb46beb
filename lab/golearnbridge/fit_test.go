package golearnbridge

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/atomtune/atomtune/regtree"
)

// grid writes a table into golearn's form, the target as class attribute.
func grid(t testing.TB, table regtree.Table) *base.DenseInstances {
	t.Helper()
	g := base.NewDenseInstances()
	specs := make([]base.AttributeSpec, len(table.Features))
	for j, name := range table.Features {
		specs[j] = g.AddAttribute(base.NewFloatAttribute(name))
	}
	target := base.NewFloatAttribute("target")
	targetSpec := g.AddAttribute(target)
	if err := g.AddClassAttribute(target); err != nil {
		t.Fatal(err)
	}
	if err := g.Extend(len(table.X)); err != nil {
		t.Fatal(err)
	}
	for i, row := range table.X {
		for j, v := range row {
			g.Set(specs[j], i, base.PackFloatToBytes(v))
		}
		g.Set(targetSpec, i, base.PackFloatToBytes(table.Y[i]))
	}
	return g
}

func ordinary(rows int, seed uint64) regtree.Table {
	r := rand.New(rand.NewPCG(seed, 0))
	t := regtree.Table{Features: []string{"warp", "block", "all"}}
	for range rows {
		x := []float64{r.Float64() * 32, r.Float64() * 256, r.Float64() * 1000}
		t.X = append(t.X, x)
		t.Y = append(t.Y, math.Sqrt(x[0])+x[1]/200+r.NormFloat64()/10)
	}
	return t
}

// trained fits golearn's regressor, on mean squared error.
func trained(t testing.TB, table regtree.Table, depth int64) *trees.CARTDecisionTreeRegressor {
	t.Helper()
	c := trees.NewDecisionTreeRegressor(trees.MSE, depth)
	if err := c.Fit(grid(t, table)); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestFit: the tree is golearn's own, of the table's rows.
func TestFit(t *testing.T) {
	for depth := 1; depth <= 7; depth++ {
		table, fresh := ordinary(120, 3), ordinary(120, 4)
		tree, err := Fit(table, depth)
		if err != nil {
			t.Fatal(err)
		}
		if deepest := depthOf(tree.Nodes(), 0); deepest != depth {
			t.Errorf("depth %d, golearn %d", deepest, depth)
		}
		for i, want := range trained(t, table, int64(depth)).Predict(grid(t, fresh)) {
			if have := tree.Predict(fresh.X[i]); math.Abs(have-want) > 1e-12 {
				t.Errorf("depth %d, row %d: %v, golearn %v", depth, i, have, want)
			}
		}
		if n := tree.Nodes()[0].Leaf.Count; n != len(table.X) {
			t.Errorf("the root holds %d rows of %d", n, len(table.X))
		}
	}
}

// depthOf returns the number of comparisons on the longest path below a node.
func depthOf(nodes []regtree.Node, at int) int {
	if n := nodes[at]; n.Feature >= 0 {
		return 1 + max(depthOf(nodes, n.Left), depthOf(nodes, n.Right))
	}
	return 0
}

// Where no split helps, golearn predicts 0 for rows right of a comparison that
// it never made; regtree and a converted tree predict the mean.
func TestMeanWhereGolearnPredictsZero(t *testing.T) {
	constant := ordinary(8, 1)
	for i := range constant.Y {
		constant.Y[i] = 5
	}
	xor := regtree.Table{
		Features: []string{"a", "b"},
		X:        [][]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}},
		Y:        []float64{3, 7, 7, 3},
	}
	for name, c := range map[string]struct {
		table regtree.Table
		depth int64
		fit   regtree.Options
	}{
		"constant": {constant, 3, regtree.Options{MaxDepth: 3}}, "xor": {xor, 3, regtree.Options{MaxDepth: 3}},
		"depth 0": {xor, 0, regtree.Options{MaxLeaves: 1}},
	} {
		foreign := trained(t, c.table, c.depth)
		tree, err := fromTree(foreign, c.table)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ours, err := regtree.Fit(c.table, c.fit)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, zero := range foreign.Predict(grid(t, c.table)) {
			x := c.table.X[i]
			if zero != 0 || ours.Predict(x) != 5 || tree.Predict(x) != 5 {
				t.Errorf("%s: golearn predicts %v, fitted %v, converted %v", name, zero, ours.Predict(x),
					tree.Predict(x))
			}
		}
	}
}

func TestFromTreeRefusesOtherTables(t *testing.T) {
	table := ordinary(100, 1)
	foreign, narrow := trained(t, table, 4), regtree.Table{Features: []string{"warp"}, Y: table.Y}
	for _, x := range table.X {
		narrow.X = append(narrow.X, x[:1])
	}
	for name, err := range map[string]error{
		"other rows": second(fromTree(foreign, ordinary(100, 2))), "fewer features": second(fromTree(foreign, narrow)),
		"untrained": second(fromTree(trees.NewDecisionTreeRegressor(trees.MSE, 3), table)),
	} {
		if !errors.Is(err, ErrForeign) {
			t.Errorf("%s: error %v, want ErrForeign", name, err)
		}
	}
	if _, err := Fit(regtree.Table{}, 4); !errors.Is(err, regtree.ErrEmpty) {
		t.Errorf("empty table: error %v", err)
	}
}

func second(_ *regtree.Tree, err error) error { return err }
