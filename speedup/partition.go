package speedup

import (
	"math"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
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
	startInstructions   = 60  // of a range whose start is found: two scans and rounding
	cutInstructions     = 120 // of a range that is cut: these, and two divisions
	partInstructions    = 16  // of a part of a range that is cut
)

// partTogether is the number of updates that a thread loads before it counts or adds the first.
const partTogether = 4.0

// parted is a stream on its way through a partition.
type parted struct {
	device.PartShapes
	updates   float64
	ranges    float64 // P
	value     float64 // bytes of an update's value
	warp      float64 // ranges of a mean warp
	tile      float64 // updates of a tile
	inTile    float64 // ranges of a mean tile
	occupied  float64 // ranges with updates
	tileTimes float64 // tiles that a resident block takes one after the other
	hottest   float64 // adds to the most frequent target in a part
	busiest   float64 // updates of the range with most
	ordered   float64 // how far frequent targets stand side by side
	parts     float64 // in which ranges are added
	cut       float64 // of these, those of ranges that are cut
	byteUS    float64 // of a byte that is streamed
	head      float64 // cycles from an iteration's start to its update
	hotRanges float64 // share of the updates in ranges with a hot target
	hot       float64 // share of that target there
}

// countersOf prepares the counters of ranges in shared memory. Where an add returns the count, it
// is one of a loaded value: the device has no short way for it.
func (b *Bundle) countersOf(returns bool) copies {
	k := copies{number: 1, ranges: 1, invPerWarp: 1, share: 1, sumUS: 0}
	k.invBanks = make([]float64, int(b.banks))
	call := device.Call{Type: device.U32, Operand: device.One}
	if returns {
		call.Operand = device.Loaded
	}
	k.setAdd(b.d.SharedAdd(call), 1, 1)
	return k
}

// part sets how a stream falls apart. The targets of t warps lie on s·t sectors, which fall into
// the P ranges as at random:
//
//	P·(1 - (1 - 1/P)^(s·t)), at most s·t
func (b *Bundle) part(c *candidate, st *stream) (p parted) {
	p.PartShapes = b.limits.PartShapes(c.v, b.c.Type, st.Bins, st.Updates)
	p.updates = st.updates
	p.ranges, p.value = float64(c.v.Buckets(st.Bins)), b.value
	of := func(sectors float64) float64 {
		return max(1, min(sectors, p.ranges*-math.Expm1(sectors*math.Log1p(-1/max(p.ranges, 1+1e-9)))))
	}
	p.tile = min(st.updates, float64(p.Split.Threads*p.Items))
	p.warp, p.inTile = of(st.sectors), of(min(st.unique, st.sectors*p.tile*st.invActive))
	p.occupied = of(st.unique)
	p.head = b.load + loopInstructions*b.alu
	bytes := st.positions*b.updateBytes + st.updates*(impl.PlaceBytes+p.value) +
		st.bins*b.size
	p.byteUS = b.byteUS(bytes, b.l2AtomicBytes)
	if bytes > b.l2AtomicBytes {
		p.head += b.loadMiss
	}
	b.cutRanges(c, &p, st)
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
	end = b.after(end, number+2, b.planUS(&p, startInstructions))
	end = b.after(end, number+3, b.splitUS(c, &p, st, &x[1]))
	cuts := 0.0 // of the busiest range, by one thread
	if p.busiest > float64(p.Whole) {
		cuts = p.busiest / float64(p.Part)
	}
	end = b.after(end, number+4, b.planUS(&p, cutInstructions)+cuts*partInstructions*b.alu*b.cycle)
	return b.after(end, number+5, b.addPartsUS(c, &p, e, &x[2]))
}

// planUS is the time of one block that adds up a number of each range and does so many instructions
// for it, as many ranges at a time as it has threads.
func (b *Bundle) planUS(p *parted, instructions float64) float64 {
	times := ceil(p.ranges / float64(p.Split.Threads))
	scan := 2*b.treeSteps*(b.shuffle+2*b.alu) + 3*(b.barrier+b.sharedLoad)
	warps := float64(p.Split.Threads) / b.lanes
	return times * ((2*b.load+scan)*b.cycle + warps*instructions*b.issue*b.sms)
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
	tries, latency, port := b.counting(&c.counters, p, st)
	bytes, blocks := st.positions*b.index, float64(p.Count.Blocks)
	warps := blocks * float64(p.Count.Threads) / b.lanes
	each := (loopInstructions+loadInstructions)/partTogether + countedInstructions + tries
	iteration := (p.head + loopInstructions*b.alu) + partTogether*latency
	hot := max(st.maxFrequency, st.updates/p.occupied)
	rows := ceil(p.ranges / float64(p.Count.Threads))
	// Before the first update and behind the last.
	waits := (2*b.barrier + b.atomic +
		rows*(b.sharedLoad+(zeroInstructions+flushInstructions)*b.alu)) * b.cycle
	x[boundIssue] = waits + st.iterations*each*b.issue + b.rowsUS(p, blocks)
	x[boundMemory] = waits + bytes*p.byteUS
	x[boundPort] = waits + st.iterations*port*b.perSM
	x[boundLock] = hot / blocks * c.counters.hold * b.cycle
	passes := blocks * b.counterPasses(p)
	x[boundRequest] = waits + passes*b.request
	x[boundSlice] = waits + passes*b.sliceShare*b.pass
	x[boundAddress] = blocks * b.sameAddress
	x[boundLatency] = waits + ceil(st.iterations/(partTogether*warps))*iteration*b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock], x[boundRequest],
		x[boundSlice], x[boundAddress], x[boundLatency])
}

