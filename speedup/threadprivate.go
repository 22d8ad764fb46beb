package speedup

import "github.com/atomtune/atomtune/impl"

// threadPrivateUS is the end of the call: clearing the counters of all threads of a block,
// counting, summing a block's counters, and a second kernel that sums the blocks' partials.
func (b *Bundle) threadPrivateUS(st *stream, x *phaseBounds) float64 {
	var g launch
	of := b.blocksOf(impl.Spec{Algorithm: impl.ThreadPrivate}, st.Bins)
	b.setLaunch(&of, st, &g)
	t := b.zeroUS(&g, st.bins*g.threads, &x[0])
	t += b.updateThreads(st, &g, &x[1])
	t += b.flushThreads(st, &g, &of, &x[2])
	return b.after(st.start+t, st.clears+1, b.sumBlocks(st, &g, &x[3]))
}

// updateThreads is the time of counting without atomics: each thread loads, adds and stores its own
// counter [target][thread], free of bank conflicts.
func (b *Bundle) updateThreads(st *stream, g *launch, x *bounds) float64 {
	x[boundIssue] = st.iterations * (b.turnInstructions + copyInstructions) * b.issue * g.uneven
	x[boundMemory] = st.streamUS
	x[boundPort] = st.iterations * 2 * b.words * b.passPort * b.perSM * g.uneven
	x[boundLatency] = g.slotIterations * (st.head + b.sharedLoad + copyInstructions*b.alu) * b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLatency])
}

// flushThreads is the time of summing a block's counters, one warp for a target: threads/lanes
// loads, log2(lanes) shuffles, one store of the partial.
func (b *Bundle) flushThreads(st *stream, g *launch, of *blocks, x *bounds) float64 {
	loads := of.warps // rows of a target's counters in a block
	targets, bytes := g.blocks*g.uneven*st.bins, g.blocks*st.bins*b.sectorBytes
	each := loads*sumInstructions + b.treeSteps*(2+b.exchangeCost) + flushInstructions
	iteration := loads*(b.sharedLoad+b.alu) + b.treeSteps*(b.shuffle+b.alu) +
		flushInstructions*b.alu + b.load
	x[boundIssue] = targets * each * b.issue
	x[boundPort] = targets * loads * b.words * b.passPort * b.perSM
	x[boundExchange] = targets * b.treeSteps * b.shufflePort * b.words * b.perSM
	x[boundMemory] = bytes * b.near
	x[boundLatency] = g.waves * ((ceil(st.bins/of.warps)*iteration + b.barrier) * b.cycle)
	return max(x[boundIssue], x[boundPort], x[boundExchange], x[boundMemory], x[boundLatency])
}

// sumBlocks is the time of the second kernel: one warp sums the blocks' partials
// of a target, [target][block], and stores the result.
func (b *Bundle) sumBlocks(st *stream, g *launch, x *bounds) float64 {
	loads, tree := ceil(g.blocks/b.lanes), b.treeSteps
	bytes := (g.blocks + 1) * st.bins * b.size
	each := loads*sumInstructions + tree*(2+b.exchangeCost) + flushInstructions
	x[boundIssue] = st.bins * each * b.issue
	x[boundExchange] = st.bins * tree * b.shufflePort * b.words * b.perSM
	x[boundMemory] = bytes * b.byteUS(bytes, b.l2Bytes)
	x[boundLatency] = (loads*(b.load+sumInstructions*b.alu) + tree*(b.shuffle+b.alu)) *
		b.cycle
	return max(x[boundIssue], x[boundExchange], x[boundMemory], x[boundLatency])
}
