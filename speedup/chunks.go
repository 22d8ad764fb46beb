package speedup

// sectorsOf is the number of sectors of the targets that occur. A sector serves its requests in
// order, each for as long as its most frequent target takes: the adds that wait for each other are
// passes / sectors, or those of the most frequent target if there are more.
func (b *Bundle) sectorsOf(st *stream) float64 {
	return max(1, min(st.unique, ceil(st.bins*b.sectorsPerTarget)))
}

// chunks is the number of chunks of the target array that are busy at a time: those of all targets
// that occur, but no more than the updates in flight can touch, Runs/Updates stretches each.
// Neighbouring stretches of a grouped stream are taken to be of neighbouring targets.
func (b *Bundle) chunks(st *stream, threads float64) float64 {
	n := b.chunksOf(st.unique, st)
	if threads < st.updates {
		flight := threads * st.runs / st.updates
		if st.Runs == st.Unique {
			flight *= b.chunksPerTarget
		}
		n = max(1, min(n, flight))
	}
	return n
}

// setChunk sets on how many sectors of the busiest chunk the l lanes of a warp lie. Its
// chunkFrequency/maxFrequency targets, as frequent as the hottest, stand on s sectors side by side:
//
//	s·p(l/s),  p(x) as in setHotChunks
func (b *Bundle) setChunk(st *stream) {
	st.sectors, st.chunkFrequency = st.SectorsPerWarp4, float64(st.MaxChunkFrequency4)
	if b.wide {
		st.sectors, st.chunkFrequency = st.SectorsPerWarp8, float64(st.MaxChunkFrequency8)
	}
	st.chunkCapacity = b.d.Global.ChunkBytes.Value / b.sectorBytes / st.sectors
	st.chunkShare = min(1, st.chunkFrequency/st.updates)
	lanes := st.active * st.chunkShare
	st.lanesElsewhere = st.active - lanes
	s := max(1, st.chunkFrequency/st.maxFrequency*b.sectorsPerTarget)
	st.hotSectors, st.chunkSectors = s, s*occupied(lanes/s)
}

// occupied is nearly 1 - exp(-x), the share of places that are not empty where each has
// x of many balls in the mean.
func occupied(x float64) float64 { return 1 - 1/(1+x+0.5*x*x) }

// setHotChunks sets how many of the hot chunks lie on one slice. The targets that are as hot as the
// hottest (collision.Stats.HotTargets) lie on h chunks. Spread at random over S slices, the fullest
// has one chunk more for each number of chunks that collide, pairs and triples:
//
//	1 + p(h·(h-1)/(2·S)) + p(h·(h-1)·(h-2)/(6·S²)),  p(x) = 1 - 1/(1 + x + x²/2)
func (b *Bundle) setHotChunks(st *stream, targets float64) {
	st.hotChunks = 1
	if targets <= 1.05 { // taken for one
		return
	}
	h := max(1, targets*st.maxFrequency/st.chunkFrequency)
	h = min(h, st.updates/st.chunkFrequency)
	x := 0.5 * h * (h - 1) * b.sliceShare
	st.hotChunks = 1 + occupied(x) + occupied(x*max(0, h-2)*b.sliceShare*(1.0/3))
}

// chunksOf is the number of chunks on which so many targets lie at most.
func (b *Bundle) chunksOf(targets float64, st *stream) float64 {
	return max(1, min(targets, st.bins*b.chunksPerTarget))
}

// fullestSlice is the share of n chunks that lies on the slice with most of them. The chunks of a
// region take turns on RegionSlices of the S slices, so n chunks make
//
//	g = max(n·RegionSlices·ChunkBytes/RegionBytes, min(n, RegionSlices))
//
// groups that stay together; edge chunks before the end of a first, incomplete region make
// min(edge, RegionSlices) groups. The address hash spreads groups evenly: the fullest slice has at
// most (g/S + 1 - 1/S)/g of them,
//
//	1/S + (1 - 1/S)/g
func (b *Bundle) fullestSlice(n, edge float64) float64 {
	groups := 0.0
	if edge > 0 {
		first := min(n, edge)
		groups = min(first, b.regionSlices)
		n -= first
	}
	groups += max(n*b.invChunksPerRegionSlice, min(n, b.regionSlices))
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
