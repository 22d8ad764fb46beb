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
	// The tree by all features whose calls may come to implementations of one kernel, and that whose calls
	// may come to a partition as well and wait for it.
	trees       [2]grown
	left, right *cell // nil in a leaf
}

// grow fits a tree by the known features to the rows that keep accepts, and at each of its nodes
// trees by all features.
func (g *grower) grow(keep func(row int) bool) (*cell, error) {
	known, err := g.known.Fit(keep, regtree.Options{MaxLeaves: g.KnownLeaves, MinLeaf: g.KnownMinLeaf})
	if err != nil {
		return nil, err
	}
	in := make([]bool, len(g.x))
	for row := range in {
		in[row] = keep(row)
	}
	return g.cellOf(known, 0, in)
}

// cellOf grows the trees of a node of the known tree, to which some rows come, and of all below.
func (g *grower) cellOf(known regtree.Tree, at int, in []bool) (c *cell, err error) {
	c = &cell{split: known[at]}
	keep := func(row int) bool { return in[row] }
	fit, err := g.all.Fit(keep, regtree.Options{MaxLeaves: g.MaxLeaves, MinLeaf: g.MinLeaf})
	if err != nil {
		return nil, err
	}
	for k, below := range []mode{sampled, followed} {
		c.trees[k] = g.grown(fit, below, keep)
	}
	if c.split.Feature < 0 {
		return c, nil
	}
	within := func(child int) []bool {
		list := make([]bool, len(in))
		for row, x := range g.x {
			list[row] = in[row] && known.Next(at, x) == child
		}
		return list
	}
	if c.left, err = g.cellOf(known, at+1, within(at+1)); err == nil {
		c.right, err = g.cellOf(known, c.split.Right, within(c.split.Right))
	}
	return c, err
}

// best prunes the trees of a cell and of those below by alpha, and returns that of least cost: the
// sum of costs, and alpha for each leaf.
func (c *cell) best(alpha float64) (t grown, cost float64) {
	cost = math.Inf(1)
	for _, one := range c.trees {
		one.prune(alpha)
		leaves, loss := one.below(0, func(int, int, float64) {})
		if now := loss + alpha*float64(leaves); now < cost {
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
func (c *cell) tree(alpha float64) grown {
	for ; ; alpha *= alphaStep {
		t, _ := c.best(alpha)
		if nodes := t.nodes(); len(nodes) <= dispatch.MaxNodes {
			return t
		}
	}
}

// joined returns the tree of a comparison of a known feature and both trees below it.
func joined(split regtree.Node, left, right grown) grown {
	t := grown{{Node: split, loss: left[0].loss + right[0].loss}}
	for _, below := range []grown{left, right} {
		first := len(t) // of the right one at last
		t[0].Right = first
		for _, n := range below {
			n.Right += first
			t = append(t, n)
		}
	}
	return t
}
