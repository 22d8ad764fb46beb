// Package golearnbridge fits golearn's regression trees on rows as package regtree takes them.
package golearnbridge

import (
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"
)

// Train is the part of Fit that is golearn's own.
func Train(grid *base.DenseInstances, depth int) (*trees.CARTDecisionTreeRegressor, error) {
	c := trees.NewDecisionTreeRegressor(trees.MSE, int64(depth))
	return c, c.Fit(grid)
}

// Grid writes features and targets of a valid table into golearn's form.
func Grid(x [][]float64, y []float64) (*base.DenseInstances, error) {
	grid := base.NewDenseInstances()
	specs := make([]base.AttributeSpec, len(x[0]))
	for j := range specs {
		specs[j] = grid.AddAttribute(base.NewFloatAttribute(fmt.Sprintf("x%d", j)))
	}
	target := base.NewFloatAttribute("target of the table")
	targetSpec := grid.AddAttribute(target)
	if err := grid.AddClassAttribute(target); err != nil {
		return nil, err
	}
	if err := grid.Extend(len(x)); err != nil {
		return nil, err
	}
	for i, row := range x {
		for j, v := range row {
			grid.Set(specs[j], i, base.PackFloatToBytes(v))
		}
		grid.Set(targetSpec, i, base.PackFloatToBytes(y[i]))
	}
	return grid, nil
}
