package calibration

import (
	"cmp"
	"slices"

	"github.com/atomtune/atomtune/variant"
)

// divide makes two nodes of a leaf. A value moves from the node above by the
// mean of what it misses, shrunk by n/(n+prior); an implementation that no row
// holds moves with those of its site.
func (g *grower) divide(n *sharedNode) {
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

func (g *grower) node(rows []int, above []float64) *sharedNode {
	n := &sharedNode{rows: rows, values: slices.Clone(above)}
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

// search finds the comparison of largest gain: the decrease of the weighted
// squared error, over all outputs, by the shrunk moves of both sides,
//
//	Σ S²/(W+prior) on the left + Σ S²/(W+prior) on the right,
//
// with S the sum of what the leaf's value leaves over and W of the weights.
func (g *grower) search(n *sharedNode) (best comparison) {
	total, weight := g.missed(n.rows, n.values)
	sum, held := make([]float64, len(total)), make([]float64, len(total))
	least := float64(g.streams) - 1e-9 // their points' shares are rounded
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
