package latency

import "github.com/atomtune/atomtune/device"

// plainWarp is Warp as [gomezluna13] writes it: lane by lane, with sets of words
// and locks.
func plainWarp(pattern []int32, p Params) Prediction {
	w := walk{p: p, pattern: pattern}
	var pending []int
	for lane, word := range pattern {
		if word != Inactive {
			pending = append(pending, lane)
		}
	}
	if len(pending) == 0 {
		return Prediction{}
	}
	w.count(TermBase, 1)
	w.apart.whole = len(pending) == p.Lanes
	if !w.apart.whole {
		w.count(TermPartial, 1)
	}
	for len(pending) > 0 {
		pending = w.iteration(pending)
	}
	w.hide()
	return w.prediction()
}

// walk goes through the iterations of one operation and counts.
type walk struct {
	p       Params
	pattern []int32
	rounds  []Round
	counts  Counts
	before  float64 // cycles counted before the iteration
	parked  bool    // at the last branch the lanes that were done were more
	merges  int     // how often parked lanes had to be merged
	apart   apart
}

func (w *walk) count(t int, n float64) { w.counts[t] += n }

func (w *walk) iteration(pending []int) []int {
	first := len(w.rounds) == 0
	r := Round{Pending: pending}
	if !first {
		w.count(TermRound, 1)
		if len(w.rounds)+1 == w.p.StepIteration {
			w.count(TermStep, 1)
		}
	}
	var left []int
	switch w.p.Mechanism {
	case device.Native:
		r.ReadPasses = w.ref().passes(w.pattern, pending, true)
		r.Winners = pending
		w.count(TermRound, float64(r.ReadPasses-w.ref().free(pending)))
	case device.Merge, device.Access:
		r.ReadPasses = w.read(pending)
		r.Winners = pending
	case device.CAS:
		if first {
			r.ReadPasses = w.read(pending)
		}
		r.WritePasses = w.ref().passes(w.pattern, pending, true)
		w.count(TermWrite, float64(r.WritePasses-w.ref().free(pending)))
		r.Winners, left = w.ref().winners(w.pattern, pending)
	default:
		r.ReadPasses = w.read(pending)
		r.Winners, left = w.ref().winners(w.pattern, pending)
		r.WritePasses = w.ref().passes(w.pattern, r.Winners, false)
		w.count(TermWrite, float64(r.WritePasses-w.ref().free(r.Winners)))
	}
	switch {
	case w.p.Apart:
		w.apart.branch(&w.counts, len(r.Winners), len(left))
	case len(left) > 0:
		w.branch(len(r.Winners), len(left))
	}
	total := w.p.Total(&w.counts)
	r.Cycles = total - w.before
	w.before = total
	w.rounds = append(w.rounds, r)
	return left
}

func (w *walk) read(pending []int) int {
	passes, free := w.ref().passes(w.pattern, pending, false), w.ref().free(pending)
	if w.p.Wide && w.p.Pairs && w.ref().pairs(w.pattern, pending) {
		passes = w.ref().fullest(w.pattern, pending, false) // both halves at once
		w.count(TermPaired, -1)
	}
	if w.p.Wide && w.p.Pairs && w.p.Mechanism == device.Spin && free == 1 {
		w.count(TermHalf, -1)
		free = 2
	}
	w.count(TermBank, float64(passes-free))
	return passes
}

func (w *walk) branch(done, again int) {
	if w.parked {
		w.merges++
		w.count(TermPark, -1)
		if w.merges == 1 {
			w.count(TermMerge, 1)
		} else {
			w.count(TermMergeSaved, -1)
		}
	}
	w.parked = done > again
	if w.parked {
		w.count(TermPark, 1)
	}
}

func (w *walk) hide() {
	if w.p.Hidden == 0 || w.p.Mechanism != device.CAS {
		return
	}
	first := &w.rounds[0]
	hidden := min(w.p.Hidden, w.p.Bank*float64(max(0, first.ReadPasses-w.ref().free(first.Pending))))
	w.counts[TermHidden] = -hidden
	first.Cycles -= hidden
}

func (w *walk) prediction() Prediction {
	out := Prediction{Rounds: w.rounds, Cycles: w.p.Total(&w.counts)}
	for t, n := range w.counts {
		if n != 0 {
			out.Terms = append(out.Terms, Term{termNames[t], n, n * w.p.Constant(t)})
		}
	}
	return out
}

