package golearnbridge_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/atomtune/atomtune/lab/golearnbridge"
	"github.com/atomtune/atomtune/regtree"
	"github.com/google/go-cmp/cmp"
	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
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

func TestGridRoundTrip(t *testing.T) {
	table := ordinary(50, 1)
	have, err := golearnbridge.FromGrid(grid(t, table), golearnbridge.Columns{})
	if diff := cmp.Diff(table, have); err != nil || diff != "" {
		t.Errorf("error %v, table (-want +have):\n%s", err, diff)
	}
}

// golearn's CART is the oracle on ordinary data: same predictions on the
// training rows and on rows that neither has seen. Depth 4 keeps nodes large:
// in nodes of a few rows two features often divide the rows alike, and golearn
// lets rounding decide between them.
func TestFitAgreesWithGolearn(t *testing.T) {
	checked := 0
	for seed := range uint64(6) {
		for depth := 1; depth <= 4; depth++ {
			table, fresh := ordinary(400, seed), ordinary(400, seed+100)
			oracle := trained(t, table, int64(depth))
			ours, err := regtree.Fit(table, regtree.Options{MaxDepth: depth})
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range []regtree.Table{table, fresh} {
				for i, want := range oracle.Predict(grid(t, rows)) {
					if have := ours.Predict(rows.X[i]); math.Abs(have-want) > 1e-12 {
						t.Fatalf("seed %d, depth %d, row %d: %v, golearn %v", seed, depth, i, have, want)
					}
					checked++
				}
			}
		}
	}
	if checked != 6*4*800 {
		t.Errorf("compared %d predictions", checked)
	}
}

// At any depth the two fit their training rows equally well.
func TestTrainingErrorAgreesWithGolearn(t *testing.T) {
	for depth := 5; depth <= 8; depth++ {
		table := ordinary(150, 9)
		ours, err := regtree.Fit(table, regtree.Options{MaxDepth: depth})
		if err != nil {
			t.Fatal(err)
		}
		var have, want float64
		for i, p := range trained(t, table, int64(depth)).Predict(grid(t, table)) {
			have += (ours.Predict(table.X[i]) - table.Y[i]) * (ours.Predict(table.X[i]) - table.Y[i])
			want += (p - table.Y[i]) * (p - table.Y[i])
		}
		if math.Abs(have-want) > 0.05*want {
			t.Errorf("depth %d: squared error %v, golearn %v", depth, have, want)
		}
	}
}

func TestFromTreeKeepsPredictions(t *testing.T) {
	for depth := int64(1); depth <= 7; depth++ {
		table, fresh := ordinary(120, 3), ordinary(120, 4)
		foreign := trained(t, table, depth)
		tree, err := golearnbridge.FromTree(foreign, table)
		if err != nil {
			t.Fatal(err)
		}
		if tree.Depth() != int(depth) {
			t.Errorf("depth %d, golearn %d", tree.Depth(), depth)
		}
		for i, want := range foreign.Predict(grid(t, fresh)) {
			if have := tree.Predict(fresh.X[i]); math.Abs(have-want) > 1e-12 {
				t.Errorf("depth %d, row %d: %v, golearn %v", depth, i, have, want)
			}
		}
		if n := tree.Nodes()[0].Leaf.Count; n != len(table.X) {
			t.Errorf("the root holds %d rows of %d", n, len(table.X))
		}
	}
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
		mean  float64
	}{
		"constant": {constant, 3, regtree.Options{MaxDepth: 3}, 5},
		"xor":      {xor, 3, regtree.Options{MaxDepth: 3}, 5},
		"depth 0":  {xor, 0, regtree.Options{MaxLeaves: 1}, 5},
	} {
		foreign := trained(t, c.table, c.depth)
		tree, err := golearnbridge.FromTree(foreign, c.table)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ours, err := regtree.Fit(c.table, c.fit)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, zero := range foreign.Predict(grid(t, c.table)) {
			x := c.table.X[i]
			if zero != 0 {
				t.Errorf("%s: golearn predicts %v; its fault is mended, and so can this test be", name, zero)
			}
			if ours.Predict(x) != c.mean || tree.Predict(x) != c.mean {
				t.Errorf("%s: fitted %v, converted %v, want %v", name, ours.Predict(x), tree.Predict(x), c.mean)
			}
		}
	}
}

