package regtree

import "fmt"

// Prune returns the smallest subtree of least cost at the given cost per leaf. For a subtree T the
// cost is
//
//	R_alpha(T) = MSE(T) + alpha · leaves(T)   [breiman84] section 3.3
//
// and alpha is in squared units of the target. An alpha that is negative or not finite gives an
// error that wraps ErrOptions.
func (t *Tree) Prune(alpha float64) (*Tree, error) {
	if !finite(alpha) || alpha < 0 {
		return nil, fmt.Errorf("prune: alpha %v: want a finite number, at least 0: %w", alpha, ErrOptions)
	}
	alphas := t.Alphas()
	return t.cut(func(i int) bool { return alphas[i] <= alpha })
}

// Alphas returns for each of Nodes the alpha from which on Prune makes it a leaf or takes it away:
// weakest-link pruning [breiman84] section 3.3. An alpha never grows from parent to child. Leaves
// have alpha 0.
func (t *Tree) Alphas() []float64 {
	n := len(t.nodes)
	p := &pruner{t: t, parent: make([]int, n), leaves: make([]int, n), err: make([]float64, n),
		weakest: make([]int, n), alphas: make([]float64, n)}
	p.parent[0] = -1
	for i := n - 1; i >= 0; i-- {
		p.leaves[i], p.err[i], p.weakest[i] = 1, p.leafError(i), -1
		if at := t.nodes[i]; at.Feature >= 0 {
			p.parent[at.Left], p.parent[at.Right] = i, i
			p.leaves[i] = p.leaves[at.Left] + p.leaves[at.Right]
			p.err[i] = p.err[at.Left] + p.err[at.Right]
			p.findWeakest(i)
		}
	}
	alpha, tolerance := 0.0, float64(1e-15*p.leafError(0)) // absolute difference in alpha that is rounding
	for v := p.weakest[0]; v >= 0; v = p.weakest[0] {
		if g := p.linkStrength(v); g > float64(alpha*(1+rounding))+tolerance {
			alpha = g
		}
		p.cut(v, alpha)
	}
	return p.alphas
}

// pruner holds for each node what is below it in the tree as cut so far.
type pruner struct {
	t              *Tree
	parent, leaves []int
	err, alphas    []float64 // squared error of the leaves over the rows of the root; Alphas
	weakest        []int     // the inner node of least strength, the last in preorder; -1: a leaf
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

// findWeakest sets the weakest inner node of v and of what is below it.
func (p *pruner) findWeakest(v int) {
	best := v
	for _, child := range [2]int{p.t.nodes[v].Left, p.t.nodes[v].Right} {
		if w := p.weakest[child]; w >= 0 && p.linkStrength(w) <= p.linkStrength(best) {
			best = w
		}
	}
	p.weakest[v] = best
}

// cut makes v a leaf at an alpha and tells its ancestors.
func (p *pruner) cut(v int, alpha float64) {
	fewer, worse := p.leaves[v]-1, p.leafError(v)-p.err[v]
	for i, end := v, p.t.end(v); i < end; i++ {
		if p.leaves[i] > 1 {
			p.leaves[i], p.alphas[i] = 1, alpha
		}
	}
	p.weakest[v] = -1
	p.err[v] += worse
	for u := p.parent[v]; u >= 0; u = p.parent[u] {
		p.leaves[u] -= fewer
		p.err[u] += worse
		p.findWeakest(u)
	}
}
