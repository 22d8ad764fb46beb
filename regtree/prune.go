package regtree

import (
	"container/heap"
	"fmt"
)

// Prune returns the smallest subtree of least cost at the given cost per leaf. For
// a subtree T the cost is
//
//	R_alpha(T) = MSE(T) + alpha · leaves(T)   [breiman84] section 3.3
//
// and alpha is in squared units of the target. An alpha that is negative or not
// finite gives an error that wraps ErrOptions.
func (t *Tree) Prune(alpha float64) (*Tree, error) {
	if !finite(alpha) || alpha < 0 {
		return nil, fmt.Errorf("prune: alpha %v: want a finite number, at least 0: %w", alpha, ErrOptions)
	}
	alphas := t.Alphas()
	return t.cut(func(i int) bool { return alphas[i] <= alpha })
}

// Alphas returns for each of Nodes the alpha from which on Prune makes it a leaf or
// takes it away: weakest-link pruning [breiman84] section 3.3. An alpha never grows
// from parent to child. Leaves have alpha 0.
func (t *Tree) Alphas() []float64 {
	p := newPruner(t)
	alpha := 0.0
	for v, ok := p.weakest(); ok; v, ok = p.weakest() {
		if g := p.linkStrength(v); g > alpha*(1+rounding)+p.tolerance {
			alpha = g
		}
		p.cut(v, alpha)
	}
	return p.alphas
}

type pruner struct {
	t              *Tree
	parent, leaves []int     // leaves below each node, of the tree as cut so far
	err            []float64 // squared error of those leaves over the rows of the root
	gone           []bool    // cut off, or a leaf
	alphas         []float64
	links          queue[link]
	tolerance      float64 // absolute difference in alpha that is rounding
}

func newPruner(t *Tree) *pruner {
	n := len(t.nodes)
	p := &pruner{
		t: t, parent: make([]int, n), leaves: make([]int, n), err: make([]float64, n),
		gone: make([]bool, n), alphas: make([]float64, n), links: queue[link]{before: weaker},
	}
	p.parent[0] = -1
	p.tolerance = 1e-15 * p.leafError(0)
	for i := n - 1; i >= 0; i-- {
		at := t.nodes[i]
		if at.Feature < 0 {
			p.leaves[i], p.err[i], p.gone[i] = 1, p.leafError(i), true
			continue
		}
		p.parent[at.Left], p.parent[at.Right] = i, i
		p.leaves[i] = p.leaves[at.Left] + p.leaves[at.Right]
		p.err[i] = p.err[at.Left] + p.err[at.Right]
		p.links.items = append(p.links.items, link{p.linkStrength(i), i})
	}
	heap.Init(&p.links)
	return p
}

// leafError is the squared error that node v has as a leaf, over the rows of the whole tree.
func (p *pruner) leafError(v int) float64 {
	return p.t.nodes[v].Leaf.squaredError() / float64(p.t.nodes[0].Leaf.Count)
}

// linkStrength is the increase of the error for each leaf saved by making v a
// leaf, g(v) = (R(v) - R(T_v)) / (leaves(T_v) - 1).
func (p *pruner) linkStrength(v int) float64 {
	return max(0, (p.leafError(v)-p.err[v])/float64(p.leaves[v]-1))
}

// weakest takes the inner node of least strength off the heap, passing over
// entries that a later cut made stale.
func (p *pruner) weakest() (v int, ok bool) {
	for p.links.Len() > 0 {
		l := heap.Pop(&p.links).(link)
		if !p.gone[l.node] && l.strength == p.linkStrength(l.node) {
			return l.node, true
		}
	}
	return 0, false
}

// cut makes v a leaf at an alpha and tells its ancestors.
func (p *pruner) cut(v int, alpha float64) {
	end := p.t.end(v)
	for i := v; i < end; i++ {
		if !p.gone[i] {
			p.gone[i], p.alphas[i] = true, alpha
		}
	}
	fewer, worse := p.leaves[v]-1, p.leafError(v)-p.err[v]
	for u := v; u >= 0; u = p.parent[u] {
		p.leaves[u] -= fewer
		p.err[u] += worse
		if u != v {
			heap.Push(&p.links, link{p.linkStrength(u), u})
		}
	}
}

// link is an inner node and the strength it had when it was queued.
type link struct {
	strength float64
	node     int
}

// weaker puts the weakest link first; of equal ones the deepest, which is the last in preorder.
func weaker(a, b link) bool {
	return a.strength < b.strength || a.strength == b.strength && a.node > b.node
}
