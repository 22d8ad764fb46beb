package speedup

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Partition: the updates of each of P ranges of W targets are counted, written side by side, tile
// by tile, and added in copies of the range. Counts and places of ranges are u32 atomics.

// Instructions beside the loads: of an update that is counted (range, address, atomic), of one that
// is split (range, address, atomic; place in the tile, two stores; two loads, range, place, number
// in the range, two stores with their addresses) and of a range in a tile (clear, add up, place).
const (
	countedInstructions = 4
	splitInstructions   = 28
	rangePlace          = 12
	partInstructions    = 16 // of a part of a range that is cut
)

// parted is a stream on its way through a partition.
type parted struct {
	device.PartShapes
	ranges    float64 // P
	value     float64 // bytes of an update's value
	warp      float64 // ranges of a mean warp
	tile      float64 // updates of a tile
	inTile    float64 // ranges of a mean tile
	occupied  float64 // ranges with updates
	tileTimes float64 // tiles that a resident block takes one after the other
	hottest   float64 // adds to the most frequent target in a part
}

// countersOf prepares the counters of ranges in shared memory.
func (b *Bundle) countersOf() copies {
	k := copies{number: 1, ranges: 1, invPerWarp: 1, share: 1, sumUS: 0}
	k.invBanks = make([]float64, int(b.banks))
	k.setAdd(b.d.SharedAdd(device.Call{Type: device.U32, Operand: device.One}), 1, 1)
	return k
}

// part sets how a stream falls apart. The targets of t warps lie on s·t sectors, which fall into
// the P ranges as at random:
//
//	P·(1 - (1 - 1/P)^(s·t)), at most s·t
func (b *Bundle) part(c *candidate, st *stream) (p parted) {
	p.PartShapes = b.d.Limits().PartShapes(c.v, b.c.Type, st.Bins, st.Updates)
	p.ranges, p.value = float64(c.v.Buckets(st.Bins)), b.updateBytes-indexBytes
	of := func(sectors float64) float64 {
		return max(1, min(sectors, p.ranges*-math.Expm1(sectors*math.Log1p(-1/max(p.ranges, 1+1e-9)))))
	}
	p.tile = min(st.updates, float64(p.Split.Threads*p.Items))
	p.warp, p.inTile = of(st.sectors), of(min(st.unique, st.sectors*p.tile*st.invActive))
	p.occupied = of(st.unique)
	p.hottest = min(st.maxFrequency, float64(max(p.Whole, p.Part)))
	tiles := ceil(st.updates / float64(p.Split.Threads*p.Items))
	p.tileTimes = ceil(tiles / float64(p.Split.Blocks))
	return p
}

// partitionUS is the end of the call: behind the clearing of the counters one launch that counts,
// one that starts the ranges, one that splits, one that cuts parts and one that adds.
func (b *Bundle) partitionUS(c *candidate, e *evaluation) float64 {
	st, x := &e.st, &e.x
	p, number := b.part(c, st), st.clears
	end := b.after(st.start, number+1, b.countUS(c, &p, st, &x[0]))
	end = b.after(end, number+2, b.planUS(&p))
	end = b.after(end, number+3, b.splitUS(c, &p, st, &x[1]))
	cuts := max(0, st.maxFrequency/float64(p.Part)-1) // of the busiest range, by one thread
	end = b.after(end, number+4, b.planUS(&p)+cuts*partInstructions*b.alu*b.cycle)
	return b.after(end, number+5, b.addPartsUS(c, &p, e, &x[2]))
}

// planUS is the time of one block that adds up a number of each range, as many ranges at a time as
// it has threads.
func (b *Bundle) planUS(p *parted) float64 {
	times := ceil(p.ranges / float64(p.Split.Threads))
	scan := 2*b.treeSteps*(b.shuffle+2*b.alu) + 3*(b.barrier+b.sharedLoad)
	return times * (2*b.load + scan) * b.cycle
}

// counting is what a warp's adds to counters of ranges take, as in copies.add. The lanes of a warp
// fall evenly on its ranges, but for those of its most frequent target.
func (b *Bundle) counting(k *copies, p *parted, st *stream) (tries, latency, port float64) {
	highest := max(st.highest, st.active/p.warp)
	degree := b.atRandom(p.warp)
	rounds := min(st.active, highest+degree-1)
	if k.cas {
		rounds = highest
	}
	return k.add(rounds, degree)
}

