package regtree

import "slices"

// rounding is the share of a node's squared error below which a gain, or a difference between two
// gains, counts as rounding. Prefix sums over a million rows err by less.
const rounding = 1e-12

// A split is a comparison and what it is worth.
type split struct {
	feature   int
	threshold float64
	gain      float64 // decrease of the sum of squared errors
	found     bool
}

// bestSplit returns the comparison that lowers the squared error of the rows
// order[·][lo:hi] most, summed over the targets. With a target centred on the node's
// mean, S the sum of it and W the number of rows that know it on each side,
//
//	gain = S_left²/W_left + S_right²/W_right - S²/W   [breiman84] section 8.4
//
// and 0 where one side has fewer than MinLeaf of these. Of equal gains the lowest feature wins, then
// the lowest threshold.
func (g *grower) bestSplit(lo, hi int, at []summary) split {
	var best split
	if differ := slices.ContainsFunc(at, func(t summary) bool { return t.differ }); !differ ||
		hi-lo < 2*g.MinLeaf {
		return best
	}
	noise := 0.0
	for _, l := range at {
		noise += float64(rounding * l.squares)
	}
	best.gain = noise
	for feature := range g.x {
		g.scan(feature, g.order[feature][lo:hi], at, noise, &best)
	}
	return best
}

// scan tries every threshold of one feature and improves best.
func (g *grower) scan(feature int, rows []int32, at []summary, noise float64, best *split) {
	column := g.x[feature]
	if column[rows[0]] == column[rows[len(rows)-1]] {
		return
	}
	last := len(rows) - g.MinLeaf
	gains := g.gains[:last]
	clear(gains)
	for target, l := range at {
		g.addGains(gains, rows, g.y[target], l)
	}
	for p, gain := range gains {
		if gain <= best.gain || best.found && gain <= best.gain+noise {
			continue // few are left, whose values are looked up
		}
		if p+1 < g.MinLeaf || column[rows[p]] == column[rows[p+1]] {
			continue
		}
		*best = split{feature, midpoint(column[rows[p]], column[rows[p+1]]), gain, true}
	}
}

// addGains adds to the p-th gain what a target gains by a split behind the p-th row.
func (g *grower) addGains(gains []float64, rows []int32, y []float64, at summary) {
	centred := g.centred[:len(rows)]
	var total, all, sum, left float64
	for p, r := range rows {
		if centred[p] = y[r] - at.mean; known(centred[p]) {
			total += centred[p]
			all++
		}
	}
	base, least := total*total/all, float64(g.MinLeaf)
	for p := range gains {
		if known(centred[p]) {
			sum += centred[p]
			left++
		}
		if rest := total - sum; left >= least && all-left >= least {
			gains[p] += sum*sum/left + rest*rest/(all-left) - base
		}
	}
}

// midpoint returns a threshold t with low < t <= high, halfway where float64 has such a number.
func midpoint(low, high float64) float64 {
	t := float64(low/2) + float64(high/2)
	if t > low && t <= high {
		return t
	}
	return high
}
