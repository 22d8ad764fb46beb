package regtree

import (
	"fmt"
	"math"
	"unicode/utf8"
)

// maxTarget bounds targets, so that no sum of squares leaves the range of float64.
const maxTarget = 1e100

// A Table holds training rows. Nothing in this package modifies one.
type Table struct {
	Features []string    // name of each column of X
	X        [][]float64 // X[row][column], finite
	Y        []float64   // target of each row, at most 1e100 in magnitude
}

// Validate returns the first fault of t, with the row and column.
func (t Table) Validate() error {
	switch err := checkFeatures(t.Features); {
	case len(t.X) == 0:
		return fmt.Errorf("no rows: %w", ErrEmpty)
	case len(t.X) > math.MaxInt32/2:
		return fmt.Errorf("%d rows, at most %d: %w", len(t.X), math.MaxInt32/2, ErrRange)
	case err != nil:
		return err
	case len(t.Y) != len(t.X):
		return fmt.Errorf("%d rows, %d targets: %w", len(t.X), len(t.Y), ErrShape)
	}
	for i, row := range t.X {
		if err := t.checkRow(i, row); err != nil {
			return err
		}
	}
	return nil
}

func checkFeatures(names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("no features: %w", ErrEmpty)
	}
	seen := make(map[string]int, len(names))
	for i, name := range names {
		if name == "" || !utf8.ValidString(name) {
			return fmt.Errorf("column %d: name %q: %w", i, name, ErrFeature)
		}
		if first, ok := seen[name]; ok {
			return fmt.Errorf("columns %d and %d: both named %q: %w", first, i, name, ErrFeature)
		}
		seen[name] = i
	}
	return nil
}

func (t Table) checkRow(i int, row []float64) error {
	if len(row) != len(t.Features) {
		return fmt.Errorf("row %d: %d values for %d features: %w", i, len(row), len(t.Features), ErrShape)
	}
	for j, v := range row {
		if !finite(v) {
			return fmt.Errorf("row %d, column %d (%s): %v: %w", i, j, t.Features[j], v, ErrNotFinite)
		}
	}
	return checkTarget(i, t.Y[i])
}

func checkTarget(row int, y float64) error {
	if !finite(y) {
		return fmt.Errorf("row %d, target: %v: %w", row, y, ErrNotFinite)
	}
	if math.Abs(y) > maxTarget {
		return fmt.Errorf("row %d, target: %v beyond %g: %w", row, y, maxTarget, ErrRange)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