// apart follows a loop whose lanes are free to run apart. The first branch at
// which lanes of a whole warp go round again decides: the warp splits, unless
// the lanes that are done outnumber the others.
type apart struct {
	whole      bool // all lanes of the warp take part
	iterations int  // branches so far
	before     bool // at each of them the lanes that were done were the more
}

func (a *apart) branch(counts *Counts, done, again int) {
	a.iterations++
	if !a.whole {
		return
	}
	switch {
	case a.iterations == 1 && again > 0:
		counts[TermSplit] = 1
		if a.before = done > again; a.before {
			counts[TermAhead] = -1
		}
	case a.iterations == 2 && a.before && again == 0:
		counts[TermAheadLast] = -1
	case a.iterations == 2 && a.before && done > again:
		counts[TermAheadAgain] = -1
	}
}

// reference serves the words of lanes without counting what it can know at once.
type reference struct{ Structure }

// passes is Algorithm_bank: the serial accesses of the fullest bank over the
// lanes. Equal words are broadcast, unless every lane counts for itself. Wide
// words are served in halves of the warp, one after the other, each half as
// long as its fullest pair of banks takes; a half without a lane takes none.
func (s reference) passes(pattern []int32, lanes []int, every bool) int {
	if !s.Wide {
		return s.fullest(pattern, lanes, every)
	}
	low, high := s.halves(lanes)
	return s.fullest(pattern, low, every) + s.fullest(pattern, high, every)
}

// free is how many passes an access without conflict takes.
func (s reference) free(lanes []int) int {
	if !s.Wide {
		return 1
	}
	low, high := s.halves(lanes)
	return min(1, len(low)) + min(1, len(high))
}

func (s reference) halves(lanes []int) (low, high []int) {
	for i, l := range lanes {
		if l >= s.Lanes/2 {
			return lanes[:i], lanes[i:]
		}
	}
	return lanes, nil
}

func (s reference) fullest(pattern []int32, lanes []int, every bool) int {
	seen := map[int32]bool{}
	inColumn := map[int32]int{}
	worst := 0
	for _, l := range lanes {
		if word := pattern[l]; every || !seen[word] {
			seen[word] = true
			column := word % int32(s.Columns())
			inColumn[column]++
			worst = max(worst, inColumn[column])
		}
	}
	return worst
}

// pairs reports whether the hardware reads both halves of wide words at once:
// where each pair of neighbouring lanes, or each pair of lanes two apart,
// wants the same word, or one of the two wants none.
func (s reference) pairs(pattern []int32, lanes []int) bool {
	wants := make([]int32, s.Lanes+2)
	for l := range wants {
		wants[l] = Inactive
	}
	for _, l := range lanes {
		wants[l] = pattern[l]
	}
	return pairedAt(wants, 1) || pairedAt(wants, 2)
}

func pairedAt(wants []int32, distance int) bool {
	for l, a := range wants {
		if l&distance == 0 && l+distance < len(wants) {
			if b := wants[l+distance]; a != Inactive && b != Inactive && a != b {
				return false
			}
		}
	}
	return true
}

// winners is Algorithm_lock: of the lanes that share a lock the lowest
// acquires it. Where hardware spins on wide words, the second half of the warp
// comes when the locks of the first are free again: each half has winners of
// its own, but a lane whose word the first half has just updated holds its
// lock in vain.
func (s reference) winners(pattern []int32, lanes []int) (won, left []int) {
	taken, updated := map[int32]bool{}, map[int32]bool{}
	split := s.Wide && s.Mechanism == device.Spin
	second := false
	for _, l := range lanes {
		if split && !second && l >= s.Lanes/2 {
			second = true
			taken = map[int32]bool{}
			for _, w := range won {
				updated[pattern[w]] = true
			}
		}
		lock := s.Lock(pattern[l])
		if taken[lock] {
			left = append(left, l)
			continue
		}
		taken[lock] = true
		if updated[pattern[l]] {
			left = append(left, l)
			continue
		}
		won = append(won, l)
	}
	return won, left
}

func (w *walk) ref() reference { return reference{w.p.Structure} }
