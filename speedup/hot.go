package speedup

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Hot targets stand in a table in shared memory, which each update asks first: a hit adds to a copy
// of its slot, a miss to its target in global memory. Slots are as random as their hash.

// probeInstructions are those that ask the table: hash, load of the tag, compare and two branches.
const probeInstructions = 6

// table is a table of hot targets.
type table struct {
	slots, bytes float64
	below        int     // the collision.Miss of a table with no more slots
	above        float64 // weight of the next one
	sample       float64 // updates in which the targets are found, 0 where they are known

	offer, hold float64 // cycles of a sample that offers its target, and for which it keeps the slot
}

// tableOf prepares the table of an implementation. What tables miss is interpolated between those
// of the statistics, in the logarithm of their slots.
func (b *Bundle) tableOf(v variant.Variant) table {
	t := table{slots: float64(v.Slots), sample: float64(v.Sample)}
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
	m.lanes, m.distinct = mix(low.Lanes, high.Lanes), mix(low.Distinct, high.Distinct)
	m.highest = mix(low.Highest, high.Highest)
	m.sectors = mix(low.Sectors4, high.Sectors4)
	if b.wide {
		m.sectors = mix(low.Sectors8, high.Sectors8)
	}
	m.frequency = mix(float64(low.Frequency), float64(high.Frequency))
	m.hits = max(0, st.active-m.lanes)
	m.hitTargets = max(0, st.DistinctPerWarp-m.distinct)
	if t.sample > 0 && t.sample < st.updates {
		k.missSamples(st, &m)
	}
	return m
}

// classes are ranks of targets by their frequency that double: 1, 2, 3 to 4, 5 to 8 and so on.
type classes struct {
	list [len(collision.Cover{})]class
	n    int // in use
}

type class struct {
	ranks  float64
	share  float64 // of all updates on a target
	inSlot float64 // probability that one has its slot, where the targets are known
	found  float64 // and in this table
}

// classesOf returns what a table holds of a stream's classes. The target of rank r has its slot if
// none of the more frequent ones has it, with exp(-(r-1)/S). Where the table is filled from a sample
// of M updates, some of these, M·(1 - cover(S)), find a frequent target of their slot only by
// chance. There are so many of them for each of a block's counters, and for each slot:
//
//	l = M·(1 - cover(S))/(8·S),  m = 8·l
//
// A target with the share p of all updates has a count of about M·p + l. It is hot if it has two and
// more than the highest of the m others, which is about sqrt(2·l·ln(1 + m)) above l, so that with the
// normal distribution Φ
//
//	q(p) = Φ((M·p - t + 1/2)/sqrt(M·p + l)),  t = max(2, 1 + sqrt(2·l·ln(1 + m)))
//
// It then has its slot if none of the more frequent ones that are hot has it, and none of the m
// shares its counter with one of those: exp(-(sum of their q)·(1 + m/8)/S).
func (t *table) classesOf(st *stream, k *classes) {
	sampled := t.sample > 0 && t.sample < st.updates
	rare := t.sample * (1 - st.cover(t.slots)) / (sampleCounters * t.slots)
	least := max(2, 1+math.Sqrt(2*rare*math.Log(1+sampleCounters*rare)))
	taken := (1 + rare) / t.slots // by each of the more frequent targets
	hot, before := 0.0, 0.0
	for j, all := range st.Cover {
		ranks, share := 1.0, all
		if j > 0 {
			ranks, share = math.Ldexp(0.5, j), all-st.Cover[j-1]
		}
		if ranks = min(ranks, st.unique-before); ranks <= 0 {
			return
		}
		c := &k.list[j]
		*c = class{ranks: ranks, share: share / ranks}
		c.inSlot = math.Exp(-(before + 0.5*(ranks-1)) / t.slots)
		if c.found = c.inSlot; sampled {
			mean := t.sample * c.share
			q := 0.5 * math.Erfc((least-0.5-mean)/math.Sqrt(2*(mean+rare)))
			c.found = q * math.Exp(-(hot+0.5*q*(ranks-1))*taken)
		}
		before, hot = before+ranks, hot+c.found*ranks
		k.n = j + 1
	}
}

// missSamples adds the updates that miss since a sample does not find their targets: those that hit
// are as many times fewer as classes say. The most frequent target that misses is of each class with
// the probability that all more frequent ones are found.
func (k *classes) missSamples(st *stream, m *misses) {
	known, found, none, frequency := 0.0, 0.0, 1.0, 0.0
	for _, c := range k.list[:k.n] {
		share := c.ranks * c.share
		known, found = known+share*c.inSlot, found+share*c.found
		all := math.Pow(c.found, c.ranks)
		frequency += c.share * none * (1 - all)
		none *= all
	}
	lost := max(0, 1-found/max(known, found))
	more := min(m.hits*lost, m.hitTargets)
	m.lanes += m.hits * lost
	m.hits -= m.hits * lost
	m.distinct, m.hitTargets = m.distinct+more, m.hitTargets-more
	m.sectors += more * min(1, st.sectors/st.DistinctPerWarp)
	m.highest = max(m.highest, min(1, m.lanes))
	m.frequency = max(m.frequency, frequency*st.updates)
}

