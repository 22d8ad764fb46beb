package regtree

// rounding is the share of a node's squared error below which a gain, or a
// difference between two gains, counts as rounding. Prefix sums over a
// million rows err by less.
const rounding = 1e-12

// A split is a comparison and what it is worth.
type split struct {
	feature   int
	threshold float64
	gain      float64 // decrease of the sum of squared errors
	found     bool
}

// A moment is the weight of a row and its weighted target, centred on the mean of
// the node at hand.
type moment struct{ weight, target float64 }

// bestSplit returns the comparison that lowers the squared error of the rows
// order[·][lo:hi] most. With the targets centred on the node's mean, S the
// sum of targets and W the number of rows on each side,
//
//	gain = S_left²/W_left + S_right²/W_right - S²/W   [breiman84] section 8.4
//
// and one pass over each sorted column finds it for every threshold. Of equal
// gains the lowest feature wins, then the lowest threshold.
func (g *grower) bestSplit(lo, hi int, at Leaf) split {
	var best split
	if at.Min == at.Max || hi-lo < 2*g.minLeaf {
		return best
	}
	noise := rounding * at.squaredError()
<<<<<<< HEAD
	best.gain = noise
=======
	best.gain = max(noise, g.minGain)
	for _, r := range g.order[0][lo:hi] {
		g.moments[r] = moment{g.w[r], g.w[r] * (g.y[r] - at.Value)}
	}
>>>>>>> testtime
	for feature := range g.x {
		g.scan(feature, g.order[feature][lo:hi], at, noise, &best)
	}
	return best
}

// scan tries every threshold of one feature and improves best.
func (g *grower) scan(feature int, rows []int32, at Leaf, noise float64, best *split) {
<<<<<<< HEAD
	column, y := g.x[feature], g.y
=======
	column, moments := g.x[feature], g.moments
>>>>>>> testtime
	if column[rows[0]] == column[rows[len(rows)-1]] {
		return
	}
	var total float64
	for _, r := range rows {
<<<<<<< HEAD
		total += y[r] - at.Value
=======
		total += moments[r].target
>>>>>>> testtime
	}
	all := float64(at.Count)
	base := total * total / all
	var sum float64
	last := len(rows) - g.minLeaf
	for p, r := range rows[:last] {
<<<<<<< HEAD
		sum += y[r] - at.Value
=======
		sum += moments[r].target
		weight += moments[r].weight
>>>>>>> testtime
		if p+1 < g.minLeaf || column[r] == column[rows[p+1]] {
			continue
		}
		rest, left := total-sum, float64(p+1)
		gain := sum*sum/left + rest*rest/(all-left) - base
		if gain > best.gain && (!best.found || gain > best.gain+noise) {
			*best = split{feature, midpoint(column[r], column[rows[p+1]]), gain, true}
		}
	}
}

// midpoint returns a threshold t with low < t <= high, halfway where float64
// has such a number.
func midpoint(low, high float64) float64 {
	t := low/2 + high/2
	if t > low && t <= high {
		return t
	}
	return high
}
