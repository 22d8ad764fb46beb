package speedup

// The kernel without private copies runs blocks of directThreads threads.
const directThreads = 256

// updateDirect is the time of the kernel whose adds go straight to the targets:
// the first turn of its warps, in which they fill the device, and the rest.
func (b *Bundle) updateDirect(c *candidate, st *stream, start, x *bounds) float64 {
	a := b.addsBy(c, st)
	instructions := b.turnInstructions + a.instructions
	turn := st.headAtomic + a.latency
	x[boundSwap] = 0
	switch {
	case b.casGlobal:
		rounds := b.swaps(a.highest)
		instructions += swapInstructions * rounds
		turn += rounds*b.round + (b.atomic - b.round)
		x[boundSwap] = b.swaps(a.hot) * larger(b.roundTrip, b.waitingSwaps(a, st))
	case b.returns > 0:
		instructions += atomicInstructions
		turn += b.atomic
	default:
		instructions += atomicInstructions
	}
	passes := st.turns * a.passes
	x[boundIssue] = instructions * st.issue
	x[boundMemory] = st.streamAtomic
	x[boundRequest] = passes * b.request
	x[boundSlice] = passes*st.sliceShare*b.pass + st.streamAtomic
	x[boundChunk] = passes * (a.chunk + (1-a.chunk)*b.sliceShare) * b.pass
	x[boundAddress] = larger(a.hot, passes*st.invSectors) * b.sameAddress
	x[boundExchange] = a.exchange * st.perSM
	start[boundLatency] = turn * b.cycle
	x[boundLatency] = ((st.turnsDirect-1)*turn + b.atomic) * b.cycle
	x[boundMiss] = b.missUS(st, st.turns*a.sectors, st.streamAtomic)
	t := larger(larger(x[boundIssue], x[boundSlice]), larger(x[boundChunk], x[boundAddress]))
	u := larger(larger(x[boundRequest], x[boundSwap]), larger(x[boundExchange], x[boundLatency]))
	return start[boundLatency] + larger(larger(t, u), x[boundMiss]) // slice is never below memory
}

// missUS is the time of the DRAM where atomics miss in L2: the streamed bytes and
// MissBytes for each missing sector request share it. Of the touched target
// bytes F only L2AtomicBytes stay in L2, so a request to a random target misses
// with probability 1 - L2AtomicBytes/F; consecutive updates of one target miss
// once. It is 0 without misses.
func (b *Bundle) missUS(st *stream, requests, streamed float64) float64 {
	if st.missShare == 0 {
		return 0
	}
	return streamed + smaller(requests, st.runs)*st.missShare*b.miss
}

// sectorsOf is the number of sectors of the targets that occur. A sector serves
// its requests in their order, and a request for as long as its most frequent
// target takes: with passes spread evenly over so many sectors, the adds that
// wait for each other are passes / sectors, or those of the most frequent
// target if there are more. It holds exactly for one sector: two targets drawn
// at random wait for the more frequent of the two in every warp, which is why
// they take more than half the time of one.
func (b *Bundle) sectorsOf(st *stream) float64 {
	return larger(1, smaller(st.unique, whole(st.bins*b.sectorsPerTarget)))
}

// chunks is the number of chunks of the target array that are busy at a time:
// those of all targets that occur, but no more than the updates in flight can
// touch. The resident threads work on consecutive updates, which hold
// Runs/Updates different stretches each; in a grouped stream neighbouring
// stretches are taken to be of neighbouring targets, as in a sorted one.
func (b *Bundle) chunks(st *stream, threads float64) float64 {
	n := b.chunksOf(st.unique, st)
	if threads < st.updates {
		flight := threads * st.runs / st.updates
		if st.Runs == st.Unique {
			flight *= b.chunksPerTarget
		}
		n = larger(1, smaller(n, flight))
	}
	return n
}

// chunksOf is the number of chunks on which so many targets lie at most.
func (b *Bundle) chunksOf(targets float64, st *stream) float64 {
	return larger(1, smaller(targets, st.bins*b.chunksPerTarget))
}

// fullestSlice is the share of n chunks that lies on the slice with most of them.
// The chunks of a region take turns on RegionSlices of the S slices, so n chunks
// make
//
//	g = max(n·RegionSlices·ChunkBytes/RegionBytes, min(n, RegionSlices))
//
// groups that stay together. The address hash deals the groups evenly: the
// fullest slice has one more than its share at most, (g/S + 1 - 1/S)/g:
//
//	1/S + (1 - 1/S)/g
func (b *Bundle) fullestSlice(n float64) float64 {
	groups := larger(n*b.invChunksPerRegionSlice, smaller(n, b.regionSlices))
	return b.sliceShare + (1-b.sliceShare)/groups
}
