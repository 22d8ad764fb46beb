package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/atomtune/atomtune/internal/splitmix"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// growth says how far a correction goes.
type growth struct {
	trees int // 0: no correction
	// apart is set where implementations are corrected apart. Otherwise all have
	// the same factor, which leaves their order as it is.
	apart  bool
	leaves float64 // of a tree, the most; 1: offsets alone
}

// growths lists what is tried, the simplest first.
func growths() []growth {
	const trees, leaves = 8, 128
	return []growth{{}, {trees: 1, leaves: 1}, {trees: 1, apart: true, leaves: 1},
		{trees: trees, apart: true, leaves: leaves}}
}

// grow fits the trees of a growth to some points, nil for no correction or none.
func (t *measured) grow(rows []int, to growth) *model.Forest {
	if to.trees == 0 || len(rows) == 0 {
		return nil
	}
	f := &model.Forest{Implementations: t.variants}
	for _, bag := range t.bags(rows, to.trees) {
		f.Trees = append(f.Trees, t.tree(bag, to))
	}
	return f
}

// bags splits the streams of rows at random into two parts per pair of bags, so that trees agree on
// what no single stream decides; a bag is left out that would be empty.
func (t *measured) bags(rows []int, n int) (list [][]int) {
	if n == 1 {
		return [][]int{rows}
	}
	r, part := splitmix.New(uint64(n)), make([]int, t.streams)
	var streams []int
	for _, i := range rows {
		if s := t.points[i].stream; len(streams) == 0 || streams[len(streams)-1] != s {
			streams = append(streams, s)
		}
	}
	for b := range n {
		if b%2 == 0 {
			for i := range streams {
				j := i + int(r.Below(uint64(len(streams)-i)))
				streams[i], streams[j] = streams[j], streams[i]
			}
			for at, s := range streams {
				part[s] = at % 2
			}
		}
		bag := slices.DeleteFunc(slices.Clone(rows),
			func(i int) bool { return part[t.points[i].stream] != b%2 })
		if len(bag) > 0 {
			list = append(list, bag)
		}
	}
	return list
}

// tree fits one tree.
func (t *measured) tree(rows []int, to growth) (tree model.SharedTree) {
	common, own := t.offsets(rows)
	for v := range own {
		if own[v] += common; !to.apart {
			own[v] = common
		}
	}
	tree.Features, tree.Thresholds, tree.Leaves = []int{}, []float64{}, [][]int32{}
	g := &grower{points: t.points, tree: &tree, goesLeft: make([]bool, len(t.points)),
		alone: to.leaves == 1}
	for _, v := range t.variants {
		g.site = append(g.site, int(v.Site()))
	}
	streams := g.weigh(rows)
	// shares are rounded
	g.least = max(leastStreams, streams/to.leaves) - 1e-9
	g.grow(g.sorted(rows), own)
	return tree
}

// grower makes one tree.
type grower struct {
	points   []measuredPoint
	share    []float64 // of a point among those of its stream
	shares   [][]timeShare
	site     []int   // of each variant
	least    float64 // number of streams on either side of a comparison
	alone    bool    // without comparisons
	goesLeft []bool
	tree     *model.SharedTree
}

// timeShare is a measured time of a point: its variant, its share of those of its stream and variant,
// and what it is off.
type timeShare struct {
	variant    int
	share, off float64
}

// weigh sets the shares, which sum up to 1 over a stream, and returns the number of streams.
func (g *grower) weigh(rows []int) (streams float64) {
	calls := map[int][]float64{} // of a stream, of each variant and last of any
	n := len(g.site)
	for _, i := range rows {
		p := &g.points[i]
		if calls[p.stream] == nil {
			calls[p.stream] = make([]float64, n+1)
		}
		calls[p.stream][n]++
		for v := range p.of {
			if p.of[v].measured() {
				calls[p.stream][v]++
			}
		}
	}
	g.share, g.shares = make([]float64, len(g.points)), make([][]timeShare, len(g.points))
	for _, i := range rows {
		p := &g.points[i]
		g.share[i] = 1 / calls[p.stream][n]
		for v := range p.of {
			if p.of[v].measured() {
				g.shares[i] = append(g.shares[i], timeShare{v, 1 / calls[p.stream][v], p.of[v].off})
			}
		}
	}
	return float64(len(calls))
}

