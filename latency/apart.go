package latency

// apart follows a loop whose lanes are free to run apart. The first branch at
// which lanes of a whole warp go round again decides: the warp splits, unless
// the lanes that are done outnumber the others.
type apart struct {
	whole  bool // all lanes of the warp take part
	turns  int  // branches so far
	before bool // at each of them the lanes that were done were the more
}

// branch counts the end of a turn at which so many lanes are done and so many
// go round again.
func (a *apart) branch(counts *[numTerms]float64, done, again int) {
	a.turns++
	if !a.whole {
		return
	}
	switch {
	case a.turns == 1 && again > 0:
		counts[termSplit] = 1
		if a.before = done > again; a.before {
			counts[termAhead] = -1
		}
	case a.turns == 2 && a.before && again == 0:
		counts[termAheadLast] = -1
	case a.turns == 2 && a.before && done > again:
		counts[termAheadAgain] = -1
	}
}
