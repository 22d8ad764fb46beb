package regtree

import (
	"container/heap"
	"fmt"
)

// A PruningStep is one tree of the nested sequence that cost-complexity
// pruning passes through.
type PruningStep struct {
	Alpha  float64 // smallest cost per leaf at which this tree is the best
	Leaves int
	MSE    float64 // mean squared error over the training rows
}

// PruningPath returns the sequence of best subtrees by growing cost per leaf,
// from the tree at cost 0 to the single leaf. For a subtree T the cost is
//
//	R_alpha(T) = MSE(T) + alpha · leaves(T)   [breiman84] section 3.3
//
// and alpha is in squared units of the target.
func (t *Tree) PruningPath() []PruningStep {
	_, path := t.collapse()
	return path
}

// Prune returns the smallest subtree of least cost R_alpha at the given cost
// per leaf. An alpha that is negative or not finite gives an error that wraps
// ErrOptions.
func (t *Tree) Prune(alpha float64) (*Tree, error) {
	if !finite(alpha) || alpha < 0 {
		return nil, fmt.Errorf("prune: alpha %v: want a finite number, at least 0: %w", alpha, ErrOptions)
	}
	alphas, _ := t.collapse()
	return t.cut(func(i int) bool { return alphas[i] <= alpha })
}

// collapse finds, for each inner node, the alpha from which on it is a leaf or
// gone: weakest-link pruning [breiman84] section 3.3. An alpha never grows
// from parent to child. Leaves have alpha 0.
func (t *Tree) collapse() (alphas []float64, path []PruningStep) {
	p := newPruner(t)
	for {
		v, ok := p.weakest()
		if !ok {
			break
		}
		alpha := p.linkStrength(v)
		if alpha > p.alpha*(1+rounding)+p.tolerance {
			p.record()
			p.alpha = alpha
		}
		p.cut(v)
	}
	p.record()
	return p.alphas, p.path
}

// pruner is the state of weakest-link pruning.
type pruner struct {
	t         *Tree
	parent    []int32
	leaves    []int     // below each node, of the tree as cut so far
	err       []float64 // squared error of those leaves over the root's weight
	gone      []bool    // cut off, or a leaf
	alphas    []float64
	links     queue[link]
	alpha     float64 // reached so far
	tolerance float64 // absolute difference in alpha that is rounding
	path      []PruningStep
}

func newPruner(t *Tree) *pruner {
	n := len(t.nodes)
	p := &pruner{
		t:      t,
		parent: make([]int32, n),
		leaves: make([]int, n),
		err:    make([]float64, n),
		gone:   make([]bool, n),
		alphas: make([]float64, n),
		links:  queue[link]{before: weaker},
	}
	p.parent[0] = -1
	p.tolerance = 1e-15 * p.leafError(0)
	for i := n - 1; i >= 0; i-- {
		at := t.nodes[i]
		if at.feature < 0 {
			p.leaves[i], p.err[i], p.gone[i] = 1, p.leafError(int32(i)), true
			continue
		}
		left, right := int32(i+1), at.right
		p.parent[left], p.parent[right] = int32(i), int32(i)
		p.leaves[i] = p.leaves[left] + p.leaves[right]
		p.err[i] = p.err[left] + p.err[right]
		p.links.items = append(p.links.items, link{p.linkStrength(int32(i)), int32(i)})
	}
	heap.Init(&p.links)
	return p
}

// leafError is the squared error that node v has as a leaf, over the weight of
// the whole tree.
func (p *pruner) leafError(v int32) float64 {
	return p.t.stats[v].squaredError() / p.t.stats[0].Weight
}

// linkStrength is the increase of the error for each leaf saved by making v a
// leaf, g(v) = (R(v) - R(T_v)) / (leaves(T_v) - 1).
func (p *pruner) linkStrength(v int32) float64 {
	return max(0, (p.leafError(v)-p.err[v])/float64(p.leaves[v]-1))
}

// weakest takes the inner node of least strength off the heap, passing over
// entries that a later cut made stale.
func (p *pruner) weakest() (v int32, ok bool) {
	for p.links.Len() > 0 {
		l := heap.Pop(&p.links).(link)
		if !p.gone[l.node] && l.strength == p.linkStrength(l.node) {
			return l.node, true
		}
	}
	return 0, false
}

// cut makes v a leaf at the present alpha and tells its ancestors.
func (p *pruner) cut(v int32) {
	end := p.t.end(int(v))
	for i := int(v); i < end; i++ {
		if !p.gone[i] {
			p.gone[i], p.alphas[i] = true, p.alpha
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

// record notes the tree as it stands.
func (p *pruner) record() {
	p.path = append(p.path, PruningStep{Alpha: p.alpha, Leaves: p.leaves[0], MSE: p.err[0]})
}

// link is an inner node and the strength it had when it was queued.
type link struct {
	strength float64
	node     int32
}

// weaker puts the weakest link first; of equal ones the deepest, which is the
// last in preorder.
func weaker(a, b link) bool {
	if a.strength != b.strength {
		return a.strength < b.strength
	}
	return a.node > b.node
}
