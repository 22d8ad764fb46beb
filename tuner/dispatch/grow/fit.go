package grow

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// mostCost bounds the targets of the fit: a candidate that takes a tenth more than the least is as bad
// as one that takes a hundred times as long, so that comparisons are spent on choices that are close.
// What a leaf takes goes by whole costs.
const mostCost = 0.1

type grower struct {
	*rows
	Options
	known, all *regtree.Sorted // by the features that need no sample, and by all
}

func (r *rows) grower(o Options) *grower {
	return &grower{rows: r, Options: o, known: r.sorted(dispatch.NumKnown, r.costs[settled]),
		all: r.sorted(dispatch.NumFeatures, r.decided())}
}

// decided is what candidates cost behind a sample: implementations of several kernels only where a call waits
// for them, others where it does not.
func (r *rows) decided() (costs [][]float64) {
	for a := range r.costs[sampled] {
		one := make([]float64, len(r.x))
		for row := range one {
			one[row] = min(r.costs[sampled][a][row], r.costs[followed][a][row])
		}
		costs = append(costs, one)
	}
	return costs
}

// sorted prepares fits by the first features.
func (r *rows) sorted(features int, costs [][]float64) *regtree.Sorted {
	targets := make([][]float64, len(costs))
	for row := range r.x {
		least := math.Inf(1)
		for a := range costs {
			least = min(least, costs[a][row])
		}
		for a := range costs {
			targets[a] = append(targets[a], min(costs[a][row]-least, mostCost))
		}
	}
	first := make([][]float64, len(r.x))
	for row, x := range r.x {
		first[row] = x[:features]
	}
	return regtree.Sort(first, targets...)
}

// grown is a tree with what its rows lose, in preorder.
type grown []spot

type spot struct {
	regtree.Node
	mode      mode    // settled above the comparisons of sampled features
	candidate int     // that of least mean over the rows of the node
	loss      float64 // sum of the costs of that candidate over the rows
	leaf      bool    // after pruning
}

// grown returns the tree before it is pruned, with the candidates that are best on the rows that keep accepts. The
// mode of what lies below a comparison of a sampled feature is given.
func (g *grower) grown(shape regtree.Tree, below mode, keep func(row int) bool) grown {
	t, sums := make(grown, len(shape)), make([][]float64, len(shape))
	for at, n := range shape {
		sums[at] = make([]float64, len(g.costs[settled]))
		t[at].Node, t[at].leaf = n, n.Feature < 0
		if t[at].leaf {
			continue
		}
		m := t[at].mode
		if n.Feature >= dispatch.NumKnown {
			m = below
		}
		t[at+1].mode, t[n.Right].mode = m, m
	}
	for row, x := range g.x {
		if !keep(row) {
			continue
		}
		t.walk(x, func(at int) {
			for a, costs := range g.costs[t[at].mode] {
				sums[at][a] += costs[row]
			}
		})
	}
	for at, s := range sums {
		t[at].loss = slices.Min(s)
		t[at].candidate = slices.Index(s, t[at].loss)
	}
	return t
}

// walk visits the nodes from the root to the leaf that x reaches, and returns the leaf.
func (t grown) walk(x []float64, visit func(at int)) int {
	for at := 0; ; {
		visit(at)
		switch n := &t[at]; {
		case n.leaf:
			return at
		case x[n.Feature] < n.Threshold:
			at++
		default:
			at = n.Right
		}
	}
}

// choose returns the candidate for a row's features, and whether it took a sample.
func (t grown) choose(x []float64) choice {
	at := t.walk(x, func(int) {})
	return choice{t[at].candidate, t[at].mode}
}

// prune makes leaves of the inner nodes whose subtrees lower the sum of costs by less than
// alpha for each leaf more: weakest-link pruning by what choices lose in place of the error.
func (t grown) prune(alpha float64) {
	for {
		weakest, least := -1, math.Inf(1)
		t.below(0, func(at, leaves int, loss float64) {
			if t[at].leaf {
				return
			}
			if gain := (t[at].loss - loss) / float64(leaves-1); gain < least {
				weakest, least = at, gain
			}
		})
		if weakest < 0 || least > alpha {
			return
		}
		t[weakest].leaf = true
	}
}

// below visits the nodes of a subtree, children first, with its leaves and their sum of losses.
func (t grown) below(at int, visit func(at, leaves int, loss float64)) (leaves int, loss float64) {
	if t[at].leaf {
		leaves, loss = 1, t[at].loss
	} else {
		left, l := t.below(at+1, visit)
		right, r := t.below(t[at].Right, visit)
		leaves, loss = left+right, l+r
	}
	visit(at, leaves, loss)
	return leaves, loss
}

// nodes returns the pruned tree. A threshold t becomes ceil(t), which integers tell as well.
func (t grown) nodes() []dispatch.Node { return t.append(nil, 0) }

func (t grown) append(list []dispatch.Node, at int) []dispatch.Node {
	n := t[at]
	if n.leaf {
		return append(list, dispatch.Node{Feature: dispatch.LeafFeature,
			Right: uint16(n.candidate)})
	}
	place := len(list)
	list = append(list, dispatch.Node{Feature: uint8(n.Feature),
		Threshold: uint32(math.Ceil(n.Threshold))})
	list = t.append(list, at+1)
	list[place].Right = uint16(len(list))
	return t.append(list, n.Right)
}
