package regtree

import (
	"fmt"
	"math"
	"slices"
)

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
		return nil, fmt.Errorf("rescale: features %q, the tree's are %q: %w", table.Features, t.features, ErrFeature)
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
