package model

import "fmt"

// FitOptions say how trees are grown.
type FitOptions struct {
	MaxDepth  int `json:"max_depth"`  // comparisons from root to leaf; 0 means 8
	MaxLeaves int `json:"max_leaves"` // of one tree; 0 means 64
	MinLeaf   int `json:"min_leaf"`   // training rows of a leaf; 0 means 5
	Folds     int `json:"folds"`      // of the k-fold cross-validation; 0 means 5
	Bags      int `json:"bags"`       // trees whose mean one tree is fitted to; 0 means 16
	// MinRows is the number of training rows from which on an implementation
	// gets a tree; 0 means 20.
	MinRows int `json:"min_rows"`
}

// Normal returns the options with every zero replaced by what it means.
func (o FitOptions) Normal() FitOptions {
	for _, f := range []struct {
		value   *int
		meaning int
	}{{&o.MaxDepth, 8}, {&o.MaxLeaves, 64}, {&o.MinLeaf, 5}, {&o.Folds, 5}, {&o.Bags, 16}, {&o.MinRows, 20}} {
		if *f.value == 0 {
			*f.value = f.meaning
		}
	}
	return o
}

// Validate returns an error that wraps ErrOptions for an option out of range.
func (o FitOptions) Validate() error {
	n := o.Normal()
	for _, f := range []struct {
		name       string
		value, low int
	}{
		{"max_depth", n.MaxDepth, 1}, {"max_leaves", n.MaxLeaves, 1}, {"min_leaf", n.MinLeaf, 1},
		{"folds", n.Folds, 2}, {"bags", n.Bags, 1}, {"min_rows", n.MinRows, 4},
	} {
		if f.value < f.low || f.value > 1<<20 {
			return fmt.Errorf("%s %d, want %d to %d: %w", f.name, f.value, f.low, 1<<20, ErrOptions)
		}
	}
	return nil
}
