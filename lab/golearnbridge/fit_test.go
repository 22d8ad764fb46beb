package golearnbridge_test

import (
	"errors"
	"testing"

	"github.com/atomtune/atomtune/lab/golearnbridge"
	"github.com/atomtune/atomtune/regtree"
)

// TestFit: the tree is golearn's own.
func TestFit(t *testing.T) {
	table, fresh := ordinary(120, 3), ordinary(120, 4)
	tree, err := golearnbridge.Fit(table, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range trained(t, table, 4).Predict(grid(t, fresh)) {
		if have := tree.Predict(fresh.X[i]); have < want-1e-12 || have > want+1e-12 {
			t.Errorf("row %d: %v, golearn %v", i, have, want)
		}
	}
	if _, err := golearnbridge.Fit(regtree.Table{}, 4); !errors.Is(err, regtree.ErrEmpty) {
		t.Errorf("empty table: error %v", err)
	}
}
