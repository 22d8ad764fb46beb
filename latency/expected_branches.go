package latency

// meanBranches counts what the splits of a loop's warp cost, whose lanes are
// uniform on words and share all locks. Terms of no cost are not counted.
func (p Params) meanBranches(counts *[numTerms]float64, c crowd) {
	switch {
	case p.Apart:
		if c.lanes == p.Lanes && (p.Ahead != 0 || p.AheadAgain != 0 || p.AheadLast != 0) {
			m := overLoads(c.lanes, c.words, p.Locks, aheadRule)
			counts[termAhead] = -(m[aheadElse] + m[aheadAgain] + m[aheadLast])
			counts[termAheadAgain], counts[termAheadLast] = -m[aheadAgain], -m[aheadLast]
		}
	case p.Park != 0 || p.Merge != 0 || p.MergeSaved != 0:
		m := overLoads(c.lanes, c.words, p.Locks, parkRule)
		counts[termPark], counts[termMerge], counts[termMergeSaved] = m[parkLast], m[parkSome], -m[parkSaved]
	}
}

// The masses of parkRule: that no lanes were parked and merged later, that some
// were, that some are parked at the last branch, and the mean number of times
// that they were merged beyond the first.
const (
	parkNone = iota
	parkSome
	parkLast
	parkSaved
)

// parkRule follows the lanes that a warp parks where those that are done
// outnumber the others. The order of the turns does not matter.
func parkRule(x masses, _, leave, after int, last bool) masses {
	switch {
	case after == 0 || leave <= after:
	case last:
		x[parkLast] += x[parkNone] + x[parkSome]
	default:
		x[parkSaved] += x[parkSome]
		x[parkNone], x[parkSome] = 0, x[parkNone]+x[parkSome]
	}
	return x
}

// The masses of aheadRule: of the second branch, that the lanes that are done
// were the more among others, that the branch was the last, and all else.
const (
	aheadElse = iota
	aheadAgain
	aheadLast
)

// aheadRule keeps of a loop whose lanes run apart the cases in which, at the
// first branch, the lanes that are done outnumber the others.
func aheadRule(x masses, turn, leave, after int, _ bool) masses {
	switch {
	case turn == 2 && leave > 0 && after == 0:
		return masses{aheadLast: x[aheadElse]}
	case turn == 2 && after > 0 && leave > after:
		return masses{aheadAgain: x[aheadElse]}
	case turn == 1 && (after == 0 || leave <= after):
		return masses{}
	}
	return x
}
