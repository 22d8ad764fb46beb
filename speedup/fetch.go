package speedup

import (
	"math"

	"github.com/atomtune/atomtune/device"
)

// Old values from copies take two passes over the stream. The first counts, as without old
// values. Then each counter's sum goes to its target by an atomic that returns, and the second pass
// adds the updates again from what the targets held, by adds in shared memory that return, and
// stores what they found.

// Instructions beside those of a flush and of the passes: of a counter (the target's load, which of
// the two it was, branch) and of one of its copies (load, store, add, advance), and of an iteration whose
// lanes store.
const (
	placeInstructions = 3
	beginInstructions = 4
	storeInstructions = 2
)

// placedTogether is the number of counters of a thread whose targets it waits for at a time.
const placedTogether = 4.0

// returning returns copies with adds that return: one of a loaded value each, since the device's
// short ways to add ones return nothing.
func (b *Bundle) returning(k copies) copies {
	k.setAdd(b.d.SharedUpdate(device.Call{Type: b.c.Type, Op: b.c.Op}), b.words, k.number)
	return k
}

// twice returns the stream as both passes read it; the second stores the old values too. L2 holds
// all of that or streams it.
func (b *Bundle) twice(st *stream) (first, second stream) {
	first, second = *st, *st
	byteUS := b.byteUS(st.positions*b.updateBytes+st.updates*b.returns, b.l2Bytes)
	first.streamUS = st.positions * b.updateBytes * byteUS
	second.streamUS = (st.positions*b.updateBytes + st.updates*b.returns) * byteUS
	return first, second
}

// storing returns the adds of an iteration whose lanes store what they found.
func storing(a *adds) adds {
	of := *a
	of.issued += storeInstructions
	return of
}

// privateFetchUS is the time of a call that returns old values from private copies.
func (b *Bundle) privateFetchUS(c *candidate, e *evaluation) float64 {
	k, st, x := &c.copies, &e.st, &e.x
	g := b.copyGrid(c.v, st.bins*k.bytes+k.padBytes, e)
	first, second := b.twice(st)
	fetches := storing(&e.adds)
	us := b.zeroUS(&g.launch, k.number*st.bins+k.padWords, &x[0])
	us += b.updateCopies(k, &e.adds, &first, g, &x[1], &x[2])
	touched := b.touched(st, max(1, st.positions*g.perBlock/float64(st.BlockSize)))
	us += b.placeUS(k, st, g, b.untouchedSectors(st.bins, touched), &x[3])
	us += b.updateCopies(&c.returning, &fetches, &second, g, &x[4], &x[5])
	return st.start + us
}

// untouchedSectors is the number of sectors of so many targets side by side on which some are not
// among as many that are touched, which lie as at random.
func (b *Bundle) untouchedSectors(targets, touched float64) float64 {
	share := min(1, touched/targets)
	return ceil(targets*b.sectorsPerTarget) * (1 - math.Pow(share, 1/b.sectorsPerTarget))
}

// placeUS is the time of a flush whose counters take what their targets held, and then of each copy
// beginning where the one before it ends. A thread waits for the targets of several counters at a
// time, and targets that its block has not touched are read, in so many sectors.
func (b *Bundle) placeUS(c *copies, st *stream, g *grid, untouched float64, x *bounds) float64 {
	us := b.flushUS(c, st, g, x)
	rows, sums := g.blocks*g.uneven*st.targetRows, ceil(st.bins/g.threads)
	x[boundLatency] += g.waves * (ceil(sums/placedTogether) - 1) * b.atomic * b.cycle
	x[boundMemory] = g.blocks * untouched * b.sectorBytes * b.near
	answers := x[boundRequest]/b.request + g.blocks*untouched
	x[boundRequest] = answers * b.request
	x[boundAnswer] = answers * b.answer
	us = max(us, x[boundLatency], x[boundMemory], x[boundRequest], x[boundAnswer])
	begin := max((rows*placeInstructions+rows*c.number*beginInstructions)*b.issue,
		2*rows*c.number*b.words*b.passPort*b.perSM,
		g.waves*sums*c.number*(b.sharedLoad+beginInstructions*b.alu)*b.cycle)
	for i := range x {
		if x[i] > 0 {
			x[i] += begin
		}
	}
	return us + begin
}

// hotFetchUS is the time of a call that returns old values from hot targets, but for what finds
// these: misses are added in the second pass alone, and return as well.
func (b *Bundle) hotFetchUS(c *candidate, ranks *classes, m *misses, slots *stream, g *grid,
	e *evaluation) float64 {
	t, k, st, x := &c.table, &c.copies, &e.st, &e.x
	first, second := b.twice(slots)
	second.streamAtomicUS = max(second.streamAtomicUS, second.streamUS) + b.storedTwiceUS(m, slots)
	us := b.countHits(k, t, &e.adds, m, &first, g, &x[2], &x[3])
	flush := *g
	flush.targetsUS = b.flushHot(ranks, st, g, &flush.flush)
	filled := min(t.slots, st.unique)
	us += b.placeUS(k, slots, &flush, max(0, filled-ranks.touches(st.updates*g.perBlock)), &x[4])
	fetches := storing(&e.adds)
	return us + b.updateHot(&c.returning, t, ranks, &fetches, m, &second, g, &x[5], &x[6])
}

// storedTwiceUS is the time of storing the sectors of old values a second time in which a warp has
// both hits and misses, since each stores its own.
func (b *Bundle) storedTwiceUS(m *misses, st *stream) float64 {
	lanes := b.sectorBytes / b.size // of a sector
	hits := min(1, m.hits*st.invActive)
	both := max(0, 1-math.Pow(hits, lanes)-math.Pow(1-hits, lanes))
	return st.updates * b.size * both * b.nearAtomic
}

// countHits is the time of the first pass with hot targets: values are read, and added, of hits
// alone, once the tag is there.
func (b *Bundle) countHits(c *copies, t *table, a *adds, m *misses, st *stream, g *grid,
	start, x *bounds) float64 {
	h := b.probe(c, t, a, m, st, g, 1)
	valueLoads, valueLatency := 0.0, 0.0
	if b.loads > 1 {
		valueLoads, valueLatency = loadInstructions*(b.loads-1), b.load
	}
	iteration := st.head + h.latency + rangeInstructions*b.alu + h.share*valueLatency
	start[boundLatency] = iteration * b.cycle
	x[boundIssue] = (loopInstructions + loadInstructions + rangeInstructions + h.instructions +
		h.share*valueLoads) * st.issue * g.uneven
	sectors := 1 - math.Pow(1-min(1, m.hits*st.invActive), b.sectorBytes/b.size) // with hits
	values := b.value / b.updateBytes
	x[boundMemory] = st.streamUS * (1 - values + values*sectors)
	x[boundPort] = h.port * st.perSM * g.uneven
	x[boundLock] = h.lock
	waits := g.united * (st.head - loopInstructions*b.alu)
	x[boundLatency] = ((g.slotIterations-1)*iteration - waits) * b.cycle
	return start[boundLatency] + max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock],
		x[boundLatency])
}
