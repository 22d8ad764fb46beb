// Package golearnbridge carries golearn's data grids and trained CART
// regressors over to package regtree. It stands apart so that only those who
// use golearn build it.
package golearnbridge

import (
	"errors"
	"fmt"

	"github.com/atomtune/atomtune/regtree"
	"github.com/sjwhitworth/golearn/base"
)

// ErrGrid reports a grid that is no regression table: no class attribute or
// several, an attribute that is not a float, or one that is missing.
var ErrGrid = errors.New("grid is not a regression table")

// Columns name the attributes of a grid that are neither feature nor target.
// The zero value says that there are none.
type Columns struct {
	Weight string // float attribute with each row's weight
	Group  string // attribute of any kind with each row's group
}

// FromGrid reads a grid into a table: the single class attribute is the
// target, each other attribute a feature unless c names it. All of them must
// be float attributes; golearn's own trees leave others out in silence. The
// error wraps ErrGrid or is that of regtree.Table.Validate.
func FromGrid(grid base.FixedDataGrid, c Columns) (regtree.Table, error) {
	target, err := targetOf(grid)
	if err != nil {
		return regtree.Table{}, err
	}
	r := reader{grid: grid, columns: c}
	// NonClassAttributes would give them in the order of a map.
	for _, a := range base.AttributeDifference(grid.AllAttributes(), grid.AllClassAttributes()) {
		if err := r.addAttribute(a); err != nil {
			return regtree.Table{}, err
		}
	}
	r.resolveFeatures()
	if err := r.checkFound(); err != nil {
		return regtree.Table{}, err
	}
	_, rows := grid.Size()
	for i := range rows {
		r.addRow(i, target)
	}
	if err := r.table.Validate(); err != nil {
		return regtree.Table{}, fmt.Errorf("grid: %w", err)
	}
	return r.table, nil
}

func targetOf(grid base.FixedDataGrid) (base.AttributeSpec, error) {
	class := grid.AllClassAttributes()
	if len(class) != 1 {
		return base.AttributeSpec{}, fmt.Errorf("%d class attributes, want 1: %w", len(class), ErrGrid)
	}
	if _, ok := class[0].(*base.FloatAttribute); !ok {
		return base.AttributeSpec{}, fmt.Errorf("class attribute %q is not a float: %w", class[0].GetName(), ErrGrid)
	}
	return resolve(grid, class[0])
}

func resolve(grid base.FixedDataGrid, a base.Attribute) (base.AttributeSpec, error) {
	spec, err := grid.GetAttribute(a)
	if err != nil {
		return spec, fmt.Errorf("attribute %q: %v: %w", a.GetName(), err, ErrGrid)
	}
	return spec, nil
}

// reader builds a table column by column, then row by row.
type reader struct {
	grid          base.FixedDataGrid
	columns       Columns
	table         regtree.Table
	attributes    []base.Attribute // the features
	features      []base.AttributeSpec
	weight, group *base.AttributeSpec
}

func (r *reader) addAttribute(a base.Attribute) error {
	spec, err := resolve(r.grid, a)
	if err != nil {
		return err
	}
	name := a.GetName()
	if r.columns.Group != "" && name == r.columns.Group {
		r.group = &spec
		return nil
	}
	if _, ok := a.(*base.FloatAttribute); !ok {
		return fmt.Errorf("attribute %q is not a float: %w", name, ErrGrid)
	}
	if r.columns.Weight != "" && name == r.columns.Weight {
		r.weight = &spec
		return nil
	}
	r.attributes = append(r.attributes, a)
	return nil
}

// resolveFeatures puts the features in the order in which golearn's trees
// number them, so that FromTree can take the numbers as they are.
func (r *reader) resolveFeatures() {
	r.features = base.ResolveAttributes(r.grid, r.attributes)
	for _, spec := range r.features {
		r.table.Features = append(r.table.Features, spec.GetAttribute().GetName())
	}
}

func (r *reader) checkFound() error {
	if r.columns.Weight != "" && r.weight == nil {
		return fmt.Errorf("no weight attribute %q: %w", r.columns.Weight, ErrGrid)
	}
	if r.columns.Group != "" && r.group == nil {
		return fmt.Errorf("no group attribute %q: %w", r.columns.Group, ErrGrid)
	}
	return nil
}

func (r *reader) addRow(i int, target base.AttributeSpec) {
	number := func(spec base.AttributeSpec) float64 {
		return base.UnpackBytesToFloat(r.grid.Get(spec, i))
	}
	x := make([]float64, len(r.features))
	for j, spec := range r.features {
		x[j] = number(spec)
	}
	r.table.X = append(r.table.X, x)
	r.table.Y = append(r.table.Y, number(target))
	if r.weight != nil {
		r.table.Weight = append(r.table.Weight, number(*r.weight))
	}
	if r.group != nil {
		name := r.group.GetAttribute().GetStringFromSysVal(r.grid.Get(*r.group, i))
		r.table.Group = append(r.table.Group, name)
	}
}
