package regtree

import "fmt"

// A Validation is the outcome of a cross-validation: each row is predicted by
// a tree that was fitted without the row's fold.
type Validation struct {
	Score
	Predictions []float64 // of each row
	Fold        []int     // of each row, an index of Folds
	Folds       []FoldScore
	Seed        uint64 // that dealt the folds; 0 where none was needed
}

// A FoldScore is the score over the rows of one held-out fold.
type FoldScore struct {
	Name string // the group, or the number of the row or fold
	Rows int
	Score
}

// CrossValidate deals the rows at random into k folds. Besides the errors of
// Fit, one that wraps ErrFolds says that k is below 2 or above the number of
// rows.
func CrossValidate(t Table, o Options, k int, seed uint64) (Validation, error) {
	v, err := validate(t, o, func() (folds, error) { return randomFolds(len(t.X), k, seed) })
	v.Seed = seed
	return v, err
}

// LeaveOneOut holds out each row in turn. Besides the errors of Fit, one that
// wraps ErrFolds says that there is only one row.
func LeaveOneOut(t Table, o Options) (Validation, error) {
	return validate(t, o, func() (folds, error) { return rowFolds(len(t.X)) })
}

// LeaveOneGroupOut holds out the rows of each group in turn, which says how
// far a tree can be trusted on a group that it has never seen. Besides the
// errors of Fit, one that wraps ErrFolds says that there are not two groups.
func LeaveOneGroupOut(t Table, o Options) (Validation, error) {
	return validate(t, o, func() (folds, error) { return groupFolds(t) })
}

func validate(t Table, o Options, deal func() (folds, error)) (Validation, error) {
	if err := o.Validate(); err != nil {
		return Validation{}, fmt.Errorf("cross-validate: %w", err)
	}
	if err := t.Validate(); err != nil {
		return Validation{}, fmt.Errorf("cross-validate: %w", err)
	}
	f, err := deal()
	if err != nil {
		return Validation{}, fmt.Errorf("cross-validate: %w", err)
	}
	v := Validation{Predictions: make([]float64, len(t.X)), Fold: f.of}
	err = f.each(newColumns(t), o, func(tree *Tree, held []int) {
		for _, row := range held {
			v.Predictions[row] = tree.Predict(t.X[row])
		}
	})
	if err != nil {
		return Validation{}, fmt.Errorf("cross-validate: %w", err)
	}
	v.Score = score(t, v.Predictions, f.rows())
	v.Folds = f.scores(t, v.Predictions)
	return v, nil
}

// each fits a tree without each fold and hands it over with the fold's rows.
func (f folds) each(c columns, o Options, use func(tree *Tree, held []int)) error {
	for number, held := range f.rows() {
		order := c.filter(func(row int32) bool { return f.of[row] != number })
		tree, err := c.fit(order, o)
		if err != nil {
			return fmt.Errorf("without fold %s: %w", f.name[number], err)
		}
		use(tree, held)
	}
	return nil
}

// rows returns the rows of each fold, ascending.
func (f folds) rows() [][]int {
	rows := make([][]int, len(f.name))
	for row, fold := range f.of {
		rows[fold] = append(rows[fold], row)
	}
	return rows
}

func (f folds) scores(t Table, predictions []float64) []FoldScore {
	scores := make([]FoldScore, len(f.name))
	for number, rows := range f.rows() {
		scores[number] = FoldScore{
			Name:  f.name[number],
			Rows:  len(rows),
			Score: score(t, predictions, [][]int{rows}),
		}
	}
	return scores
}
