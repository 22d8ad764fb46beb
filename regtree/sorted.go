package regtree

import (
	"fmt"
	"slices"
)

// Sorted is a table made ready for many fits on parts of its rows, which are sorted once by each
// column. It is safe for concurrent use and reads the table's targets as they are.
type Sorted struct {
	features []string
	x        [][]float64 // x[column][row]
	y        [][]float64 // y[target][row]
	order    [][]int32   // rows of each column, ascending by value, then by row
}

// Sort checks a table and sorts its columns. The error is that of Table.Validate.
func Sort(t Table) (*Sorted, error) {
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("sort: %w", err)
	}
	rows := len(t.X)
	columns := len(t.Features)
	s := &Sorted{t.Features, make([][]float64, columns), [][]float64{t.Y}, make([][]int32, columns)}
	for j := range s.x {
		s.x[j] = make([]float64, rows)
		for i, row := range t.X {
			s.x[j][i] = row[j]
		}
		s.order[j] = ascending(s.x[j])
	}
	return s, nil
}

// partition moves the rows whose left is 1, not 0, to the front of rows and the others
// behind them, each side in its old order. scratch is as long as rows.
func partition(rows []int32, left []uint8, scratch []int32) (front int) {
	for i, r := range rows { // without a branch, which no processor would predict
		rows[front], scratch[i-front] = r, r
		front += int(left[r])
	}
	copy(rows[front:], scratch)
	return front
}

// Fit grows a tree on the rows that keep accepts, the one that Fit grows on a
// table of these rows alone up to rounding. Of several targets it is the tree of
// the first. The error is that of Options.Validate, or wraps ErrEmpty where no row is left.
func (s *Sorted) Fit(keep func(row int) bool, o Options) (*Tree, error) {
	trees, err := s.FitJointly(keep, o)
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}

// FitJointly grows one tree for all targets on the rows that keep accepts: each split is the one
// that lowers the sum of their squared errors most, so targets should have a common unit. It
// returns a tree for each target; all have the same comparisons, and the leaves of each predict
// the means of its target. The error is that of Fit.
func (s *Sorted) FitJointly(keep func(row int) bool, o Options) ([]*Tree, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	kept := make([]uint8, s.rows())
	for row := range kept {
		if keep(row) {
			kept[row] = 1
		}
	}
	order, scratch := make([][]int32, len(s.order)), make([]int32, s.rows())
	for j, rows := range s.order {
		order[j] = slices.Clone(rows)
		order[j] = order[j][:partition(order[j], kept, scratch)]
	}
	if len(order[0]) == 0 {
		return nil, fmt.Errorf("fit: no rows kept: %w", ErrEmpty)
	}
	return s.grow(order, scratch, o)
}

func (s *Sorted) rows() int { return len(s.y[0]) }

// With returns the sorted table with other targets, each a list with one number a row: one, for
// learners that fit one tree after the other on the same rows, or several, for FitJointly. A NaN is a
// target that is not known: it takes no part in splits and means. Where fewer than MinLeaf rows of a
// node know a target, the node predicts what the one above it does, and the root 0. Other errors are
// those of Table.Validate.
func (s *Sorted) With(targets ...[]float64) (*Sorted, error) {
	if len(targets) == 0 {
		return nil, fmt.Errorf("no targets: %w", ErrEmpty)
	}
	for _, y := range targets {
		if len(y) != s.rows() {
			return nil, fmt.Errorf("%d rows, %d targets: %w", s.rows(), len(y), ErrShape)
		}
		for i, v := range y {
			if err := checkTarget(i, v); err != nil && known(v) {
				return nil, err
			}
		}
	}
	other := *s
	other.y = targets
	return &other, nil
}
