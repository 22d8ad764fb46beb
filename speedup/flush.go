package speedup

import "math"

// setZero prepares zeroUS and the reading part of flushUS.
func (b *Bundle) setZero(g *grid, st *stream) {
	warps := g.blocks * b.perLane
	g.zeroIssue = warps * zeroInstructions * b.issue
	g.zeroPort = warps * b.words * b.passPort * b.perSM
	g.zeroStep = g.invThreads * zeroInstructions * b.alu * b.cycle
	rows := g.blocks * st.rows
	g.flushIssue, g.sumIssue = rows*flushInstructions*b.issue, rows*sumInstructions*b.issue
	g.sumPort = rows * b.words * b.passPort * b.perSM
}

// zeroUS is the time of clearing so many shared counters in each block, up to
// the barrier.
func (b *Bundle) zeroUS(g *grid, counters float64, x *bounds) float64 {
	x[boundIssue] = counters * g.zeroIssue
	x[boundPort] = counters * g.zeroPort
	x[boundLatency] = counters*g.zeroStep + b.barrierUS
	return larger(x[boundIssue], larger(x[boundPort], x[boundLatency]))
}

// flushUS is the time of adding the copies to the targets: each block sums the
// R copies of every target, K/lanes·R conflict-free loads, and adds the sums
// that are not zero. What the targets take is left out where it is not worked out.
func (g *grid) flushUS(c *copies, lastUS float64, x *bounds) float64 {
	x[boundIssue] = g.flushIssue + c.number*g.sumIssue
	x[boundPort] = c.number * g.sumPort
	x[boundLatency] = g.sums*c.sumUS + lastUS
	return larger(larger(x[boundIssue], x[boundPort]), larger(x[boundLatency], g.targets))
}

// growth is the power of their number with which updates touch different targets: 1
// where each stretch brings targets of its own, and where few targets come again and
// again (Heaps' law) that of the growth from a warp to BlockSize updates,
//
//	ln((DistinctPerBlock - 1)/(DistinctPerWarp - 1)) / ln(BlockSize/lanes), at most 1
//
// They come again in the stream as often as in a block where the most frequent target of all
// updates has the share that a block's most frequent target has there; between the two
// the power is weighted with the quotient of the shares.
func (b *Bundle) growth(st *stream) float64 {
	warp, block := st.DistinctPerWarp-1, st.DistinctPerBlock-1
	wider := float64(st.BlockSize) * st.invFull
	if wider <= 1 || block >= warp*wider {
		return 1
	}
	again := smaller(1, st.maxFrequency/(st.updates*st.BlockLevel))
	return 1 - again*(1-larger(0, math.Log(block/warp)/math.Log(wider)))
}

// touched is the number of targets that a block touches whose share of the stream is so
// many times BlockSize updates, at least one: DistinctPerBlock·share^growth, no more than
// occur.
func (b *Bundle) touched(st *stream, share float64) float64 {
	if share <= 1 || st.DistinctPerBlock >= st.unique {
		return st.DistinctPerBlock
	}
	if st.power < 0 {
		st.power = b.growth(st)
	}
	return smaller(st.unique, st.DistinctPerBlock*math.Exp(st.power*math.Log(share)))
}

// flushTargets is the time in which the targets take the blocks' sums. The
// targets that a block has touched are those of its share of the stream, which
// grow from DistinctPerBlock in BlockSize updates.
func (b *Bundle) flushTargets(st *stream, g *grid, x *bounds) float64 {
	share := larger(1, st.updates*g.perBlock/float64(st.BlockSize))
	touched := b.touched(st, share)
	sectors := smaller(touched, whole(st.bins*b.sectorsPerTarget))
	passes := g.blocks * sectors
	hot := smaller(g.blocks, st.maxFrequency)
	x[boundRequest] = passes * b.request
	x[boundSlice] = passes * b.fullestSlice(b.chunksOf(touched, st), st.edge) * b.pass
	x[boundAddress] = larger(hot, passes*st.invSectors) * b.sameAddress
	x[boundSwap] = 0
	if b.casGlobal {
		x[boundSwap] = b.swaps(hot) * b.roundTrip
	}
	return larger(larger(x[boundSlice], x[boundAddress]), larger(x[boundRequest], x[boundSwap]))
}
