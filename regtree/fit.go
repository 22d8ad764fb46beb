package regtree

import (
	"container/heap"
	"fmt"
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

// Fit grows a regression tree on t. It takes O(f n log n) time to sort n rows
// by f features and O(f n) for each level of the tree.
//
// The error is that of Table.Validate or Options.Validate.
func Fit(t Table, o Options) (*Tree, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("fit: %w", err)
	}
	c := newColumns(t)
	return c.fit(c.order, o)
}

// fit grows a tree on the rows in order, which it reorders, and prunes it.
func (c columns) fit(order [][]int32, o Options) (*Tree, error) {
	t, err := grow(c, order, o)
	if err != nil || o.Alpha == 0 {
		return t, err
	}
	return t.Prune(o.Alpha)
}

// grower holds the rows of all nodes while a tree grows: a node owns one range
// lo:hi of every column's order, its children the two parts of that range.
type grower struct {
	columns
	minLeaf  int
	minGain  float64 // in weighted squared error
	maxDepth int
	left     []bool // the side that each row takes in the split at hand
	scratch  []int32
	moments  []moment // of the node's rows
	frontier queue[*branch]
	created  int
}

// A branch is a node under construction.
type branch struct {
	lo, hi, depth int
	serial        int // order of creation, decides between equal gains
	stats         Leaf
	split         split
	left, right   *branch // nil in a leaf
}

func grow(c columns, order [][]int32, o Options) (*Tree, error) {
	c.order = order
	rows := len(order[0])
	g := &grower{
		columns:  c,
		minLeaf:  max(1, o.MinLeaf),
		maxDepth: o.MaxDepth,
		left:     make([]bool, len(c.y)),
		scratch:  make([]int32, rows),
		moments:  make([]moment, len(c.y)),
		frontier: queue[*branch]{before: largerGain},
	}
	whole := summarize(order[0], c.y, c.w)
	g.minGain = o.MinSplitGain * whole.Weight
	root := g.branch(0, rows, 0)
	leaves := 1
	for g.frontier.Len() > 0 && (o.MaxLeaves == 0 || leaves < o.MaxLeaves) {
		g.divide(heap.Pop(&g.frontier).(*branch))
		leaves++
	}
	var b builder
	root.flatten(&b)
	return assemble(c.features, b.split, b.threshold, b.leaf)
}

// branch summarizes the rows lo:hi and queues them if they can be split.
func (g *grower) branch(lo, hi, depth int) *branch {
	b := &branch{lo: lo, hi: hi, depth: depth, serial: g.created}
	g.created++
	b.stats = summarize(g.order[0][lo:hi], g.y, g.w)
	if g.maxDepth == 0 || depth < g.maxDepth {
		b.split = g.bestSplit(lo, hi, b.stats)
	}
	if b.split.found {
		heap.Push(&g.frontier, b)
	}
	return b
}

// divide sends the rows of b to two new branches.
func (g *grower) divide(b *branch) {
	column := g.x[b.split.feature]
	middle := b.lo
	for _, r := range g.order[b.split.feature][b.lo:b.hi] {
		g.left[r] = column[r] < b.split.threshold
		if g.left[r] {
			middle++
		}
	}
	for feature, rows := range g.order {
		if feature != b.split.feature { // that one is in order already
			partition(rows[b.lo:b.hi], g.left, g.scratch)
		}
	}
	b.left = g.branch(b.lo, middle, b.depth+1)
	b.right = g.branch(middle, b.hi, b.depth+1)
}

// flatten appends the tree below root to out in preorder.
func (root *branch) flatten(out *builder) {
	stack := []*branch{root}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.left == nil {
			out.addLeaf(b.stats)
			continue
		}
		out.addSplit(b.split.feature, b.split.threshold)
		stack = append(stack, b.right, b.left)
	}
}

// largerGain orders the branches that await their split: the largest gain
// first, the oldest first among equals.
func largerGain(a, b *branch) bool {
	if a.split.gain != b.split.gain {
		return a.split.gain > b.split.gain
	}
	return a.serial < b.serial
}

// queue is a heap, the one that comes before all others first.
type queue[T any] struct {
	items  []T
	before func(a, b T) bool
}

func (q *queue[T]) Len() int           { return len(q.items) }
func (q *queue[T]) Less(i, j int) bool { return q.before(q.items[i], q.items[j]) }
func (q *queue[T]) Swap(i, j int)      { q.items[i], q.items[j] = q.items[j], q.items[i] }
func (q *queue[T]) Push(x any)         { q.items = append(q.items, x.(T)) }

func (q *queue[T]) Pop() any {
	last := len(q.items) - 1
	x := q.items[last]
	q.items = q.items[:last]
	return x
}
