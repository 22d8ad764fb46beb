package regtree

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// ErrEmpty reports a fit on no row.
var ErrEmpty = errors.New("no rows kept")

// Options say when a tree stops growing: also where each leaf is pure, and where no split lowers the error.
type Options struct {
	MaxLeaves int // the splits of largest gain, anywhere in the tree, are made first
	MinLeaf   int // rows of a leaf at least; 0 means 1
}

// Sorted holds rows made ready for many fits on parts of them, sorted once by each column. It is safe for
// concurrent use.
type Sorted struct {
	x     [][]float64 // x[column][row]
	y     [][]float64 // y[target][row]
	order [][]int32   // rows of each column, ascending by value, then by row
}

// Sort sorts the rows of x by each column. All numbers are finite. Each target has one number a row, at most
// 1e100 in magnitude, and should have the unit of the others. A NaN is a target that is not known: it takes no
// part in splits and means. Where fewer than MinLeaf rows of a node know a target, the node predicts what the
// one above it does, and the root 0.
func Sort(x [][]float64, targets ...[]float64) *Sorted {
	s := &Sorted{x: make([][]float64, len(x[0])), y: targets}
	for j := range s.x {
		column, order := make([]float64, len(x)), make([]int32, len(x))
		for i, row := range x {
			column[i], order[i] = row[j], int32(i)
		}
		slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(column[a], column[b]), int(a-b)) })
		s.x[j], s.order = column, append(s.order, order)
	}
	return s
}

// Fit grows a tree on the rows that keep accepts: each split is the one that lowers the squared error of
// all targets together most. The error is ErrEmpty where no row is left.
func (s *Sorted) Fit(keep func(row int) bool, o Options) (Tree, error) {
	all := len(s.y[0])
	o.MinLeaf = max(1, o.MinLeaf)
	g := &grower{Sorted: *s, Options: o, left: make([]uint8, all), scratch: make([]int32, all)}
	for row := range g.left {
		if keep(row) {
			g.left[row] = 1
		}
	}
	g.order = make([][]int32, len(s.order))
	for j, order := range s.order {
		g.order[j] = slices.Clone(order)
		g.order[j] = g.order[j][:g.partition(g.order[j])]
	}
	rows := len(g.order[0])
	if rows == 0 {
		return nil, ErrEmpty
	}
	g.gains, g.centred = make([]float64, rows), make([]float64, rows)
	root := g.branch(0, rows, make([]summary, len(s.y)))
	for leaves := 1; len(g.frontier) > 0 && leaves < o.MaxLeaves; leaves++ {
		next := g.largestGain()
		b := g.frontier[next]
		g.frontier = slices.Delete(g.frontier, next, next+1)
		g.divide(b)
	}
	return Link(root.nodes(nil), len(s.x))
}

// grower holds the rows of all nodes while a tree grows: a node owns one range
// lo:hi of every column's order, its children the two parts of that range.
type grower struct {
	Sorted
	Options
	left     []uint8 // 1 for each row on the left side of the split at hand
	scratch  []int32
	gains    []float64 // of the split behind each row, summed over the targets so far
	centred  []float64 // of one target at each row, less its mean
	frontier []*branch // that await their split, the oldest first
}

// A branch is a node under construction.
type branch struct {
	lo, hi      int
	targets     []summary
	split       split
	left, right *branch // nil in a leaf
}

// summary is what is known of one target in a branch.
type summary struct {
	mean, squares float64 // squares: of the differences from the mean, summed
	count         int     // rows that know it
	differ        bool    // not all are equal
}

// branch summarizes the rows lo:hi and queues them if they can be split. A target that fewer than
// MinLeaf of them know keeps the summary of the branch above.
func (g *grower) branch(lo, hi int, above []summary) *branch {
	b := &branch{lo: lo, hi: hi}
	for target, y := range g.y {
		s := summarize(g.order[0][lo:hi], y)
		if s.count < min(g.MinLeaf, hi-lo) {
			s = above[target]
		}
		b.targets = append(b.targets, s)
	}
	if b.split = g.bestSplit(lo, hi, b.targets); b.split.found {
		g.frontier = append(g.frontier, b)
	}
	return b
}

// summarize returns the summary of a target over rows. Sums are of the differences from the least, so that
// targets that are large and close together lose nothing.
func summarize(rows []int32, y []float64) (s summary) {
	least, most := math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		if v := y[r]; known(v) {
			s.count++
			least, most = min(least, v), max(most, v)
		}
	}
	if s.count == 0 {
		return s
	}
	sum := 0.0
	for _, r := range rows {
		if known(y[r]) {
			sum += y[r] - least
		}
	}
	s.mean, s.differ = min(least+sum/float64(s.count), most), least != most
	for _, r := range rows {
		if d := y[r] - s.mean; known(d) {
			s.squares += d * d
		}
	}
	return s
}

// known reports whether a target is known: NaN stands for one that is not.
func known(target float64) bool { return target == target }

// divide sends the rows of b to two new branches.
func (g *grower) divide(b *branch) {
	column := g.x[b.split.feature]
	middle := b.lo
	for _, r := range g.order[b.split.feature][b.lo:b.hi] {
		if g.left[r] = 0; column[r] < b.split.threshold {
			g.left[r] = 1
			middle++
		}
	}
	for feature, rows := range g.order {
		if feature != b.split.feature { // that one is in order already
			g.partition(rows[b.lo:b.hi])
		}
	}
	b.left = g.branch(b.lo, middle, b.targets)
	b.right = g.branch(middle, b.hi, b.targets)
}

// partition moves the rows whose left is 1, not 0, to the front of rows and the others
// behind them, each side in its old order.
func (g *grower) partition(rows []int32) (front int) {
	for i, r := range rows { // without a branch, which no processor would predict
		rows[front], g.scratch[i-front] = r, r
		front += int(g.left[r])
	}
	copy(rows[front:], g.scratch)
	return front
}

// nodes appends the nodes of a branch in preorder.
func (b *branch) nodes(list []Node) []Node {
	if b.left != nil {
		list = append(list, Node{Feature: b.split.feature, Threshold: b.split.threshold})
		return b.right.nodes(b.left.nodes(list))
	}
	leaf := Node{Feature: -1}
	for _, s := range b.targets {
		leaf.Values = append(leaf.Values, s.mean)
	}
	return append(list, leaf)
}

// largestGain returns the place of the largest gain in the frontier, the first of equal ones.
func (g *grower) largestGain() (place int) {
	for i, b := range g.frontier {
		if b.split.gain > g.frontier[place].split.gain {
			place = i
		}
	}
	return place
}

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
		noise += rounding * l.squares
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
	t := low/2 + high/2
	if t > low && t <= high {
		return t
	}
	return high
}
