package speedup

import (
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
)

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

// classesOf returns what a table holds of a stream's classes. The target of rank r has its slot
// if none of the more frequent ones has it, with exp(-(r-1)/S). Where the table is filled from a
// sample of M updates, some of these, M·(1 - cover(S)), find a frequent target of their slot
// only by chance. With C counters for each slot there are so many of them for a counter, and for
// a slot:
//
//	l = M·(1 - cover(S))/(C·S),  m = C·l
//
// A target with the share p of all updates has a count of about M·p + l. It is hot if it has two
// and more than the highest of the m others, which is about sqrt(2·l·ln(1 + m)) above l, so that
// with the normal distribution Φ
//
//	q(p) = Φ((M·p - t + 1/2)/sqrt(M·p + l)),  t = max(2, 1 + sqrt(2·l·ln(1 + m)))
//
// It then has its slot if none of the more frequent ones that are hot has it, and none of the m
// shares its counter with one of those: exp(-(sum of their q)·(1 + m/C)/S).
func (t *table) classesOf(st *stream, k *classes) {
	sampled := t.sample > 0 && t.sample < st.updates
	own := int(t.slots) / max(1, int(t.launch.Blocks))
	counters := float64(device.SampleCounters(own)) / float64(own)
	rare := t.sample * (1 - st.cover(t.slots)) / (counters * t.slots)
	least := max(2, 1+math.Sqrt(2*rare*math.Log(1+counters*rare)))
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

// missSamples adds the updates that miss since a sample does not find their targets: those that
// hit are as many times fewer as classes say. The most frequent target that misses is of each
// class with the probability that all more frequent ones are found.
func (k *classes) missSamples(st *stream, m *misses) {
	known, found, none, frequency := 0.0, 0.0, 1.0, 0.0
	for _, c := range k.list[:k.n] {
		share := c.ranks * c.share
		known, found = known+share*c.inSlot, found+share*c.found
		all := math.Pow(min(1, c.found/c.inSlot), c.ranks) // those without their slot miss known tables too
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

// busiestMisses is the share of all misses that fall on the busiest of the chunks of so many targets
// each, if the targets are in the order of their ranks. No target misses whose share is above the highest one
// that does.
func (k *classes) busiestMisses(targets, highest float64) float64 {
	all, most, before, ranks := 0.0, 0.0, 0.0, 0.0
	for _, c := range k.list[:k.n] {
		each := c.share * (1 - c.found)
		if c.share > highest {
			each = 0
		}
		all += c.ranks * each
		if ranks += c.ranks; ranks <= targets {
			before += c.ranks * each // the first chunk holds the whole class
		}
		most = max(most, before, each*min(c.ranks, targets))
	}
	if all <= 0 {
		return 0
	}
	return most / all
}

// touches is the number of slots to which so many updates add, spread over the stream.
func (k *classes) touches(updates float64) (slots float64) {
	for _, c := range k.list[:k.n] {
		slots += c.ranks * c.found * (1 - math.Exp(-updates*c.share))
	}
	return slots
}

// Instructions of a sample, counted and offered: place in the stream, two hashes, compare,
// branch and atomic; offered, also its count and what is made of it.
const (
	countInstructions = 32
	offerInstructions = 41
)

// together is how many samples of a thread are loaded before the first of them is used.
const together = 4

// sampleUS is the time of the kernel that looks for hot targets. Each block reads all samples
// twice, four at a time in each thread: to count them, and to offer them to their slots. Lines of
// them as wide as a row of banks pass to the SM one by one, as sectors of atomics pass out of it. What
// its warps issue hides what they wait for, or the other way round. A warp's offers of the most
// frequent target wait for each other; those of other warps, and later ones, are no better and give up.
func (b *Bundle) sampleUS(t *table, st *stream, x *bounds) float64 {
	samples, threads := min(t.sample, st.updates), float64(t.launch.Threads)
	warps, blocks := threads/b.lanes, float64(t.launch.Blocks)
	iterations := ceil(samples/threads) * ceil(blocks/b.sms) // of an SM that has several blocks
	const count, offer = loopInstructions + countInstructions, loopInstructions + offerInstructions
	issue := warps * b.issue * b.sms // of one SM
	wait := (countInstructions+offerInstructions)*b.alu + 2*b.sharedLoad
	loads := ceil(iterations/together) * 2 * st.head
	line := b.d.Shared.Banks.Value * b.d.Shared.BankBytes.Value
	lines := 2 * min(samples, st.updates*b.index/line)
	sectors := 2 * min(samples, st.updates*b.index/b.sectorBytes)
	one := min(samples, b.lanes) * st.maxFrequency / st.updates
	gather := lines * ceil(blocks/b.sms) * b.d.Global.SMSector.Value * b.cycle
	fixed := gather + (loads+t.offer+3*b.barrier+2*b.load)*b.cycle
	x[boundIssue] = fixed + max(iterations*wait*b.cycle, iterations*(count+offer)*issue)
	x[boundMemory] = fixed + blocks*sectors*b.sectorBytes*b.near
	x[boundLock] = fixed + one*t.hold*b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundLock])
}
