package grow

import (
	"math"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// A cell is a node of the tree by the known features alone. The calls that reach it are told apart
// by its two halves, or by one of the trees that compare all features.
type cell struct {
	split regtree.Node
	// The tree by all features whose calls may come to forms of one kernel, and that whose calls
	// may come to a partition as well and wait for it.
	trees       [2]*grown
	left, right *cell // nil in a leaf
}

// grow fits a tree by the known features to the rows that keep accepts, and at each of its nodes
// trees by all features.
func (g *grower) grow(keep func(row int) bool) (*cell, error) {
	fit, err := g.known.FitJointly(keep, regtree.Options{MaxLeaves: g.KnownLeaves,
		MinLeaf: g.KnownMinLeaf})
	if err != nil {
		return nil, err
	}
	known := &grown{shape: fit[0].Nodes()}
	known.link(0, settled, settled)
	known.leaves()
	within := make([][]bool, len(known.shape))
	for at := range within {
		within[at] = make([]bool, len(g.x))
	}
	for row, x := range g.x {
		if keep(row) {
			known.walk(x, func(at int) { within[at][row] = true })
		}
	}
	return g.cellOf(known, within, 0)
}

// cellOf grows the trees of a node of the known tree and of all below.
func (g *grower) cellOf(known *grown, within [][]bool, at int) (c *cell, err error) {
	c = &cell{split: known.shape[at]}
	keep := func(row int) bool { return within[at][row] }
	fit, err := g.all.FitJointly(keep, regtree.Options{MaxLeaves: g.MaxLeaves, MinLeaf: g.MinLeaf})
	if err != nil {
		return nil, err
	}
	for k, below := range []mode{sampled, followed} {
		t := &grown{shape: fit[0].Nodes()}
		t.link(0, settled, below)
		g.sum(t, keep)
		c.trees[k] = t
	}
	if known.leaf[at] {
		return c, nil
	}
	if c.left, err = g.cellOf(known, within, c.split.Left); err == nil {
		c.right, err = g.cellOf(known, within, c.split.Right)
	}
	return c, err
}

// best prunes the trees of a cell and of those below by alpha, and returns that of least cost: the
// sum of ln losses, and alpha for each leaf.
func (c *cell) best(alpha float64) (t *grown, cost float64) {
	cost = math.Inf(1)
	for _, one := range c.trees {
		one.prune(alpha)
		leaves, loss := one.below(0, func(int, int, float64) {})
		if now := loss + float64(alpha*float64(leaves)); now < cost {
			t, cost = one, now
		}
	}
	if c.left == nil {
		return t, cost
	}
	left, costLeft := c.left.best(alpha)
	right, costRight := c.right.best(alpha)
	if costLeft+costRight < cost {
		t, cost = joined(c.split, left, right), costLeft+costRight
	}
	return t, cost
}

// tree returns the best tree that has no more nodes than a tree may have, at alpha or the least
// above it that gives one.
func (c *cell) tree(alpha float64) *grown {
	for ; ; alpha *= alphaStep {
		t, _ := c.best(alpha)
		if nodes := t.nodes(); len(nodes) <= dispatch.MaxNodes {
			return t
		}
	}
}

// joined returns the tree of a comparison of a known feature and both trees below it.
func joined(split regtree.Node, left, right *grown) *grown {
	t := &grown{shape: []regtree.Node{split}, mode: []mode{settled}, action: []int{0},
		loss: []float64{left.loss[0] + right.loss[0]}, leaf: []bool{false}}
	for k, below := range []*grown{left, right} {
		first := len(t.shape)
		if k == 0 {
			t.shape[0].Left = first
		} else {
			t.shape[0].Right = first
		}
		for _, n := range below.shape {
			n.Left, n.Right = n.Left+first, n.Right+first
			t.shape = append(t.shape, n)
		}
		t.mode = append(t.mode, below.mode...)
		t.action = append(t.action, below.action...)
		t.loss = append(t.loss, below.loss...)
		t.leaf = append(t.leaf, below.leaf...)
	}
	return t
}
