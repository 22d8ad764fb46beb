package speedup

import (
	"math"
)

// evicted is the share of so many bytes that L2 does not keep. A hash spreads sectors over sets of
// as many ways: a set has X of them, Poisson with mean x = ways·bytes/L2AtomicBytes, nearly normal,
//
//	E[max(0, X - ways)] / x = (φ(z) + z·Φ(z)) / sqrt(x),  z = (x - ways)/sqrt(x)
func (b *Bundle) evicted(bytes float64) float64 {
	ways := b.d.Memory.L2Ways.Value
	x := ways * bytes * b.invL2Atomic
	switch {
	case x < ways/2:
		return 0
	case x > 64*ways: // or without end, where L2 keeps none
		return 1 - ways/x
	}
	deviation := math.Sqrt(x)
	z := (x - ways) / deviation
	density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
	return (density + z*0.5*math.Erfc(-z/math.Sqrt2)) / deviation
}

// setMisses sets which requests miss in L2: the first to a sector with the share of all targets,
// which have been cleared, that L2 does not keep; a later one with that of the targets that the
// stream touches, unless its target is hot (collision.Stats.HotTargets) and stays in L2.
func (b *Bundle) setMisses(st *stream) {
	bytes := st.bins * b.size
	st.coldShare = b.evicted(bytes)
	if st.coldShare == 0 {
		return
	}
	st.missShare = b.evicted(min(bytes, st.unique*b.sectorBytes))
	st.touchedSectors = b.touchedSectors(st)
}

// setHotRepeats sets how many requests are to hot targets that L2 keeps, of so many as frequent as
// the most frequent.
func (b *Bundle) setHotRepeats(st *stream, targets float64) {
	if st.coldShare == 0 {
		return
	}
	warps := min(st.maxFrequency, st.iterations) // that hold the hottest
	if st.hotWarps > 0 {
		warps = min(warps, st.hotWarps)
	}
	if often := 1 - b.d.Memory.HotWarps.Value/warps; often > 0 {
		st.hotTargets = targets * often
		st.hotRepeats = st.hotTargets * warps
	}
}

// touchedSectors is the number of sectors on which the targets lie that occur: as many
// for each as in a mean warp.
func (b *Bundle) touchedSectors(st *stream) float64 {
	return st.unique * min(1, st.sectors/st.DistinctPerWarp)
}

// missUS is the time of the targets where requests miss in L2. Of the slice with the hottest chunk,
// h requests are to hot targets and c to others, of which some miss. In order, a miss waits for
// memory, W = Q misses among misses, less what the Q requests before it take, with all of the c
// among these:
//
//	slice + misses · ((W - Q·hot/(h + c)) / (1 + (Q - 1)·c/(h + c)) - pass),  Q = SliceRequests
//
// What exceeds a miss among misses is divided by the number of hot sectors on the slice. Where
// slices do not work in order, misses take the memory's time alone and hold up nothing,
//
//	streamed bytes / memory rate + misses · miss_bytes / dram_rate
func (b *Bundle) missUS(a *adds, st *stream, slice, hot float64) float64 {
	cold := max(st.touchedSectors, min(st.iterations*a.sectors, st.runs)-st.hotRepeats)
	misses := st.touchedSectors*st.coldShare + (cold-st.touchedSectors)*st.missShare
	if !b.d.Global.InOrder.Value {
		return st.streamAtomicUS + misses*b.miss
	}
	requests, passes := b.sliceRequests, st.iterations*a.passes
	own := cold * b.sliceShare
	all := own + max(passes*a.chunk*st.hotChunks, min(st.hotTargets*a.hot, passes)*b.sliceShare)
	before := requests * max(0, hot-own*b.pass) / all
	among := b.miss / b.sliceShare
	stall := (requests*among - before) / (1 + (requests-1)*own/all)
	sectors := max(st.hotSectors*st.hotChunks, st.hotTargets*b.sliceShare)
	if sectors > 1 && stall > among {
		stall = among + (stall-among)/sectors
	}
	return slice + misses*b.sliceShare*max(0, stall-b.pass)
}
