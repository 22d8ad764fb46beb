package regtree

import (
	"fmt"
	"slices"
)

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
}

// Validate returns an error that wraps ErrOptions where o makes no sense.
func (o Options) Validate() error {
	names := []string{"MaxDepth", "MaxLeaves", "MinLeaf"}
	for i, value := range []int{o.MaxDepth, o.MaxLeaves, o.MinLeaf} {
		if value < 0 {
			return fmt.Errorf("%s: %d: want at least 0: %w", names[i], value, ErrOptions)
		}
	}
	return nil
}

// Fit grows a regression tree on t. The error is that of Table.Validate or Options.Validate.
func Fit(t Table, o Options) (*Tree, error) {
	s, err := Sort(t)
	if err != nil {
		return nil, err
	}
	return s.Fit(func(int) bool { return true }, o)
}

// grower holds the rows of all nodes while a tree grows: a node owns one range
// lo:hi of every column's order, its children the two parts of that range.
type grower struct {
	Sorted
	Options
	left     []uint8 // 1 for each row on the left side of the split at hand
	scratch  []int32
	gains    []float64 // of the split behind each row, summed over the targets so far
	centred  []float64 // of one target at each row, less its mean
	frontier []*branch // that await their split, the oldest first
}

// A branch is a node under construction.
type branch struct {
	lo, hi, depth int
	stats         []Leaf // of each target
	split         split
	left, right   *branch // nil in a leaf
}

func (s Sorted) grow(order [][]int32, scratch []int32, o Options) (trees []*Tree, err error) {
	s.order = order
	rows := len(order[0])
	o.MinLeaf = max(1, o.MinLeaf)
	g := &grower{Sorted: s, Options: o, left: make([]uint8, s.rows()), scratch: scratch,
		gains: make([]float64, rows), centred: make([]float64, rows)}
	root := g.branch(0, rows, 0, slices.Repeat([]Leaf{{Count: 1}}, len(s.y)))
	leaves := 1
	for ; len(g.frontier) > 0 && (o.MaxLeaves == 0 || leaves < o.MaxLeaves); leaves++ {
		next := len(g.frontier) - 1
		if o.MaxLeaves > 0 { // else all are split, in any order
			next = g.largestGain()
		}
		b := g.frontier[next]
		g.frontier = slices.Delete(g.frontier, next, next+1)
		g.divide(b)
	}
	trees = make([]*Tree, len(s.y))
	for target := range trees {
		if trees[target], err = New(s.features, root.nodes(make([]Node, 0, 2*leaves-1), target)); err != nil {
			return nil, err
		}
	}
	return trees, nil
}

// branch summarizes the rows lo:hi and queues them if they can be split. A target that fewer than
// MinLeaf of them know keeps the statistics of the branch above.
func (g *grower) branch(lo, hi, depth int, above []Leaf) *branch {
	b := &branch{lo: lo, hi: hi, depth: depth, stats: make([]Leaf, len(g.y))}
	for target, y := range g.y {
		if b.stats[target] = summarize(g.order[0][lo:hi], y); b.stats[target].Count < min(g.MinLeaf, hi-lo) {
			b.stats[target] = above[target]
		}
	}
	if g.MaxDepth == 0 || depth < g.MaxDepth {
		b.split = g.bestSplit(lo, hi, b.stats)
	}
	if b.split.found {
		g.frontier = append(g.frontier, b)
	}
	return b
}

// divide sends the rows of b to two new branches.
func (g *grower) divide(b *branch) {
	column := g.x[b.split.feature]
	middle := b.lo
	for _, r := range g.order[b.split.feature][b.lo:b.hi] {
		if g.left[r] = 0; column[r] < b.split.threshold {
			g.left[r] = 1
			middle++
		}
	}
	order := g.order
	if b.depth+1 == g.MaxDepth {
		order = order[:1] // of which leaves are summarized
	}
	for feature, rows := range order {
		if feature != b.split.feature { // that one is in order already
			partition(rows[b.lo:b.hi], g.left, g.scratch)
		}
	}
	b.left = g.branch(b.lo, middle, b.depth+1, b.stats)
	b.right = g.branch(middle, b.hi, b.depth+1, b.stats)
}

// nodes appends the nodes of a branch in preorder, with what leaves say of a target.
func (b *branch) nodes(list []Node, target int) []Node {
	if b.left == nil {
		return append(list, Node{Feature: leafFeature, Leaf: b.stats[target]})
	}
	list = append(list, Node{Feature: b.split.feature, Threshold: b.split.threshold})
	return b.right.nodes(b.left.nodes(list, target), target)
}

// largestGain returns the place of the largest gain in the frontier, the first of equal ones.
func (g *grower) largestGain() (place int) {
	for i, b := range g.frontier {
		if b.split.gain > g.frontier[place].split.gain {
			place = i
		}
	}
	return place
}