func TestFaultyGridsAreErrors(t *testing.T) {
	nan := ordinary(5, 1)
	nan.X[2][1] = math.NaN()
	huge := ordinary(5, 1)
	huge.Y[3] = math.MaxFloat64
	empty := ordinary(0, 1)
	for name, c := range map[string]struct {
		table regtree.Table
		want  error
	}{
		"NaN":   {nan, regtree.ErrNotFinite},
		"huge":  {huge, regtree.ErrRange},
		"empty": {empty, regtree.ErrEmpty},
	} {
		if _, err := golearnbridge.FromGrid(grid(t, c.table), golearnbridge.Columns{}); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	classless := base.NewDenseInstances()
	classless.AddAttribute(base.NewFloatAttribute("a"))
	if _, err := golearnbridge.FromGrid(classless, golearnbridge.Columns{}); !errors.Is(err, golearnbridge.ErrGrid) {
		t.Errorf("no class: error %v, want ErrGrid", err)
	}
}

// labelled returns a grid with a float feature, weight and class and a
// categorical attribute.
func labelled(t *testing.T) *base.DenseInstances {
	t.Helper()
	g := base.NewDenseInstances()
	device := base.NewCategoricalAttribute()
	device.SetName("device")
	target := base.NewFloatAttribute("us")
	rank, weight := g.AddAttribute(base.NewFloatAttribute("rank")), g.AddAttribute(base.NewFloatAttribute("runs"))
	label, class := g.AddAttribute(device), g.AddAttribute(target)
	if err := g.AddClassAttribute(target); err != nil {
		t.Fatal(err)
	}
	if err := g.Extend(4); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		g.Set(rank, i, base.PackFloatToBytes(float64(i)))
		g.Set(weight, i, base.PackFloatToBytes(float64(i+1)))
		g.Set(class, i, base.PackFloatToBytes(float64(i)*10))
		g.Set(label, i, device.GetSysValFromString(fmt.Sprintf("gpu%d", i%2)))
	}
	return g
}

func TestColumnsNameWeightAndGroup(t *testing.T) {
	g := labelled(t)
	have, err := golearnbridge.FromGrid(g, golearnbridge.Columns{Weight: "runs", Group: "device"})
	want := regtree.Table{
		Features: []string{"rank"},
		X:        [][]float64{{0}, {1}, {2}, {3}},
		Y:        []float64{0, 10, 20, 30},
		Weight:   []float64{1, 2, 3, 4},
		Group:    []string{"gpu0", "gpu1", "gpu0", "gpu1"},
	}
	if diff := cmp.Diff(want, have); err != nil || diff != "" {
		t.Errorf("error %v, table (-want +have):\n%s", err, diff)
	}
	for _, c := range []golearnbridge.Columns{{}, {Weight: "device"}, {Group: "gpu"}, {Group: "device", Weight: "run"}} {
		if _, err := golearnbridge.FromGrid(g, c); !errors.Is(err, golearnbridge.ErrGrid) {
			t.Errorf("%+v: error %v, want ErrGrid", c, err)
		}
	}
}

func TestFromTreeRefusesOtherTables(t *testing.T) {
	table := ordinary(100, 1)
	foreign := trained(t, table, 4)
	if _, err := golearnbridge.FromTree(foreign, ordinary(100, 2)); !errors.Is(err, golearnbridge.ErrForeign) {
		t.Errorf("other rows: error %v, want ErrForeign", err)
	}
	narrow := regtree.Table{Features: []string{"warp"}, Y: table.Y}
	for _, x := range table.X {
		narrow.X = append(narrow.X, x[:1])
	}
	if _, err := golearnbridge.FromTree(foreign, narrow); !errors.Is(err, golearnbridge.ErrForeign) {
		t.Errorf("fewer features: error %v, want ErrForeign", err)
	}
	if _, err := golearnbridge.FromTree(trees.NewDecisionTreeRegressor(trees.MSE, 3), table); !errors.Is(err, golearnbridge.ErrForeign) {
		t.Errorf("untrained: error %v, want ErrForeign", err)
	}
	if _, err := golearnbridge.FromTree(foreign, regtree.Table{}); !errors.Is(err, regtree.ErrEmpty) {
		t.Errorf("no table: error %v, want ErrEmpty", err)
	}
}
