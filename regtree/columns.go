package regtree

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// columns is a table turned on its side, with each feature's rows in
// ascending order. It is sorted once and then only filtered or partitioned.
type columns struct {
	features []string
	x        [][]float64 // x[column][row]
	y, w     []float64   // one per row
	order    [][]int32   // rows of each column, ascending by value, then by row
}

func newColumns(t Table) columns {
	rows := len(t.X)
	c := columns{
		features: t.Features,
		x:        make([][]float64, len(t.Features)),
		y:        t.Y,
		w:        make([]float64, rows),
		order:    make([][]int32, len(t.Features)),
	}
	for i := range c.w {
		c.w[i] = t.weight(i)
	}
	for j := range c.x {
		c.x[j] = make([]float64, rows)
		for i, row := range t.X {
			c.x[j][i] = row[j]
		}
		c.order[j] = ascending(c.x[j])
	}
	return c
}

// ascending returns the indices of column in ascending order of value, equal
// values in order of index.
func ascending(column []float64) []int32 {
	type entry struct {
		value float64
		row   int32
	}
	entries := make([]entry, len(column))
	for i, v := range column {
		entries[i] = entry{v, int32(i)}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return cmp.Compare(a.row, b.row)
	})
	order := make([]int32, len(column))
	for i, e := range entries {
		order[i] = e.row
	}
	return order
}

// filter returns a copy of the order of each column, of the rows that keep
// accepts. It asks once for each row.
func (c columns) filter(keep func(row int32) bool) [][]int32 {
	kept := make([]bool, len(c.y))
	count := 0
	for _, r := range c.order[0] {
		if keep(r) {
			kept[r] = true
			count++
		}
	}
	order := make([][]int32, len(c.order))
	for j, rows := range c.order {
		order[j] = make([]int32, 0, count)
		for _, r := range rows {
			if kept[r] {
				order[j] = append(order[j], r)
			}
		}
	}
	return order
}

// partition moves the rows marked left to the front of rows and the others
// behind them, each side in its old order. scratch is as long as rows.
func partition(rows []int32, left []bool, scratch []int32) {
	front, back := 0, 0
	for _, r := range rows {
		// Writing to both sides costs less than a branch that is mispredicted.
		rows[front], scratch[back] = r, r
		step := 0
		if left[r] {
			step = 1
		}
		front += step
		back += 1 - step
	}
	copy(rows[front:], scratch[:back])
}

// Sorted is a table made ready for many fits on parts of its rows: its columns
// are sorted once. It is safe for concurrent use and reads the table's targets
// and weights as they are.
type Sorted struct{ columns columns }

// Sort checks a table and sorts its columns, in O(f n log n) time for n rows of
// f features. The error is that of Table.Validate.
func Sort(t Table) (*Sorted, error) {
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	return &Sorted{newColumns(t)}, nil
}

// Fit grows a tree on the rows that keep accepts, the one that Fit grows on a
// table of these rows alone up to rounding. The error is that of
// Options.Validate, or wraps ErrEmpty where no row is left.
func (s *Sorted) Fit(keep func(row int) bool, o Options) (*Tree, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	order := s.columns.filter(func(row int32) bool { return keep(int(row)) })
	if len(order[0]) == 0 {
		return nil, fmt.Errorf("fit: no rows kept: %w", ErrEmpty)
	}
	return s.columns.fit(order, o)
}

// With returns the sorted table with other targets, one a row, for learners that
// fit one tree after the other on the same rows. The error is that of
// Table.Validate.
func (s *Sorted) With(y []float64) (*Sorted, error) {
	if len(y) != len(s.columns.y) {
		return nil, fmt.Errorf("%d rows, %d targets: %w", len(s.columns.y), len(y), ErrShape)
	}
	for i, v := range y {
		if !finite(v) {
			return nil, fmt.Errorf("row %d, target: %v: %w", i, v, ErrNotFinite)
		}
		if math.Abs(v) > maxTarget {
			return nil, fmt.Errorf("row %d, target: %v beyond %g: %w", i, v, maxTarget, ErrRange)
		}
	}
	other := *s
	other.columns.y = y
	return &other, nil
}

// Rescale returns the tree with the same comparisons whose leaves predict factor
// times what they did. The other statistics of a leaf become those of the table's
// rows that reach it: StdDev the root mean square distance from the prediction,
// Min and Max widened to hold it.
//
// A factor outside [0, 1] gives an error that wraps ErrOptions, a leaf that no
// row reaches one that wraps ErrEmpty, other features than the tree's one that
// wraps ErrFeature; other errors are those of Table.Validate.
func (t *Tree) Rescale(factor float64, table Table) (*Tree, error) {
	if !(factor >= 0 && factor <= 1) {
		return nil, fmt.Errorf("rescale: factor %v: want 0 to 1: %w", factor, ErrOptions)
	}
	if err := table.Validate(); err != nil {
		return nil, fmt.Errorf("rescale: %w", err)
	}
	if !slices.Equal(table.Features, t.features) {
		return nil, fmt.Errorf("rescale: features %q, the tree's are %q: %w",
			table.Features, t.features, ErrFeature)
	}
	rows := make([][]int32, len(t.nodes))
	weight := make([]float64, len(table.X))
	for i, x := range table.X {
		at := find(t.walk, x).next
		rows[at] = append(rows[at], int32(i))
		weight[i] = table.weight(i)
	}
	var b builder
	for i, n := range t.nodes {
		switch {
		case n.feature >= 0:
			b.addSplit(int(n.feature), n.threshold)
		case len(rows[i]) == 0:
			return nil, fmt.Errorf("rescale: no row reaches node %d: %w", i, ErrEmpty)
		default:
			b.addLeaf(around(factor*t.stats[i].Value, summarize(rows[i], table.Y, weight)))
		}
	}
	return assemble(t.features, b.split, b.threshold, b.leaf)
}

// around returns a leaf's statistics with another prediction than the mean.
func around(value float64, l Leaf) Leaf {
	l.Min, l.Max = min(l.Min, value), max(l.Max, value)
	l.StdDev = min(math.Hypot(l.StdDev, l.Value-value), l.Max-l.Min)
	l.Value = value
	return l
}
