package grow

import (
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// mostLog bounds the targets of the fit: an action that takes a fifth more than the least is as bad
// as one that takes a hundred times as long, so that comparisons are spent on choices that are close.
const mostLog = 0.2

// grower grows trees on part of the rows.
type grower struct {
	*rows
	Options
	known, all *regtree.Sorted // by the features that need no sample, and by all
}

func (r *rows) grower(o Options) (g *grower, err error) {
	g = &grower{rows: r, Options: o}
	if g.known, err = r.sorted(dispatch.NumKnown, r.logs[settled]); err == nil {
		g.all, err = r.sorted(dispatch.NumFeatures, r.logs[sampled])
	}
	return g, err
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
	mode   []mode         // of each node: sampled below a comparison of a sampled feature
	action []int          // of each node: that of least mean over its rows
	loss   []float64      // sum of ln losses of that action over its rows
	leaf   []bool         // after pruning
}

// grow fits a tree to the rows that keep accepts: one by the known features first, and in each of
// its leaves one by all, which takes the leaf's place.
func (g *grower) grow(keep func(row int) bool) (*grown, error) {
	cells, err := g.known.FitJointly(keep, regtree.Options{MaxLeaves: g.KnownLeaves,
		MinLeaf: g.KnownMinLeaf})
	if err != nil {
		return nil, err
	}
	cell := make([]int, len(g.x))
	for row, x := range g.x {
		if cell[row] = -1; keep(row) {
			cell[row] = cells[0].Find(x[:dispatch.NumKnown])
		}
	}
	t := &grown{}
	for at, n := range cells[0].Nodes() {
		if n.Feature >= 0 {
			t.shape = append(t.shape, n)
			continue
		}
		trees, err := g.all.FitJointly(func(row int) bool { return cell[row] == at },
			regtree.Options{MaxLeaves: g.MaxLeaves, MinLeaf: g.MinLeaf})
		if err != nil {
			return nil, err
		}
		t.shape = append(t.shape, trees[0].Nodes()...)
	}
	t.link(0, settled)
	g.sum(t, keep)
	return t, nil
}

// link sets the places of the children below a node, and the modes. It returns the place behind
// the last node below.
func (t *grown) link(at int, m mode) int {
	if at == 0 {
		t.mode = make([]mode, len(t.shape))
	}
	n := &t.shape[at]
	t.mode[at] = m
	if n.Feature < 0 {
		return at + 1
	}
	if n.Feature >= dispatch.NumKnown {
		m = sampled
	}
	n.Left = at + 1
	n.Right = t.link(n.Left, m)
	return t.link(n.Right, m)
}

// sum adds up what the actions lose at each node, and takes the best.
func (g *grower) sum(t *grown, keep func(row int) bool) {
	n := len(t.shape)
	t.action, t.loss, t.leaf = make([]int, n), make([]float64, n), make([]bool, n)
	sums := make([][]float64, n)
	for i := range sums {
		sums[i] = make([]float64, len(g.logs[settled]))
		t.leaf[i] = t.shape[i].Feature < 0
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
// alpha for each leaf more, and of further ones until a kernel has room for the tree:
// weakest-link pruning by what choices lose in place of the error.
func (t *grown) prune(alpha float64) {
	for {
		weakest, least, all := -1, math.Inf(1), 0
		t.below(0, func(at, leaves int, loss float64) {
			all = leaves
			if t.leaf[at] {
				return
			}
			if gain := (t.loss[at] - loss) / float64(leaves-1); gain < least {
				weakest, least = at, gain
			}
		})
		if weakest < 0 || least > alpha && 2*all-1 <= dispatch.MaxNodes {
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

// alphas are the costs of a leaf among which familyOut chooses, in sums of ln losses.
func alphas() (list []float64) {
	for a := 1e-4; a < 30; a *= 1.5 {
		list = append(list, a)
	}
	return list
}

// lossNoise is a difference of mean ln losses that says nothing: of trees that are as good on other
// families the largest is taken, which knows most of its own.
const lossNoise = 0.003

// familyOut returns for each row the choice of a tree that has seen no stream of its family, and the
// least alpha with which these choices lose least, up to lossNoise.
func (g *grower) familyOut(ctx context.Context) (chosen []choice, alpha float64, err error) {
	list := alphas()
	choices := make([][]choice, len(list))
	for k := range choices {
		choices[k] = make([]choice, len(g.x))
	}
	families := slices.Compact(slices.Sorted(slices.Values(g.family)))
	for _, out := range families {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		t, err := g.grow(func(row int) bool { return g.family[row] != out })
		if err != nil {
			return nil, 0, err
		}
		for k, a := range list {
			t.prune(a)
			for row, x := range g.x {
				if g.family[row] == out {
					choices[k][row] = t.choose(x)
				}
			}
		}
	}
	least := math.Inf(1)
	for k := range list {
		least = min(least, g.lossOf(choices[k]))
	}
	best := slices.IndexFunc(choices, func(c []choice) bool { return g.lossOf(c) <= least+lossNoise })
	return choices[best], list[best], nil
}

// lossOf is the mean ln loss of a choice for each row.
func (r *rows) lossOf(chosen []choice) float64 {
	sum := 0.0
	for row, c := range chosen {
		sum += r.logs[c.mode][c.action][row]
	}
	return sum / float64(len(chosen))
}
