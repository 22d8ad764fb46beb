package speedup

import "math"

// swaps is the number of iterations in which updates that meet at one target hinder each other: every
// one of them changes a sum or a product. A minimum or maximum of f values in random order changes
// about ln f + γ times, and those that still wait swap once more.
func (b *Bundle) swaps(updates float64) float64 {
	if !b.extreme || updates <= 1 {
		return updates
	}
	const euler = 0.5772156649015329 // γ, the limit of H(f) - ln f
	return min(updates, 1+euler+math.Log(updates))
}

// waitingSwaps is the time in which the busiest slice serves the swaps that all waiting lanes make
// while one of them gets through, in the mean over a call. The updates of resident warps wait from
// the start, a share r of all; those of the most frequent target to the end, the others of its
// chunk while the mean one of these gets its updates:
//
//	(hot + (passes · share of the busiest chunk - hot)·min(1, mean/hot)) · r·(1 - r/2) · pass
//
// Lanes that take extremes wait together to the end: passes · share · r · pass. It holds for loops
// that go on from what the swap returned.
func (b *Bundle) waitingSwaps(a *adds, st *stream) float64 {
	if b.round == b.atomic {
		return 0
	}
	resident := min(1, st.direct.inFlight()/b.lanes/st.iterations)
	hot := a.hot * max(b.pass, b.sameAddress)
	all := max(hot, st.iterations*a.passes*(a.chunk+(1-a.chunk)*b.sliceShare)*b.pass)
	if b.extreme {
		return all * resident
	}
	others := max(1, min(st.unique, 1/b.chunksPerTarget)-1)
	mean := max(1, (st.chunkFrequency-st.maxFrequency)/others)
	return (hot + (all-hot)*min(1, mean/a.hot)) * resident * (1 - 0.5*resident)
}
