package grow

import (
	"context"
	"math"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/dispatch"
)

// mostLog bounds the targets of the fit: an action that takes a tenth more than the least is as bad
// as one that takes a hundred times as long, so that comparisons are spent on choices that are close.
const mostLog = 0.1

// grower grows trees on part of the rows.
type grower struct {
	*rows
	Options
	sorted *regtree.Sorted
}

func (r *rows) grower(o Options) (*grower, error) {
	targets := make([][]float64, len(r.logs))
	for a, logs := range r.logs {
		for _, v := range logs {
			targets[a] = append(targets[a], min(v, mostLog))
		}
	}
	s, err := regtree.Sort(regtree.Table{Features: dispatch.Names(), X: r.x, Y: targets[0]})
	if err != nil {
		return nil, err
	}
	s, err = s.With(targets...)
	return &grower{r, o, s}, err
}

// grown is a tree with the rows that it was grown on.
type grown struct {
	shape  []regtree.Node // features, thresholds and children
	action []int          // of each node: that of least mean over its rows
	loss   []float64      // sum of ln losses of that action over its rows
	leaf   []bool         // after pruning
}

// grow fits a tree to the rows that keep accepts.
func (g *grower) grow(keep func(row int) bool) (*grown, error) {
	trees, err := g.sorted.FitJointly(keep, regtree.Options{MaxLeaves: g.MaxLeaves,
		MinLeaf: g.MinLeaf})
	if err != nil {
		return nil, err
	}
	t := &grown{shape: trees[0].Nodes()}
	n := len(t.shape)
	t.action, t.loss, t.leaf = make([]int, n), make([]float64, n), make([]bool, n)
	sums := make([][]float64, n)
	for i := range sums {
		sums[i] = make([]float64, len(g.logs))
		t.leaf[i] = t.shape[i].Feature < 0
	}
	for row, x := range g.x {
		if !keep(row) {
			continue
		}
		t.walk(x, func(at int) {
			for a, logs := range g.logs {
				sums[at][a] += logs[row]
			}
		})
	}
	for i, s := range sums {
		t.loss[i] = slices.Min(s)
		t.action[i] = slices.Index(s, t.loss[i])
	}
	return t, nil
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

// choose returns the action for a row's features.
func (t *grown) choose(x []float64) int { return t.action[t.walk(x, func(int) {})] }

// prune makes leaves of the inner nodes whose subtrees lower the sum of ln losses by less than
// alpha for each leaf more: weakest-link pruning by what choices lose in place of the error.
func (t *grown) prune(alpha float64) {
	for {
		weakest, least := -1, alpha
		t.below(0, func(at, leaves int, loss float64) {
			if t.leaf[at] {
				return
			}
			if gain := (t.loss[at] - loss) / float64(leaves-1); gain <= least {
				weakest, least = at, gain
			}
		})
		if weakest < 0 {
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

// familyOut returns for each row the action that a tree chooses that has seen no stream of its
// family, and the alpha with which these choices lose least.
func (g *grower) familyOut(ctx context.Context) (chosen []int, alpha float64, err error) {
	list := alphas()
	actions := make([][]int, len(list))
	for k := range actions {
		actions[k] = make([]int, len(g.x))
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
					actions[k][row] = t.choose(x)
				}
			}
		}
	}
	best := 0
	for k := range list {
		if g.lossOf(actions[k]) <= g.lossOf(actions[best]) {
			best = k
		}
	}
	return actions[best], list[best], nil
}

// lossOf is the mean ln loss of a choice for each row.
func (r *rows) lossOf(chosen []int) float64 {
	sum := 0.0
	for row, a := range chosen {
		sum += r.logs[a][row]
	}
	return sum / float64(len(chosen))
}