// countUS is the time of counting the updates of each range, four of a thread at once.
func (b *Bundle) countUS(c *candidate, p *parted, st *stream, x *bounds) float64 {
	const together = 4
	tries, latency, port := b.counting(&c.counters, p, st)
	bytes, blocks := st.updates*indexBytes, float64(p.Count.Blocks)
	warps := blocks * float64(p.Count.Threads) / b.lanes
	each := (loopInstructions+loadInstructions)/together + countedInstructions + tries
	turn := (st.head + loopInstructions*b.alu) + together*latency
	hot := max(st.maxFrequency, st.updates/p.occupied)
	rows := ceil(p.ranges / float64(p.Count.Threads))
	// Before the first update and behind the last.
	waits := (2*b.barrier + b.atomic +
		rows*(b.sharedLoad+(zeroInstructions+flushInstructions)*b.alu)) * b.cycle
	x[boundIssue] = waits + st.turns*each*b.issue + b.rowsUS(p, blocks)
	x[boundMemory] = waits + bytes*b.byteUS(bytes, b.l2Bytes)
	x[boundPort] = waits + st.turns*port*b.perSM
	x[boundLock] = hot / blocks * c.counters.hold * b.cycle
	passes := blocks * b.counterPasses(p)
	x[boundRequest] = waits + passes*b.request
	x[boundSlice] = waits + passes*b.sliceShare*b.pass
	x[boundAddress] = blocks * b.sameAddress
	x[boundLatency] = waits + ceil(st.turns/(together*warps))*turn*b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock], x[boundRequest],
		x[boundSlice], x[boundAddress], x[boundLatency])
}

// counterPasses is the number of sectors of a counter for each range, which a block adds to side by
// side.
func (b *Bundle) counterPasses(p *parted) float64 {
	return ceil(p.ranges * indexBytes / b.sectorBytes)
}

// rowsUS is the time in which so many blocks or tiles pass over a word of each range.
func (b *Bundle) rowsUS(p *parted, times float64) float64 {
	return times * ceil(p.ranges/b.lanes) * rangePlace * b.issue
}

// splitUS is the time of writing the updates to their ranges. A thread block takes one tile after
// the other, and its warps wait for each other between the steps of a tile: what a tile waits for
// comes on top of the work, once for all blocks of an SM.
//
// A tile of T updates has its D ranges side by side, so that the 32 updates that a warp stores lie
// in 1 + 32·D/T pieces, each of which touches a sector more than its bytes fill, less the bytes of
// one value. Slices serve the sectors that are read and these parts of sectors one by one, while
// the stream goes by.
func (b *Bundle) splitUS(c *candidate, p *parted, st *stream, x *bounds) float64 {
	tries, latency, port := b.counting(&c.counters, p, st)
	pieces := min(st.active, 1+b.lanes*p.inTile/p.tile)
	parts, words := b.partsOf(variant.PlaceBytes, pieces, st), 1.0
	if p.value > 0 {
		parts, words = parts+b.partsOf(p.value, pieces, st), 1+p.value/b.d.Shared.BankBytes.Value
	}
	tiles := p.tileTimes * float64(p.Split.Blocks)
	bytes := st.updates * (b.updateBytes + variant.PlaceBytes + p.value)
	streamUS := bytes * b.byteUS(bytes, b.l2Bytes)
	read := st.active * b.updateBytes / b.sectorBytes
	passes := 2 + words + b.bankAtRandom*(1+words) // of starts, places and the sorted tile
	places := ceil(p.ranges / float64(p.Split.Threads))
	waits := p.tileTimes / float64(p.Split.BlocksPerSM) * b.cycle * (st.head + latency +
		2*b.treeSteps*(b.shuffle+b.alu) + places*(b.atomic+2*b.sharedLoad) + 3*b.sharedLoad +
		7*b.barrier)
	x[boundIssue] = waits + st.turns*(splitInstructions+b.loads*loadInstructions+tries)*b.issue +
		b.rowsUS(p, tiles)
	x[boundMemory] = waits + streamUS
	x[boundPort] = waits + st.turns*(port+passes*b.passPort)*b.perSM
	reserved := tiles * b.counterPasses(p)
	x[boundRequest] = waits + (st.turns*parts+reserved)*b.request
	x[boundSlice] = waits + streamUS + (st.turns*(read+parts)*b.storePass+reserved*b.pass)*b.sliceShare
	x[boundAddress] = waits + tiles*b.sameAddress
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundRequest], x[boundSlice],
		x[boundAddress])
}