// touches is the number of slots to which so many updates add, spread over the stream.
func (k *classes) touches(updates float64) (slots float64) {
	for _, c := range k.list[:k.n] {
		slots += c.ranks * c.found * (1 - math.Exp(-updates*c.share))
	}
	return slots
}

// sampleCounters is the number of counters of samples for each slot.
const sampleCounters = 8

// hotUS is the time of a call with hot targets: finding them, if they are not known; loading tags
// and clearing copies, updating, and adding the copies to the targets.
func (b *Bundle) hotUS(c *candidate, e *evaluation) float64 {
	t, k, st, x := &c.table, &c.copies, &e.st, &e.x
	var ranks classes
	t.classesOf(st, &ranks)
	m, slots := b.missesOf(t, &ranks, st), *st
	slots.bins, slots.targetRows, slots.ramp = t.slots, ceil(t.slots/b.lanes), 0
	g := b.launch(t.bytes, e)
	main := b.zeroUS(g, k.number*t.slots+k.padWords, &x[1]) + b.loadTags(t, g, &x[1])
	main += b.updateHot(k, t, &e.adds, &m, &slots, g, &x[2], &x[3])
	flush := *g
	flush.targetsUS = b.flushHot(&ranks, st, g, &flush.flush)
	main += b.flushUS(k, &slots, &flush, &x[4])
	if t.sample == 0 {
		return st.start + main
	}
	return b.after(st.start+b.sampleUS(t, st, &x[0]), st.clears+1, main)
}

// loadTags is the time in which each block loads the tags.
func (b *Bundle) loadTags(t *table, g *grid, x *bounds) float64 {
	bytes := g.blocks * t.slots * indexBytes
	us := max(ceil(t.slots/g.threads)*(b.load+zeroInstructions*b.alu)*b.cycle, bytes*b.near)
	x[boundLatency] += us
	return us
}

// updateHot is the time of the updates: the first turn of the warps, and the rest. After a reduction
// hits and misses have as large a part of their duplicates as all updates.
func (b *Bundle) updateHot(c *copies, t *table, a *adds, m *misses, st *stream, g *grid,
	start, x *bounds) float64 {
	rest := 0.0
	if st.active > st.DistinctPerWarp {
		rest = min(1, max(0, a.lanes-st.DistinctPerWarp)/(st.active-st.DistinctPerWarp))
	}
	hits, missing := b.hitsOf(a, m, rest), b.missing(a, m, st, rest)
	hit, miss := 1-math.Exp(-m.hitTargets), 1-math.Exp(-m.distinct) // turns with some
	tries, latency, port, lock := b.addCopies(c, &hits, st, g)
	probes := b.atRandom(min(st.DistinctPerWarp, t.slots))
	turn := st.headAtomic + a.latency + probeInstructions*b.alu + b.sharedLoad +
		(probes-1)*b.d.Shared.PassLatency.Value + hit*latency
	instructions := b.turnInstructions + a.instructions + probeInstructions + hit*tries
	swap := 0.0
	if b.casGlobal {
		rounds := b.swaps(missing.highest)
		instructions += miss * swapInstructions * rounds
		turn += miss * (rounds*b.round + (b.atomic - b.round))
		swap = b.swaps(missing.hot) * max(b.roundTrip, b.waitingSwaps(&missing, st))
	} else {
		instructions += miss * atomicInstructions
	}
	start[boundLatency] = turn * b.cycle
	x[boundIssue] = instructions * st.issue
	x[boundPort] = (probes*b.passPort + hit*port) * st.perSM
	x[boundLock] = lock
	x[boundSwap] = swap
	x[boundExchange] = a.exchange * st.perSM
	x[boundLatency] = ((g.turns-1)*turn + miss*b.atomic) * b.cycle
	targets := b.missTargets(&missing, st, x)
	return start[boundLatency] + max(x[boundIssue], x[boundPort], x[boundLock], x[boundSwap],
		x[boundExchange], x[boundLatency], targets)
}

// hitsOf returns the adds to slots, of a turn that has some.
func (b *Bundle) hitsOf(a *adds, m *misses, rest float64) adds {
	h := *a
	turns := max(1e-9, 1-math.Exp(-m.hitTargets))
	h.distinct = max(1, m.hitTargets/turns)
	h.lanes = max(h.distinct, (m.hitTargets+max(0, m.hits-m.hitTargets)*rest)/turns)
	h.highest = max(1, min(a.highest, h.lanes-h.distinct+1))
	h.degree = b.atRandom(h.distinct)
	h.bank = min(h.lanes, h.highest+h.degree-1)
	h.setContention()
	h.random = b.atRandom(h.lanes)
	return h
}