const (
	leastStreams = 1.0 // on either side of a comparison, at least
	prior        = 1.0 // streams that speak for no difference from the node above
)

// comparison sends features below the threshold to the left.
type comparison struct {
	feature   int
	threshold float64
	gain      float64
}

// sorted returns the rows in the order of each feature of streams.
func (g *grower) sorted(rows []int) [][]int {
	list := make([][]int, model.NumStreamFeatures)
	for f := range list {
		list[f] = slices.Clone(rows)
		slices.SortFunc(list[f], func(a, b int) int {
			return cmp.Or(cmp.Compare(g.points[a].x[f], g.points[b].x[f]), cmp.Compare(a, b))
		})
	}
	return list
}

// grow appends the nodes below rows, given in the order of each feature, in preorder. values are
// the corrections of the node.
func (g *grower) grow(sorted [][]int, values []float64) {
	var best comparison
	if !g.alone {
		best = g.search(sorted, values)
	}
	if best.gain <= 0 {
		leaf := make([]int32, len(values))
		for v, y := range values {
			leaf[v] = int32(math.Round(y / model.ForestStep))
		}
		g.tree.Features, g.tree.Leaves = append(g.tree.Features, -1), append(g.tree.Leaves, leaf)
		return
	}
	g.tree.Features = append(g.tree.Features, best.feature)
	g.tree.Thresholds = append(g.tree.Thresholds, best.threshold)
	for _, i := range sorted[0] {
		g.goesLeft[i] = g.points[i].x[best.feature] < best.threshold
	}
	left, right := make([][]int, len(sorted)), make([][]int, len(sorted))
	for f, rows := range sorted {
		for _, i := range rows {
			if g.goesLeft[i] {
				left[f] = append(left[f], i)
			} else {
				right[f] = append(right[f], i)
			}
		}
	}
	g.grow(left, g.moved(left[0], values))
	g.grow(right, g.moved(right[0], values))
}

// moved returns the values of a node. Each moves from those above by the mean of what they leave
// over, shrunk by n/(n+prior); an implementation without a row moves with those of its site.
func (g *grower) moved(rows []int, above []float64) []float64 {
	values := slices.Clone(above)
	sum, weight := g.missed(rows, above)
	var moved, held [variant.SiteCount]float64
	for v, k := range g.site {
		if weight[v] > 0 {
			step := sum[v] / (weight[v] + prior)
			values[v] += step
			moved[k] += step
			held[k]++
		}
	}
	for v, k := range g.site {
		if weight[v] == 0 && held[k] > 0 {
			values[v] += moved[k] / held[k]
		}
	}
	return values
}

// missed sums up, for each implementation, what values leave over, and the shares.
func (g *grower) missed(rows []int, values []float64) (sum, weight []float64) {
	sum, weight = make([]float64, len(values)), make([]float64, len(values))
	for _, i := range rows {
		g.add(i, values, sum, weight)
	}
	return sum, weight
}

func (g *grower) add(i int, values, sum, weight []float64) {
	for _, s := range g.shares[i] {
		sum[s.variant] += float64(s.share * (s.off - values[s.variant]))
		weight[s.variant] += s.share
	}
}

// search finds the comparison of largest gain, over all implementations and both sides,
//
//	Σ S²/(W+prior),
//
// with S the weighted sum of residuals and W that of weights.
func (g *grower) search(sorted [][]int, values []float64) (best comparison) {
	total, weight := g.missed(sorted[0], values)
	all := 0.0
	for _, i := range sorted[0] {
		all += g.share[i]
	}
	sum, held := make([]float64, len(total)), make([]float64, len(total))
	for f, order := range sorted {
		if g.points[order[0]].x[f] == g.points[order[len(order)-1]].x[f] {
			continue
		}
		clear(sum)
		clear(held)
		streams := 0.0
		for place, i := range order[:len(order)-1] {
			g.add(i, values, sum, held)
			streams += g.share[i]
			x, next := g.points[i].x[f], g.points[order[place+1]].x[f]
			if x == next || min(streams, all-streams) < g.least {
				continue
			}
			gain := 0.0
			for v, s := range sum {
				rest := total[v] - s
				gain += float64(s*s)/(held[v]+prior) + float64(rest*rest)/(weight[v]-held[v]+prior)
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
	if middle := float64(low/2) + float64(high/2); middle > low {
		return middle
	}
	return high
}
