package regtree

import (
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/internal/splitmix"
)

// folds deals the rows of a table into parts, each held out once.
type folds struct {
	of   []int    // fold of each row
	name []string // of each fold
}

// randomFolds deals rows at random into k folds whose sizes differ by at most
// one.
func randomFolds(rows, k int, seed uint64) (folds, error) {
	if k < 2 || k > rows {
		return folds{}, fmt.Errorf("%d folds of %d rows: want 2 to the number of rows: %w", k, rows, ErrFolds)
	}
	f := folds{of: make([]int, rows), name: make([]string, k)}
	for i := range f.of {
		f.of[i] = i % k
	}
	random := splitmix.New(seed)
	for i := rows - 1; i > 0; i-- {
		j := random.Below(uint64(i + 1))
		f.of[i], f.of[j] = f.of[j], f.of[i]
	}
	for i := range f.name {
		f.name[i] = strconv.Itoa(i)
	}
	return f, nil
}

// rowFolds makes each row a fold.
func rowFolds(rows int) (folds, error) {
	if rows < 2 {
		return folds{}, fmt.Errorf("%d row to leave out: want at least 2: %w", rows, ErrFolds)
	}
	f := folds{of: make([]int, rows), name: make([]string, rows)}
	for i := range f.of {
		f.of[i], f.name[i] = i, strconv.Itoa(i)
	}
	return f, nil
}

// groupFolds makes each group a fold, in order of first appearance.
func groupFolds(t Table) (folds, error) {
	if t.Group == nil {
		return folds{}, fmt.Errorf("the table has no groups: %w", ErrFolds)
	}
	f := folds{of: make([]int, len(t.Group))}
	number := make(map[string]int)
	for i, group := range t.Group {
		n, ok := number[group]
		if !ok {
			n = len(f.name)
			number[group] = n
			f.name = append(f.name, group)
		}
		f.of[i] = n
	}
	if len(f.name) < 2 {
		return folds{}, fmt.Errorf("every row is of group %q: want at least 2 groups: %w", f.name[0], ErrFolds)
	}
	return f, nil
}
