package grow

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// mostLog bounds the targets of the fit: an action that takes a tenth more than the least is as bad
// as one that takes a hundred times as long, so that comparisons are spent on choices that are close.
// What a leaf takes goes by whole losses.
const mostLog = 0.1

// grower grows trees on part of the rows.
type grower struct {
	*rows
	Options
	known, all *regtree.Sorted // by the features that need no sample, and by all
}

func (r *rows) grower(o Options) (g *grower, err error) {
	g = &grower{rows: r, Options: o}
	if g.known, err = r.sorted(dispatch.NumKnown, r.logs[settled]); err == nil {
		g.all, err = r.sorted(dispatch.NumFeatures, r.decided())
	}
	return g, err
}

// decided is what actions cost behind a sample: forms of several kernels only where a call waits
// for them, others where it does not.
func (r *rows) decided() (logs [][]float64) {
	for a := range r.logs[sampled] {
		one := make([]float64, len(r.x))
		for row := range one {
			one[row] = min(r.logs[sampled][a][row], r.logs[followed][a][row])
		}
		logs = append(logs, one)
	}
	return logs
}

// sorted prepares fits by the first features.
func (r *rows) sorted(features int, logs [][]float64) (*regtree.Sorted, error) {
	targets := make([][]float64, len(logs))
	for row := range r.x {
		least := math.Inf(1)
		for a := range logs {
			least = min(least, logs[a][row])
		}
		for a := range logs {
			targets[a] = append(targets[a], min(logs[a][row]-least, mostLog))
		}
	}
	t := regtree.Table{Features: dispatch.Names()[:features], Y: targets[0]}
	for _, x := range r.x {
		t.X = append(t.X, x[:features])
	}
	s, err := regtree.Sort(t)
	if err != nil {
		return nil, err
	}
	return s.With(targets...)
}

// grown is a tree with what its rows lose.
type grown struct {
	shape  []regtree.Node // features, thresholds and children
	mode   []mode         // of each node: settled above the comparisons of sampled features
	action []int          // of each node: that of least mean over its rows
	loss   []float64      // sum of ln losses of that action over its rows
	leaf   []bool         // after pruning
}

// link sets the places of the children below a node, and the modes: that of what lies below a
// comparison of a sampled feature is given. It returns the place behind the last node below.
func (t *grown) link(at int, m, below mode) int {
	if at == 0 {
		t.mode = make([]mode, len(t.shape))
	}
	n := &t.shape[at]
	t.mode[at] = m
	if n.Feature < 0 {
		return at + 1
	}
	if n.Feature >= dispatch.NumKnown {
		m = below
	}
	n.Left = at + 1
	n.Right = t.link(n.Left, m, below)
	return t.link(n.Right, m, below)
}

// leaves marks the leaves of a tree that was not pruned.
func (t *grown) leaves() {
	t.leaf = make([]bool, len(t.shape))
	for at, n := range t.shape {
		t.leaf[at] = n.Feature < 0
	}
}

// sum adds up what the actions lose at each node, and takes the best.
func (g *grower) sum(t *grown, keep func(row int) bool) {
	n := len(t.shape)
	t.action, t.loss = make([]int, n), make([]float64, n)
	t.leaves()
	sums := make([][]float64, n)
	for i := range sums {
		sums[i] = make([]float64, len(g.logs[settled]))
	}
	for row, x := range g.x {
		if !keep(row) {
			continue
		}
		t.walk(x, func(at int) {
			for a, logs := range g.logs[t.mode[at]] {
				sums[at][a] += logs[row]
			}
		})
	}
	for i, s := range sums {
		t.loss[i] = slices.Min(s)
		t.action[i] = slices.Index(s, t.loss[i])
	}
}

// walk visits the nodes from the root to the leaf that x reaches, and returns the leaf.
func (t *grown) walk(x []float64, visit func(at int)) int {
	for at := 0; ; {
		visit(at)
		n := t.shape[at]
		switch {
		case t.leaf[at]:
			return at
		case x[n.Feature] < n.Threshold:
			at = n.Left
		default:
			at = n.Right
		}
	}
}

// choose returns the action for a row's features, and whether it took a sample.
func (t *grown) choose(x []float64) choice {
	at := t.walk(x, func(int) {})
	return choice{t.action[at], t.mode[at]}
}

// prune makes leaves of the inner nodes whose subtrees lower the sum of ln losses by less than
// alpha for each leaf more: weakest-link pruning by what choices lose in place of the error.
func (t *grown) prune(alpha float64) {
	for {
		weakest, least := -1, math.Inf(1)
		t.below(0, func(at, leaves int, loss float64) {
			if t.leaf[at] {
				return
			}
			if gain := (t.loss[at] - loss) / float64(leaves-1); gain < least {
				weakest, least = at, gain
			}
		})
		if weakest < 0 || least > alpha {
			return
		}
		t.leaf[weakest] = true
	}
}

// below visits the nodes of a subtree, children first, with its leaves and their sum of losses.
func (t *grown) below(at int, visit func(at, leaves int, loss float64)) (leaves int, loss float64) {
	if t.leaf[at] {
		leaves, loss = 1, t.loss[at]
	} else {
		left, l := t.below(t.shape[at].Left, visit)
		right, r := t.below(t.shape[at].Right, visit)
		leaves, loss = left+right, l+r
	}
	visit(at, leaves, loss)
	return leaves, loss
}

// nodes returns the pruned tree. A threshold t becomes ceil(t), which integers tell as well.
func (t *grown) nodes() []dispatch.Node { return t.append(nil, 0) }

func (t *grown) append(list []dispatch.Node, at int) []dispatch.Node {
	n := t.shape[at]
	if t.leaf[at] {
		return append(list, dispatch.Node{Feature: dispatch.LeafFeature,
			Right: uint16(t.action[at])})
	}
	place := len(list)
	list = append(list, dispatch.Node{Feature: uint8(n.Feature),
		Threshold: uint32(math.Ceil(n.Threshold))})
	list = t.append(list, n.Left)
	list[place].Right = uint16(len(list))
	return t.append(list, n.Right)
}