// counterPasses is the number of sectors of a counter for each range, which a block adds to side by
// side.
func (b *Bundle) counterPasses(p *parted) float64 {
	return ceil(p.ranges * wordBytes / b.sectorBytes)
}

// rowsUS is the time in which so many blocks or tiles pass over a word of each range.
func (b *Bundle) rowsUS(p *parted, times float64) float64 {
	return times * ceil(p.ranges/b.lanes) * rangePlace * b.issue
}

// splitUS is the time of writing the updates to their ranges. A thread block takes one tile after
// the other, and its warps wait for each other between the steps of a tile: they load, count, place
// the ranges, sort the tile in shared memory and store it. The B blocks of an SM overlap, each in
// a step of its own:
//
//	(waits + load + count + sort + store) / B
//
// A thread's updates of a tile are loaded together.
func (b *Bundle) splitUS(c *candidate, p *parted, st *stream, x *bounds) float64 {
	tries, latency, counting := b.counting(&c.placing, p, st)
	words := 1.0 // of an update in shared memory
	if p.value > 0 {
		words += p.value / b.d.Shared.BankBytes.Value
	}
	tiles := p.tileTimes * float64(p.Split.Blocks)
	load := st.positions * b.updateBytes * p.byteUS
	// Starts and places of ranges, the tile as it is stored and loaded.
	sort := st.iterations * (b.atRandom(p.warp)*(1+words) + 1 + words) * b.passPort * b.perSM
	count := st.iterations * counting * b.perSM
	reserved := tiles * b.counterPasses(p)
	each := splitInstructions + 2*b.loads*loadInstructions + tries
	x[boundIssue] = st.iterations*each*b.issue + b.rowsUS(p, tiles)
	x[boundMemory] = load + st.updates*(impl.PlaceBytes+p.value)*p.byteUS
	x[boundPort] = count + sort
	parts, whole := b.storedSectors(p, st)
	x[boundRequest] = (st.iterations*(parts+whole) + reserved) * b.request
	x[boundSlice] = load + (st.iterations*parts*b.storePass+reserved*b.pass)*b.sliceShare +
		st.iterations*(parts+whole)*b.sectorBytes*b.near
	x[boundAddress] = tiles * b.sameAddress
	places := ceil(p.ranges / float64(p.Split.Threads))
	waits := p.tileTimes * b.cycle * (p.head + latency + 2*b.treeSteps*(b.shuffle+b.alu) +
		places*(b.atomic+4*b.sharedLoad) + 3*b.sharedLoad + 7*b.barrier)
	store := max(x[boundSlice], x[boundMemory]) - load
	full := max(1, tiles*float64(p.Split.Threads*p.Items)/st.updates) // the last tiles are not
	steps := waits + load + (count+sort)*full + store
	x[boundLatency] = steps / float64(p.Split.BlocksPerSM)
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundRequest], x[boundSlice],
		x[boundAddress], x[boundLatency])
}

// storedSectors is the number of sectors that a warp's stores of sorted updates fill in part, and
// as a whole. A tile of T updates has its D ranges side by side, so that the 32 updates of a warp
// lie in 1 + 32·D/T pieces.
func (b *Bundle) storedSectors(p *parted, st *stream) (parts, whole float64) {
	pieces := min(st.active, 1+b.lanes*p.inTile/p.tile)
	parts, whole = b.sectorsOfPieces(impl.PlaceBytes, pieces, st)
	if p.value > 0 {
		valueParts, valueWhole := b.sectorsOfPieces(p.value, pieces, st)
		parts, whole = parts+valueParts, whole+valueWhole
	}
	return parts, whole
}

// sectorsOfPieces is that for values of v bytes. A piece of p bytes that begins with any value lies
// on 1 + (p-v)/s sectors of s bytes, of which it fills (p-s+v)/s, if it is longer than one.
func (b *Bundle) sectorsOfPieces(v, pieces float64, st *stream) (parts, whole float64) {
	bytes := st.active * v / pieces
	whole = max(0, bytes-b.sectorBytes+v) / b.sectorBytes
	parts = 1 + (bytes-v)/b.sectorBytes - whole
	return pieces * parts, pieces * whole
}
