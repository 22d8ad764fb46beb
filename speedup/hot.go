package speedup

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// Hot targets are in a table in shared memory, which each update asks first: a hit adds to a copy
// of its slot, a miss to its target in global memory. Slots are as random as their hash.

// probeInstructions are those that ask the table: hash, load of the tag, compare and two branches.
const probeInstructions = 6

// table is a table of hot targets.
type table struct {
	slots, bytes float64
	below        int     // the collision.Miss of a table with no more slots
	above        float64 // weight of the next one
	sample       float64 // updates in which the targets are found, 0 where they are known

	launch      device.Shape // of what finds them
	offer, hold float64      // cycles of an offer, and for which it keeps the slot
}

// tableOf prepares the table of an implementation. What tables miss is interpolated between those
// of the statistics, in the logarithm of their slots.
func (b *Bundle) tableOf(v impl.Spec) table {
	t := table{slots: float64(v.Slots), sample: float64(v.Sample)}
	t.launch = b.limits.SampleShape(v)
	t.bytes = float64(v.SharedBytes(0, int(b.size)))
	first := bits.Len(uint(collision.TableSlots(0)))
	step := bits.Len(uint(collision.TableSlots(1))) - first
	at := min(float64(bits.Len(uint(v.Slots))-first)/float64(step), collision.Tables-1)
	t.below = min(int(at), collision.Tables-2)
	t.above = at - float64(t.below)
	offer := b.d.SharedUpdate(device.Offer())
	if t.offer = offer.Base.Value; offer.Mechanism != device.CAS {
		t.hold = offer.Hold.Value // of a loop's swaps, most leave the slot as it is
	}
	return t
}

// TagsUS is the time of a kernel that reads how often each target occurs, and keeps the most frequent of each slot,
// and of a small one after it.
func (b *Bundle) TagsUS(s *collision.Stats) float64 {
	bytes := float64(s.Bins) * wordBytes
	return b.d.Launch.First.Value + b.d.Launch.Next.Value + bytes*b.byteUS(bytes, b.l2Bytes)
}

// misses are the updates of a mean warp that miss, and those that hit.
type misses struct {
	lanes, distinct, highest, sectors float64
	frequency                         float64 // updates of the most frequent target that misses
	hits, hitTargets                  float64 // updates and different targets of a warp that hit
}

// missesOf returns what a table misses of a stream.
func (b *Bundle) missesOf(t *table, k *classes, st *stream) (m misses) {
	low, high := &st.Misses[t.below], &st.Misses[t.below+1]
	mix := func(x, y float64) float64 { return x + (y-x)*t.above }
	m.lanes, m.distinct = mix(low.LanesPerWarp, high.LanesPerWarp), mix(low.DistinctPerWarp, high.DistinctPerWarp)
	m.highest = mix(low.HighestPerWarp, high.HighestPerWarp)
	m.sectors = mix(low.SectorsPerWarp4, high.SectorsPerWarp4)
	if b.wide {
		m.sectors = mix(low.SectorsPerWarp8, high.SectorsPerWarp8)
	}
	m.frequency = mix(float64(low.MaxFrequency), float64(high.MaxFrequency))
	m.hits = max(0, st.active-m.lanes)
	m.hitTargets = max(0, st.DistinctPerWarp-m.distinct)
	if t.sample > 0 && t.sample < st.updates {
		k.missSamples(st, &m)
	}
	return m
}

// hotUS is the time of a call with hot targets: finding them, if they are not known; loading tags
// and clearing copies, updating, and adding the copies to the targets.
func (b *Bundle) hotUS(c *candidate, e *evaluation) float64 {
	t, k, st, x := &c.table, &c.copies, &e.st, &e.x
	var ranks classes
	t.classesOf(st, &ranks)
	m, slots := b.missesOf(t, &ranks, st), *st
	slots.bins, slots.targetRows, slots.ramp = t.slots, ceil(t.slots/b.lanes), 0
	slots.hotTargets, slots.hotRepeats = 0, 0 // they are in the table
	g := b.copyGrid(c.v, t.bytes, e)
	main := b.loadTags(t, &g.launch, b.zeroUS(&g.launch, k.number*t.slots+k.padWords, &x[1]), &x[1])
	if b.c.Returns {
		main += b.hotFetchUS(c, &ranks, &m, &slots, g, e)
	} else {
		main += b.updateHot(k, t, &ranks, &e.adds, &m, &slots, g, &x[2], &x[3])
		flush := *g
		flush.targetsUS = b.flushHot(&ranks, st, g, &flush.flush)
		main += b.flushUS(k, &slots, &flush, &x[4])
	}
	if t.sample == 0 {
		return st.start + main
	}
	return b.after(st.start+b.sampleUS(t, st, &x[0]), st.clears+1, main)
}

