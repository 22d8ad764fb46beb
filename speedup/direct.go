package speedup

// The kernel without private copies runs blocks of directThreads threads where none are fixed.
const directThreads = 256

// updateTargets is the time of the kernel whose adds go to the targets, all or such a share of its iterations some,
// after a warp's reduction and what asks a table: the first iteration of its warps, in which they fill the device, and
// the rest. So many chunks as busy as the busiest are on one slice.
func (b *Bundle) updateTargets(reduction price, asked probed, a *adds, share, hotChunks float64, st *stream,
	g *launch, start, x *bounds) float64 {
	tries, latency, swap := b.addTargets(a, share, st)
	iteration := st.headAtomic + reduction.latency + asked.latency + latency
	start[boundLatency] = iteration * b.cycle
	x[boundIssue] = (b.turnInstructions + reduction.issued + asked.instructions + tries) * st.issue * g.uneven
	x[boundPort] = asked.port * st.perSM * g.uneven
	x[boundLock] = asked.lock
	x[boundSwap] = swap
	x[boundExchange] = reduction.busy * st.perSM * g.uneven
	waits := g.united * (st.headAtomic - loopInstructions*b.alu)
	x[boundLatency] = ((g.slotIterations-1)*iteration - waits + share*b.atomic) * b.cycle
	return start[boundLatency] + max(x[boundIssue], x[boundPort], x[boundLock], x[boundSwap], x[boundExchange],
		x[boundLatency], b.takeAdds(a, hotChunks, st, g, x))
}

// addTargets is what a warp's adds to the targets take in a mean iteration, of which such a share has some: warp
// instructions and cycles of latency; and the time of swaps at the most frequent target.
func (b *Bundle) addTargets(a *adds, share float64, st *stream) (tries, latency, swap float64) {
	if b.casGlobal {
		rounds := b.swaps(a.highest)
		return share * swapInstructions * rounds,
			share * (rounds*b.round + (b.atomic - b.round)),
			b.swaps(a.hot) * max(b.roundTrip, b.waitingSwaps(a, st))
	}
	if b.returns > 0 {
		latency = share * b.atomic
	}
	return share * atomicInstructions, latency, 0
}

// takeAdds is the time in which the targets take the adds of all warps, where so many chunks as busy as the busiest
// are on one slice.
func (b *Bundle) takeAdds(a *adds, hotChunks float64, st *stream, g *launch, x *bounds) float64 {
	passes := st.iterations * a.passes
	chunk := max(a.chunk+(1-a.chunk)*b.sliceShare, a.chunk*hotChunks)
	x[boundMemory] = st.streamAtomicUS
	x[boundRequest] = passes * b.request * g.uneven
	x[boundSlice] = passes*st.sliceShare*b.pass + st.streamAtomicUS
	x[boundChunk] = passes * chunk * b.pass
	x[boundAddress] = max(a.hot*hotChunks, passes*st.invSectors) * b.sameAddress
	x[boundAnswer] = b.answersUS(a, st)
	x[boundMiss] = 0
	if hot := max(x[boundChunk], x[boundAddress]); st.coldShare > 0 && passes > 0 {
		x[boundMiss] = b.missUS(a, st, max(x[boundSlice], x[boundAnswer], hot), hot)
	}
	return max(x[boundMemory], x[boundRequest], x[boundSlice], x[boundChunk], x[boundAddress], x[boundAnswer],
		x[boundMiss])
}

// answersUS is the time of the old values on their way back from S slices. A pass takes a slice as
// long whether it answers or not: one that works alone does not show it. But all of them together
// answer no faster than
//
//	(sectors · Sector + (passes - sectors) · Pass) / S + streamed bytes / l2 rate
//
// It is 0 where old values are not asked for, or where their way is not known.
func (b *Bundle) answersUS(a *adds, st *stream) float64 {
	if b.answer == 0 {
		return 0
	}
	again := max(0, a.passes-a.sectors)
	return st.iterations*((a.passes-again)*b.answer+again*b.answerPass) + st.streamAtomicUS
}
