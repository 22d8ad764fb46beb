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

func (s Sorted) grow(order [][]int32, scratch []int32, o Options) (*Tree, error) {
	s.order = order
	rows := len(order[0])
	o.MinLeaf = max(1, o.MinLeaf)
	g := &grower{Sorted: s, Options: o, left: make([]uint8, len(s.y)), scratch: scratch,
		frontier: queue[*branch]{before: largerGain}}
	root := g.branch(0, rows, 0)
	for leaves := 1; g.frontier.Len() > 0 && (o.MaxLeaves == 0 || leaves < o.MaxLeaves); leaves++ {
		g.divide(heap.Pop(&g.frontier).(*branch))
	}
	return New(s.features, root.nodes(nil))
}

// branch summarizes the rows lo:hi and queues them if they can be split.
func (g *grower) branch(lo, hi, depth int) *branch {
	b := &branch{lo: lo, hi: hi, depth: depth, serial: g.created}
	g.created++
	b.stats = summarize(g.order[0][lo:hi], g.y)
	if g.MaxDepth == 0 || depth < g.MaxDepth {
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
		if g.left[r] = 0; column[r] < b.split.threshold {
			g.left[r] = 1
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

// nodes appends the nodes of a branch in preorder.
func (b *branch) nodes(list []Node) []Node {
	if b.left == nil {
		return append(list, Node{Feature: leafFeature, Leaf: b.stats})
	}
	list = append(list, Node{Feature: b.split.feature, Threshold: b.split.threshold})
	return b.right.nodes(b.left.nodes(list))
}

// largerGain orders the branches that await their split: the largest gain
// first, the oldest first among equals.
func largerGain(a, b *branch) bool {
	return a.split.gain > b.split.gain || a.split.gain == b.split.gain && a.serial < b.serial
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
