package regtree

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
// order[·][lo:hi] most. With the targets centred on the node's mean, S the
// sum of targets and W the number of rows on each side,
//
//	gain = S_left²/W_left + S_right²/W_right - S²/W   [breiman84] section 8.4
//
// Of equal gains the lowest feature wins, then the lowest threshold.
func (g *grower) bestSplit(lo, hi int, at Leaf) split {
	var best split
	if at.Min == at.Max || hi-lo < 2*g.MinLeaf {
		return best
	}
	noise := rounding * at.squaredError()
	best.gain = noise
	for feature := range g.x {
		g.scan(feature, g.order[feature][lo:hi], at, noise, &best)
	}
	return best
}

// scan tries every threshold of one feature and improves best.
func (g *grower) scan(feature int, rows []int32, at Leaf, noise float64, best *split) {
	column, y := g.x[feature], g.y
	if column[rows[0]] == column[rows[len(rows)-1]] {
		return
	}
	var total float64
	for _, r := range rows {
		total += y[r] - at.Value
	}
	all := float64(at.Count)
	base := total * total / all
	var sum float64
	last := len(rows) - g.MinLeaf
	for p, r := range rows[:last] {
		sum += y[r] - at.Value
		if p+1 < g.MinLeaf || column[r] == column[rows[p+1]] {
			continue
		}
		rest, left := total-sum, float64(p+1)
		gain := sum*sum/left + rest*rest/(all-left) - base
		if gain > best.gain && (!best.found || gain > best.gain+noise) {
			*best = split{feature, midpoint(column[r], column[rows[p+1]]), gain, true}
		}
	}
}

// midpoint returns a threshold t with low < t <= high, halfway where float64 has such a number.
func midpoint(low, high float64) float64 {
	t := low/2 + high/2
	if t > low && t <= high {
		return t
	}
	return high
}
