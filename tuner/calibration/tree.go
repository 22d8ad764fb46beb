package calibration

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/regtree"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// growth says how far a tree of corrections goes.
type growth struct {
	leaves int // 0: no correction; 1: offsets alone
	// apart is set where implementations are corrected apart. Otherwise all have
	// the same factor, which leaves their order as it is.
	apart bool
	prior float64 // streams that speak for no difference from the node above
}

// sharedTree is a tree of comparisons that all implementations share. Its outputs are a
// correction of each variant and, last, one that all have in common; their sum is the
// correction in ln of the time. It is a leaf as long as split is 0; comparisons are numbered from
// 1 as they were found, so that any number of leaves gives a tree.
type sharedTree struct {
	values      []float64
	rows        []int
	found       comparison
	split       int
	left, right *sharedTree
}

// comparison sends features below the threshold to the left.
type comparison struct {
	feature   int
	threshold float64
	gain      float64
}

// grower makes one sharedTree.
type grower struct {
	points  []measuredPoint
	targets [][]float64 // by point: residuals about the point's mean, last the mean
	weights [][]float64 // of them; 0 where there is none. The mean's weights sum up to 1 over a stream
	site    []int       // of each variant
	prior   float64
}

// grow fits the tree with the largest number of leaves on some points.
func (t *measured) grow(rows []int, to growth) *sharedTree {
	common, own := t.offsets(rows)
	root := &sharedTree{values: append(own, common), rows: rows}
	if to.leaves < 2 {
		return root
	}
	g := &grower{points: t.points, prior: to.prior}
	g.prepare(t, rows)
	root.found = g.search(root)
	leaves := []*sharedTree{root}
	for len(leaves) < to.leaves {
		at := 0
		for i, n := range leaves {
			if n.found.gain > leaves[at].found.gain {
				at = i
			}
		}
		best := leaves[at]
		if best.found.gain <= 0 {
			break
		}
		g.divide(best)
		best.split = len(leaves)
		leaves[at] = best.left
		leaves = append(leaves, best.right)
	}
	return root
}

// prepare takes the residuals of each point apart.
func (g *grower) prepare(t *measured, rows []int) {
	calls := make([]float64, t.streams)
	for _, i := range rows {
		calls[t.points[i].stream]++
	}
	g.targets, g.weights = make([][]float64, len(t.points)), make([][]float64, len(t.points))
	for _, i := range rows {
		p := &t.points[i]
		n := len(p.of)
		y, w := make([]float64, n+1), make([]float64, n+1)
		mean, _ := p.mean()
		share := 1 / calls[p.stream]
		for v, m := range p.of {
			if m.measured() {
				y[v], w[v] = m.off-mean, float64(m.weight*share)
			}
		}
		y[n], w[n] = mean, share
		g.targets[i], g.weights[i] = y, w
	}
	for _, v := range t.variants {
		g.site = append(g.site, int(v.Site()))
	}
}

// at returns the outputs for features in the tree of so many leaves.
func (t *sharedTree) at(x []float64, leaves int) []float64 {
	for t.split > 0 && t.split < leaves {
		if x[t.found.feature] < t.found.threshold {
			t = t.left
		} else {
			t = t.right
		}
	}
	return t.values
}

// value is the correction of one variant that a growth makes of the outputs.
func (to growth) value(values []float64, v int) float64 {
	switch {
	case to.leaves == 0:
		return 0
	case !to.apart:
		return values[len(values)-1]
	}
	return values[v] + values[len(values)-1]
}

// regression returns the tree of one variant.
func (t *sharedTree) regression(v int, to growth) (*regtree.Tree, error) {
	var nodes []regtree.Node
	var add func(n *sharedTree)
	add = func(n *sharedTree) {
		if n.split == 0 || n.split >= to.leaves {
			leaf := constantLeaf(to.value(n.values, v), max(1, len(n.rows)))
			nodes = append(nodes, regtree.Node{Feature: -1, Leaf: leaf})
			return
		}
		nodes = append(nodes, regtree.Node{Feature: n.found.feature, Threshold: n.found.threshold})
		add(n.left)
		add(n.right)
	}
	add(t)
	return regtree.New(model.FeatureNames[:], nodes)
}

// divide splits a leaf. A value moves by the mean of its residuals, shrunk by n/(n+prior);
// an implementation without a row moves with those of its site.
func (g *grower) divide(n *sharedTree) {
	var left, right []int
	for _, i := range n.rows {
		if g.points[i].x[n.found.feature] < n.found.threshold {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	n.left, n.right = g.node(left, n.values), g.node(right, n.values)
	n.left.found, n.right.found = g.search(n.left), g.search(n.right)
}

func (g *grower) node(rows []int, above []float64) *sharedTree {
	n := &sharedTree{rows: rows, values: slices.Clone(above)}
	sum, weight := g.missed(rows, above)
	var moved, held [variant.SiteCount]float64
	for v := range n.values {
		if weight[v] == 0 {
			continue
		}
		step := sum[v] / (weight[v] + g.prior)
		n.values[v] += step
		if v < len(g.site) {
			moved[g.site[v]] += step
			held[g.site[v]]++
		}
	}
	for v, k := range g.site {
		if weight[v] == 0 && held[k] > 0 {
			n.values[v] += moved[k] / held[k]
		}
	}
	return n
}

// missed sums up, for each output, what values leave over, and the weights.
func (g *grower) missed(rows []int, values []float64) (sum, weight []float64) {
	sum, weight = make([]float64, len(values)), make([]float64, len(values))
	for _, i := range rows {
		for v, w := range g.weights[i] {
			sum[v] += float64(w * (g.targets[i][v] - values[v]))
			weight[v] += w
		}
	}
	return sum, weight
}

const leastStreams = 4.0 // the least number of streams on either side of a comparison

// search finds the comparison of largest gain, over all outputs and both sides,
//
//	Σ S²/(W+prior),
//
// with S the weighted sum of residuals and W that of weights.
func (g *grower) search(n *sharedTree) (best comparison) {
	total, weight := g.missed(n.rows, n.values)
	sum, held := make([]float64, len(total)), make([]float64, len(total))
	least := leastStreams - 1e-9 // their points' shares are rounded
	order := slices.Clone(n.rows)
	for f := range g.points[n.rows[0]].x {
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(g.points[a].x[f], g.points[b].x[f]), cmp.Compare(a, b))
		})
		if g.points[order[0]].x[f] == g.points[order[len(order)-1]].x[f] {
			continue
		}
		clear(sum)
		clear(held)
		for place, i := range order[:len(order)-1] {
			for v, w := range g.weights[i] {
				sum[v] += float64(w * (g.targets[i][v] - n.values[v]))
				held[v] += w
			}
			x, next := g.points[i].x[f], g.points[order[place+1]].x[f]
			mean := len(held) - 1
			if x == next || min(held[mean], weight[mean]-held[mean]) < least {
				continue
			}
			gain := 0.0
			for v, s := range sum {
				rest := total[v] - s
				gain += float64(s*s)/(held[v]+g.prior) + float64(rest*rest)/(weight[v]-held[v]+g.prior)
			}
			if gain > best.gain {
				best = comparison{feature: f, threshold: between(x, next), gain: gain}
			}
		}
	}
	return best
}

// between returns a threshold above low and not above high.
func between(low, high float64) float64 {
	if middle := low/2 + high/2; middle > low {
		return middle
	}
	return high
}
