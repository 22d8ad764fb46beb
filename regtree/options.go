package regtree

import "fmt"

// Options say when a tree stops growing. The zero value grows until each leaf
// is pure or no split lowers the error.
type Options struct {
	// MaxDepth is the largest number of comparisons from root to leaf; 0 means
	// no limit. A tree that is a single leaf is MaxLeaves: 1.
	MaxDepth int
	// MaxLeaves is the largest number of leaves; 0 means no limit. Under a
	// limit the splits of largest gain, anywhere in the tree, are made first.
	MaxLeaves int
	// MinLeaf is the smallest number of training rows in a leaf; 0 means 1.
	MinLeaf int
	// MinSplitGain is the decrease of the whole tree's mean squared error (in
	// squared units of the target) that a split must exceed; 0 means any
	// decrease beyond rounding.
	MinSplitGain float64
	// Alpha prunes the grown tree at this cost per leaf, in squared units of
	// the target (see Tree.Prune); 0 leaves the tree as grown.
	Alpha float64
}

// Validate returns an error that wraps ErrOptions where o makes no sense.
func (o Options) Validate() error {
	for _, c := range []struct {
		name  string
		value float64
	}{
		{"MaxDepth", float64(o.MaxDepth)},
		{"MaxLeaves", float64(o.MaxLeaves)},
		{"MinLeaf", float64(o.MinLeaf)},
		{"MinSplitGain", o.MinSplitGain},
		{"Alpha", o.Alpha},
	} {
		if !finite(c.value) || c.value < 0 {
			return fmt.Errorf("%s: %v: want a finite number, at least 0: %w", c.name, c.value, ErrOptions)
		}
	}
	return nil
}