// partsOf is the number of sectors, whole or in part, on which the values of a warp lie that are
// stored in so many pieces.
func (b *Bundle) partsOf(bytes, pieces float64, st *stream) float64 {
	return pieces + max(0, st.active*bytes-pieces*bytes)/b.sectorBytes
}

// addPartsUS is the time of adding the parts in copies of their ranges. A range of one part is
// stored, and where the call keeps what targets hold added, without atomics. The blocks of an SM
// are in step: what they load and store comes on top of what they do in shared memory.
func (b *Bundle) addPartsUS(c *candidate, p *parted, e *evaluation, x *bounds) float64 {
	k, st := &c.copies, e.st
	resident := float64(p.Add.BlocksPerSM) * b.sms
	parts := max(p.occupied, st.updates/float64(max(p.Whole, p.Part)))
	turns := st.turns + p.occupied // of warps that a range does not fill
	a, g := b.addsOfParts(c, p, &st, resident)
	tries, latency, port, lock := b.addCopies(k, &a, &st, &g)
	width := k.number * (float64(c.v.WidthStep()))
	rows, targets := parts*width/b.lanes, min(st.updates, parts)*ceil(float64(c.v.Width))*b.size
	if b.c.Keeps {
		targets *= 2
	}
	bytes := st.updates * (variant.PlaceBytes + p.value)
	blocks := max(1, min(parts, resident))
	times := ceil(parts / blocks)
	waits := times / float64(p.Add.BlocksPerSM) * b.cycle * (3*e.st.head + latency + 3*b.barrier +
		b.sharedLoad + width/g.threads*(zeroInstructions+sumInstructions)*b.alu)
	each := b.turnInstructions + tries
	waits += bytes*b.byteUS(bytes, b.l2Bytes) + targets*b.byteUS(e.st.bins*b.size, b.l2AtomicBytes)
	x[boundMemory] = waits
	x[boundIssue] = waits + (turns*each+rows*(zeroInstructions+flushInstructions))*b.issue
	x[boundPort] = waits + (turns*port+2*rows*b.words*b.passPort)*b.perSM
	x[boundLock] = max(lock, p.hottest*k.port/k.number*b.cycle)
	x[boundLatency] = waits + ceil(turns/(blocks*g.threads/b.lanes))*(st.head+latency)*b.cycle/4
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock], x[boundLatency])
}

// addsOfParts returns the adds of a warp to a range, and the launch that makes them; it sets what
// they read of the stream. A range has one of the P most frequent targets in the mean, so that of
// the lanes of a mean warp cover(P) are on the most frequent target of its range, and all blocks
// share the adds to these.
func (b *Bundle) addsOfParts(c *candidate, p *parted, st *stream, resident float64) (adds, grid) {
	hot := st.maxFrequency / st.updates
	if st.HotKnown() {
		hot = max(hot, st.cover(p.ranges))
	}
	a := adds{lanes: st.active, highest: max(1, st.active*hot)}
	a.distinct = max(1, min(a.lanes-a.highest+1, float64(c.v.Width)))
	a.degree = b.atRandom(a.distinct)
	a.bank = min(a.lanes, a.highest+a.degree-1)
	a.hot = max(st.updates*hot/resident, p.hottest)
	a.setContention()
	a.random = b.atRandom(a.lanes)
	st.bins, st.ramp, st.neighbours = float64(c.v.Width), 0, 0
	st.heldHot = hot * min(1, hot*st.active)
	st.heldAny = st.heldHot + (1-hot)*min(1, a.distinct/min(st.bins, st.unique))
	g := grid{lock: b.cycle}
	g.threads, g.blocks, g.resident = float64(p.Add.Threads), resident, resident
	g.warps, g.invTurns = g.threads/b.lanes, 0
	return a, g
}