// loadTags is the time in which each block loads the tags, and then clears its copies for so long.
func (b *Bundle) loadTags(t *table, g *launch, zero float64, x *bounds) float64 {
	us := g.waves * ceil(t.slots/g.threads) * (b.load + zeroInstructions*b.alu) * b.cycle
	x[boundMemory] = g.blocks*t.slots*wordBytes*b.near + zero
	x[boundIssue] += us
	x[boundPort] += us
	x[boundLatency] += us
	return max(zero+us, x[boundMemory])
}

// updateHot is the time of the updates: the first iteration of the warps, and the rest. After a
// reduction hits and misses have as large a part of their duplicates as all updates.
func (b *Bundle) updateHot(c *copies, t *table, k *classes, a *adds, m *misses, st *stream,
	g *grid, start, x *bounds) float64 {
	rest := 0.0
	if st.active > st.DistinctPerWarp {
		rest = min(1, max(0, a.lanes-st.DistinctPerWarp)/(st.active-st.DistinctPerWarp))
	}
	missing, miss := b.missing(a, m, k, st, rest), 1-math.Exp(-m.distinct) // turns with some
	h := b.probe(c, t, a, m, st, g, rest)
	return b.updateTargets(a.price, h, &missing, miss, 1, st, &g.launch, start, x)
}

// probed is what asking the table and adding hits takes in a mean turn: the share of iterations with
// hits, warp instructions, cycles of latency and of the port; and the microseconds in which the
// busiest copy takes all of its adds.
type probed struct{ share, instructions, latency, port, lock float64 }

// probe returns it, where hits keep such a part of their duplicates.
func (b *Bundle) probe(c *copies, t *table, a *adds, m *misses, st *stream, g *grid,
	rest float64) (p probed) {
	hits, probes := b.hitsOf(a, m, rest), b.atRandom(min(st.DistinctPerWarp, t.slots))
	tries, latency, port, lock := b.addCopies(c, &hits, st, g)
	p.share, p.lock = 1-math.Exp(-m.hitTargets), lock
	p.instructions = probeInstructions + p.share*tries
	p.latency = probeInstructions*b.alu + b.sharedLoad +
		(probes-1)*b.d.Shared.PassLatency.Value + p.share*latency
	p.port = probes*b.passPort + p.share*port
	return p
}

// hitsOf returns the adds to slots, of an iteration that has some.
func (b *Bundle) hitsOf(a *adds, m *misses, rest float64) adds {
	h := *a
	iterations := max(1e-9, 1-math.Exp(-m.hitTargets))
	h.distinct = max(1, m.hitTargets/iterations)
	h.lanes = max(h.distinct, (m.hitTargets+max(0, m.hits-m.hitTargets)*rest)/iterations)
	h.highest = max(1, min(a.highest, h.lanes-h.distinct+1))
	h.degree = b.atRandom(h.distinct)
	h.bank = min(h.lanes, h.highest+h.degree-1)
	h.setContention()
	h.random = b.atRandom(h.lanes)
	return h
}

// missing returns the adds to targets in global memory, in the mean over all iterations. As far as the
// frequent targets stand side by side, what misses of them meets in the same chunks, each no more
// often than the most frequent one that misses.
func (b *Bundle) missing(a *adds, m *misses, k *classes, st *stream, rest float64) adds {
	p := *a
	p.distinct, p.sectors = m.distinct, m.sectors
	p.lanes = m.distinct + max(0, m.lanes-m.distinct)*rest
	p.passes = m.sectors + max(0, min(m.lanes*st.plain.passes*st.invActive, m.lanes)-m.sectors)*rest
	p.highest = 1 + max(0, m.highest-1)*rest
	p.hot = m.frequency
	if m.lanes > 0 {
		p.hot *= p.lanes / m.lanes
	}
	p.chunk = 0
	if p.passes > 0 {
		neighbours := min(m.lanes*st.iterations*k.busiestMisses(1/b.chunksPerTarget, m.frequency/st.updates),
			m.frequency/b.chunksPerTarget)
		p.chunk = min(1, max(p.hot, b.ordered(st)*neighbours)/(st.iterations*p.passes))
	}
	return p
}

// flushHot is flushTargets for the slots that a block's updates touch. Each target has a chunk
// of its own, or as many as there is room for where the frequent ones stand side by side, and a warp adds to those of
// a sector together.
func (b *Bundle) flushHot(k *classes, st *stream, g *grid, x *bounds) float64 {
	touched := k.touches(st.updates * g.perBlock)
	lanes, hot := min(b.lanes, touched), min(g.blocks, st.maxFrequency)
	side := touched / max(1, lanes) * min(lanes, max(1, touched*b.size/b.sectorBytes))
	passes := g.blocks * (touched + (side-touched)*b.ordered(st))
	own := b.chunksOf(touched, st)
	chunks := own + (max(1, touched*b.chunksPerTarget)-own)*b.ordered(st)
	return b.takeSums(passes, chunks, hot, hot, st, x)
}
