package speedup

// The kernel without private copies runs blocks of directThreads threads.
const directThreads = 256

// directUS is the time of a call whose adds go straight to the targets.
func (b *Bundle) directUS(c *candidate, e *effort, st *stream, x *phaseBounds) float64 {
	return st.updates*c.perUS + st.lead + b.updateDirect(b.addsBy(c, st), e, st, &x[0], &x[1])
}

// reducedUS is directUS after a warp reduction, or a part of it that exceeds the
// limit: with one add for each sector that a warp touches, and without waiting
// for others but at the most frequent target.
func (b *Bundle) reducedUS(c *candidate, st *stream, x *phaseBounds, limit float64) float64 {
	e := b.effortOf(c, st)
	turn := (st.headAtomic + e.latency) * b.cycle
	busy := larger((b.turnInstructions+e.instructions)*st.issue, larger(e.exchange*st.perSM, (st.turnsDirect-1)*turn*rounded))
	if us := st.lead + (turn + larger(larger(busy, e.hot*b.sameAddress), st.leastDirect)); us > limit {
		return us
	}
	return b.directUS(c, e, st, x)
}

// updateDirect is the time of the kernel whose adds go straight to the targets:
// the first turn of its warps, in which they fill the device, and the rest.
func (b *Bundle) updateDirect(a *adds, e *effort, st *stream, start, x *bounds) float64 {
	instructions := b.turnInstructions + e.instructions
	turn := st.headAtomic + e.latency
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
	x[boundChunk] = passes * larger(a.chunk+(1-a.chunk)*b.sliceShare, a.chunk*st.crowd) * b.pass
	x[boundAddress] = larger(a.hot*st.crowd, passes*st.invSectors) * b.sameAddress
	x[boundExchange] = e.exchange * st.perSM
	start[boundLatency] = turn * b.cycle
	x[boundLatency] = ((st.turnsDirect-1)*turn + b.atomic) * b.cycle
	t := larger(x[boundSlice], larger(x[boundChunk], x[boundAddress]))
	x[boundMiss] = 0
	if st.coldShare > 0 {
		x[boundMiss] = b.missUS(a, st, t, larger(x[boundChunk], x[boundAddress]))
	}
	t = larger(t, x[boundIssue])
	u := larger(larger(x[boundRequest], x[boundSwap]), larger(x[boundExchange], x[boundLatency]))
	return start[boundLatency] + larger(larger(t, u), x[boundMiss]) // slice is never below memory
}

// targetsUS is the time that the targets take at least for so many requests, all
// to different words.
func (b *Bundle) targetsUS(st *stream, requests float64) float64 {
	slice := larger(requests*b.request, requests*st.sliceShare*b.pass+st.streamAtomic)
	return larger(slice, requests*st.invSectors*b.sameAddress)
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

// setChunk sets on how many sectors of the busiest chunk the lanes of a warp lie. Its
// chunkFrequency/maxFrequency targets, if they are as frequent as the hottest, stand on s sectors side
// by side, among which the l lanes are dealt,
//
//	s·p(l/s),  p(x) as in setCrowd
func (b *Bundle) setChunk(st *stream) {
	lanes := st.full * st.chunkShare
	st.elsewhere = st.full - lanes
	s := larger(1, st.chunkFrequency/st.maxFrequency*b.sectorsPerTarget)
	st.hotSectors, st.chunkSectors = s, s*some(lanes/s)
}

// some is nearly 1 - exp(-x), the share of places that are not empty to which x are dealt each.
func some(x float64) float64 { return 1 - 1/(1+x+0.5*x*x) }

// setCrowd sets how many of the hot chunks lie on one slice. The targets that are as hot
// as the hottest (collision.Stats.HotTargets) lie on h chunks, each with as many of them
// as the busiest has updates of the hottest. Dealt at random to S slices, the fullest has
// one chunk more for each number of chunks that meet at all, pairs and triples:
//
//	1 + p(h·(h-1)/(2·S)) + p(h·(h-1)·(h-2)/(6·S²)),  p(x) = 1 - 1/(1 + x + x²/2) ≈ 1 - exp(-x)
func (b *Bundle) setCrowd(st *stream, targets float64) {
	st.crowd = 1
	if targets <= oneTarget {
		return
	}
	h := larger(1, targets*st.maxFrequency/st.chunkFrequency)
	h = smaller(h, st.updates/st.chunkFrequency)
	x := 0.5 * h * (h - 1) * b.sliceShare
	st.crowd = 1 + some(x) + some(x*larger(0, h-2)*b.sliceShare*(1.0/3))
}

// oneTarget is up to how many hot targets are taken for one.
const oneTarget = 1.05

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
// groups that stay together; where the array begins within a region, edge chunks
// before its end, those make min(edge, RegionSlices) groups of their own. The address
// hash deals the groups evenly: the fullest slice has one more than its share at
// most, (g/S + 1 - 1/S)/g:
//
//	1/S + (1 - 1/S)/g
func (b *Bundle) fullestSlice(n, edge float64) float64 {
	groups := 0.0
	if edge > 0 {
		first := smaller(n, edge)
		groups = smaller(first, b.regionSlices)
		n -= first
	}
	groups += larger(n*b.invChunksPerRegionSlice, smaller(n, b.regionSlices))
	return b.sliceShare + (1-b.sliceShare)/groups
}

// edgeOf is the number of chunks of an array of so many bytes before the end of the
// region in which it begins, 0 where it begins with a region.
func (b *Bundle) edgeOf(bytes float64) float64 {
	if bytes > b.smallArray {
		return 0
	}
	return b.smallEdge
}
