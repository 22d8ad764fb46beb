package speedup

// The kernel without private copies runs blocks of directThreads threads where none are fixed.
const directThreads = 256

// updateDirect is the time of the kernel whose adds go straight to the targets:
// the first iteration of its warps, in which they fill the device, and the rest.
func (b *Bundle) updateDirect(a *adds, st *stream, start, x *bounds) float64 {
	instructions := b.turnInstructions + a.instructions
	iteration, swap := st.headAtomic+a.latency, 0.0
	switch {
	case b.casGlobal:
		rounds := b.swaps(a.highest)
		instructions += float64(swapInstructions * rounds)
		iteration += float64(rounds*b.round) + (b.atomic - b.round)
		swap = b.swaps(a.hot) * max(b.roundTrip, b.waitingSwaps(a, st))
	case b.returns > 0:
		instructions += atomicInstructions
		iteration += b.atomic
	default:
		instructions += atomicInstructions
	}
	passes := st.iterations * a.passes
	chunk := max(a.chunk+float64((1-a.chunk)*b.sliceShare), a.chunk*st.hotChunks)
	start[boundLatency] = iteration * b.cycle
	g := &st.direct
	x[boundIssue] = instructions * st.issue * g.uneven
	x[boundMemory] = st.streamAtomicUS
	x[boundRequest] = passes * b.request * g.uneven
	x[boundSlice] = float64(passes*st.sliceShare*b.pass) + st.streamAtomicUS
	x[boundChunk] = passes * chunk * b.pass
	x[boundAddress] = max(a.hot*st.hotChunks, passes*st.invSectors) * b.sameAddress
	x[boundAnswer] = b.answersUS(a, st)
	x[boundSwap] = swap
	x[boundExchange] = a.exchange * st.perSM * g.uneven
	waits := float64(g.united * (st.headAtomic - float64(loopInstructions*b.alu)))
	x[boundLatency] = (float64((g.slotIterations-1)*iteration) - waits + b.atomic) * b.cycle
	x[boundMiss] = 0
	if hot := max(x[boundChunk], x[boundAddress]); st.coldShare > 0 {
		x[boundMiss] = b.missUS(a, st, max(x[boundSlice], x[boundAnswer], hot), hot)
	}
	return start[boundLatency] + max(x[boundIssue], x[boundMemory], x[boundMiss], x[boundRequest],
		x[boundSlice], x[boundChunk], x[boundAddress], x[boundAnswer], x[boundSwap], x[boundExchange],
		x[boundLatency])
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
	return float64(st.iterations*(float64((a.passes-again)*b.answer)+float64(again*b.answerPass))) + st.streamAtomicUS
}