// missing returns the adds to targets in global memory, in the mean over all turns.
func (b *Bundle) missing(a *adds, m *misses, st *stream, rest float64) adds {
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
		p.chunk = min(1, p.hot/(st.turns*p.passes))
	}
	return p
}

// missTargets is the time in which the targets take what misses, as in updateDirect.
func (b *Bundle) missTargets(a *adds, st *stream, x *bounds) float64 {
	passes := st.turns * a.passes
	x[boundMemory] = st.streamAtomicUS
	x[boundRequest] = passes * b.request
	x[boundSlice] = passes*st.sliceShare*b.pass + st.streamAtomicUS
	x[boundChunk] = passes * (a.chunk + (1-a.chunk)*b.sliceShare) * b.pass
	x[boundAddress] = max(a.hot, passes*st.invSectors) * b.sameAddress
	x[boundMiss] = 0
	if hot := max(x[boundChunk], x[boundAddress]); st.coldShare > 0 && passes > 0 {
		st.hotTargets, st.hotRepeats = 0, 0 // they are in the table
		x[boundMiss] = b.missUS(a, st, max(x[boundSlice], hot), hot)
	}
	return max(x[boundMemory], x[boundRequest], x[boundSlice], x[boundChunk], x[boundAddress],
		x[boundMiss])
}

// flushHot is flushTargets for the slots that a block's updates touch. Each target has a chunk of its
// own, or as many as there is room for where the frequent ones stand side by side.
func (b *Bundle) flushHot(k *classes, st *stream, g *grid, x *bounds) float64 {
	touched := k.touches(st.updates * g.perBlock)
	passes, hot := g.blocks*touched, min(g.blocks, st.maxFrequency)
	own := b.chunksOf(touched, st)
	chunks := own + (max(1, touched*b.chunksPerTarget)-own)*b.ordered(st)
	x[boundRequest] = passes * b.request
	x[boundSlice] = passes * b.fullestSlice(chunks, st.edge) * b.pass
	x[boundAddress] = hot * b.sameAddress
	x[boundSwap] = 0
	if b.casGlobal {
		x[boundSwap] = b.swaps(hot) * b.roundTrip
	}
	return max(x[boundRequest], x[boundSlice], x[boundAddress], x[boundSwap])
}

// Instructions of a sample, counted and offered: place in the stream, two hashes, compare, branch and
// atomic; offered, also its count and what is made of it.
const (
	countInstructions = 12
	offerInstructions = 17
)

// sampleUS is the time of the kernel that looks for hot targets. Each block reads all samples twice,
// one after the other in each thread: to count them, and to offer them to their slots. Its warps go
// in step, so that what they issue comes on top of what they wait for. The offers to a slot wait for
// each other: those of the most frequent target, and as many rare ones as for any slot.
func (b *Bundle) sampleUS(t *table, st *stream, x *bounds) float64 {
	samples := min(t.sample, st.updates)
	warps := device.SampleThreads / b.lanes
	turns := ceil(samples / device.SampleThreads)
	count, offer := loopInstructions+countInstructions, loopInstructions+offerInstructions
	issue := warps * b.issue * b.sms // of one SM
	wait := 2*st.head + (countInstructions+offerInstructions)*b.alu + b.sharedLoad + t.offer
	blocks := max(1, t.slots/device.SampleSlots)
	bytes := 2 * blocks * min(samples*b.sectorBytes, st.updates*indexBytes)
	one := samples*st.maxFrequency/st.updates + samples*(1-st.cover(t.slots))/t.slots
	x[boundLatency] = (turns*wait + 3*b.barrier + b.load) * b.cycle
	x[boundIssue] = turns * float64(count+offer) * issue
	x[boundMemory] = bytes * b.near
	x[boundLock] = one * t.hold * b.overlapped(warps) * b.cycle
	return x[boundLatency] + max(x[boundIssue], x[boundMemory], x[boundLock])
}

// cover is the share of the updates on the n most frequent targets: collision.Stats.Cover, linear
// in log2 n between its numbers, and in n from the last one to all targets that occur.
func (st *stream) cover(n float64) float64 {
	last := len(st.Cover) - 1
	switch most := math.Ldexp(1, last); {
	case n >= st.unique:
		return 1
	case n >= most:
		return st.Cover[last] + (1-st.Cover[last])*(n-most)/(st.unique-most)
	}
	at := math.Log2(max(1, n))
	below := min(int(at), last-1)
	return st.Cover[below] + (st.Cover[below+1]-st.Cover[below])*(at-float64(below))
}
