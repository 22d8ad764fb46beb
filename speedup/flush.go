package speedup

import "math"

// zeroUS is the time of clearing so many shared counters in each block, up to the barrier.
func (b *Bundle) zeroUS(g *launch, counters float64, x *bounds) float64 {
	warps := g.blocks * g.uneven / b.lanes
	x[boundIssue] = counters * (warps * zeroInstructions * b.issue)
	x[boundPort] = counters * (warps * b.words * b.passPort * b.perSM)
	x[boundLatency] = g.waves *
		(counters*(zeroInstructions/g.threads*b.alu*b.cycle) + b.barrier*b.cycle)
	return max(x[boundIssue], x[boundPort], x[boundLatency])
}

// flushUS is the time of adding the copies to the targets: each block sums the R copies of every
// target, K/lanes·R conflict-free loads, and adds the sums that are not zero.
func (b *Bundle) flushUS(c *copies, st *stream, g *grid, x *bounds) float64 {
	rows, sums := g.blocks*g.uneven*st.targetRows, ceil(st.bins/g.threads)
	*x = g.flush
	x[boundIssue] = rows*flushInstructions*b.issue + c.number*(rows*sumInstructions*b.issue)
	x[boundPort] = c.number * (rows * b.words * b.passPort * b.perSM)
	x[boundLatency] = g.waves * (sums*c.sumUS + (2*b.barrier+b.atomic)*b.cycle)
	return max(x[boundIssue], x[boundPort], x[boundLatency], g.targetsUS)
}

// setGrowth sets the power of their number with which updates touch different targets: 1 where each
// stretch brings targets of its own, else that of the growth from a warp to BlockSize updates
// (Heaps' law),
//
//	ln((DistinctPerBlock - 1)/(DistinctPerWarp - 1)) / ln(BlockSize/lanes), at most 1
//
// Between the two it is weighted with the share of the most frequent target of all updates over
// that of a block's.
func (st *stream) setGrowth() {
	warp, block := st.DistinctPerWarp-1, st.DistinctPerBlock-1
	wider := float64(st.BlockSize) * (st.iterations / st.positions)
	if wider <= 1 || block >= warp*wider {
		st.growth = 1
		return
	}
	repeated := min(1, st.maxFrequency/(st.positions*st.BlockLevel))
	st.growth = 1 - repeated*(1-max(0, math.Log(block/warp)/math.Log(wider)))
}

// touched is the number of targets that a block touches whose share of the stream is so many times
// BlockSize updates: DistinctPerBlock·share^growth, no more than occur.
func (b *Bundle) touched(st *stream, share float64) float64 {
	if share <= 1 || st.DistinctPerBlock >= st.unique {
		return st.DistinctPerBlock
	}
	return min(st.unique, st.DistinctPerBlock*math.Exp(st.growth*math.Log(share)))
}

// flushTargets is the time in which the targets take the blocks' sums: each block those of the
// targets that its share of the stream touches.
func (b *Bundle) flushTargets(st *stream, g *grid, x *bounds) float64 {
	touched := b.touched(st, max(1, st.positions*g.perBlock/float64(st.BlockSize)))
	passes := g.busy * min(touched, ceil(st.bins*b.sectorsPerTarget))
	hot := min(g.busy, st.maxFrequency)
	return b.takeSums(passes, b.chunksOf(touched, st), hot, max(hot, passes*st.invSectors), st, x)
}

// takeSums is the time in which the targets take sums in so many passes over so many chunks, hot of them to
// the most frequent target, and so many to the busiest sector.
func (b *Bundle) takeSums(passes, chunks, hot, busiest float64, st *stream, x *bounds) float64 {
	x[boundRequest] = passes * b.request
	x[boundSlice] = passes * b.fullestSlice(chunks, st.edge) * b.pass
	x[boundAddress] = busiest * b.sameAddress
	x[boundSwap] = 0
	if b.casGlobal {
		x[boundSwap] = b.swaps(hot) * b.roundTrip
	}
	return max(x[boundRequest], x[boundSlice], x[boundAddress], x[boundSwap])
}
