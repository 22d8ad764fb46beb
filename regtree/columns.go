package regtree

import (
	"cmp"
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
// accepts.
func (c columns) filter(keep func(row int32) bool) [][]int32 {
	order := make([][]int32, len(c.order))
	for j, rows := range c.order {
		kept := make([]int32, 0, len(rows))
		for _, r := range rows {
			if keep(r) {
				kept = append(kept, r)
			}
		}
		order[j] = kept
	}
	return order
}

// partition moves the rows marked left to the front of rows and the others
// behind them, each side in its old order. scratch is as long as rows.
func partition(rows []int32, left []bool, scratch []int32) {
	front, back := 0, 0
	for _, r := range rows {
		if left[r] {
			rows[front] = r
			front++
		} else {
			scratch[back] = r
			back++
		}
	}
	copy(rows[front:], scratch[:back])
}
