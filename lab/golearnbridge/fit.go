// Package golearnbridge trains golearn's CART regressor on a table of package
// regtree and converts it. It stands apart so that only those who use golearn
// build it.
package golearnbridge

import (
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/atomtune/atomtune/regtree"
)

// Fit trains golearn's regressor on mean squared error, to a depth of at least 1,
// and converts it. Its time grows with the square of the rows. Errors are those
// of regtree.Table.Validate, of golearn, or wrap ErrForeign.
func Fit(t regtree.Table, depth int) (*regtree.Tree, error) {
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("golearn: %w", err)
	}
	grid, err := Grid(t)
	if err != nil {
		return nil, fmt.Errorf("golearn: %w", err)
	}
	c, err := Train(grid, depth)
	if err != nil {
		return nil, fmt.Errorf("golearn: %w", err)
	}
	return fromTree(c, t)
}

// Train is the part of Fit that is golearn's own.
func Train(grid *base.DenseInstances, depth int) (*trees.CARTDecisionTreeRegressor, error) {
	c := trees.NewDecisionTreeRegressor(trees.MSE, int64(depth))
	return c, c.Fit(grid)
}

// Grid writes features and targets of a valid table into golearn's form.
func Grid(t regtree.Table) (*base.DenseInstances, error) {
	grid := base.NewDenseInstances()
	specs := make([]base.AttributeSpec, len(t.Features))
	for j, name := range t.Features {
		specs[j] = grid.AddAttribute(base.NewFloatAttribute(name))
	}
	target := base.NewFloatAttribute("target of the table")
	targetSpec := grid.AddAttribute(target)
	if err := grid.AddClassAttribute(target); err != nil {
		return nil, err
	}
	if err := grid.Extend(len(t.X)); err != nil {
		return nil, err
	}
	for i, row := range t.X {
		for j, v := range row {
			grid.Set(specs[j], i, base.PackFloatToBytes(v))
		}
		grid.Set(targetSpec, i, base.PackFloatToBytes(t.Y[i]))
	}
	return grid, nil
}
