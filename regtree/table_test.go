package regtree_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/regtree"
)

func TestTableFaultsAreNamed(t *testing.T) {
	good := regtree.Table{
		Features: []string{"a", "b"},
		X:        [][]float64{{1, 2}, {3, 4}, {5, 6}},
		Y:        []float64{1, 2, 3},
	}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	largest := clone(good)
	largest.Y[0], largest.Y[1] = 1e100, -1e100
	if err := largest.Validate(); err != nil {
		t.Error(err)
	}
	cases := []struct {
		name  string
		spoil func(*regtree.Table)
		want  error
		place string
	}{
		{"no rows", func(t *regtree.Table) { t.X = nil }, regtree.ErrEmpty, "rows"},
		{"no features", func(t *regtree.Table) { t.Features = nil }, regtree.ErrEmpty, "features"},
		{"nameless", func(t *regtree.Table) { t.Features[1] = "" }, regtree.ErrFeature, "column 1"},
		{"not UTF-8", func(t *regtree.Table) { t.Features[1] = "\xff" }, regtree.ErrFeature, "column 1"},
		{"repeated", func(t *regtree.Table) { t.Features[1] = "a" }, regtree.ErrFeature,
			"columns 0 and 1"},
		{"ragged", func(t *regtree.Table) { t.X[2] = t.X[2][:1] }, regtree.ErrShape, "row 2"},
		{"short Y", func(t *regtree.Table) { t.Y = t.Y[:2] }, regtree.ErrShape, "targets"},
		{"NaN in X", func(t *regtree.Table) { t.X[1][1] = math.NaN() }, regtree.ErrNotFinite,
			"row 1, column 1 (b)"},
		{"Inf in X", func(t *regtree.Table) { t.X[0][1] = math.Inf(-1) }, regtree.ErrNotFinite,
			"row 0, column 1 (b)"},
		{"NaN in Y", func(t *regtree.Table) { t.Y[2] = math.NaN() }, regtree.ErrNotFinite,
			"row 2, target"},
		{"huge Y", func(t *regtree.Table) { t.Y[2] = -1e300 }, regtree.ErrRange, "row 2, target"},
		{"Y too large", func(t *regtree.Table) { t.Y[2] = math.Nextafter(1e100, 2e100) }, regtree.ErrRange,
			"row 2, target"},
	}
	for _, c := range cases {
		bad := clone(good)
		c.spoil(&bad)
		_, err := regtree.Fit(bad, regtree.Options{})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: error %v, want %v at %q", c.name, err, c.want, c.place)
		}
	}
}

func TestOptionsAreChecked(t *testing.T) {
	data := table([]float64{1, 2}, []float64{1, 2})
	for _, o := range []regtree.Options{
		{MaxDepth: -1}, {MaxLeaves: -1}, {MinLeaf: -1},
	} {
		if _, err := regtree.Fit(data, o); !errors.Is(err, regtree.ErrOptions) {
			t.Errorf("%+v: error %v, want ErrOptions", o, err)
		}
	}
}
