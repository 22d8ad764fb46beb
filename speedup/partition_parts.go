package speedup

import (
	"math"

	"github.com/atomtune/atomtune/impl"
)

// cutRanges sets how ranges are cut into parts. That with most updates has an even share, or as far
// as the frequent targets stand side by side, those of its width.
func (b *Bundle) cutRanges(c *candidate, p *parted, st *stream) {
	whole, part, mean := float64(p.Whole), float64(p.Part), st.updates/p.occupied
	p.busiest = max(mean, st.maxFrequency, st.chunkFrequency)
	if st.HotKnown() {
		p.ordered = b.ordered(st)
		p.busiest = max(p.busiest, p.ordered*st.cover(float64(c.v.Width))*st.updates)
	}
	p.busiest = min(p.busiest, st.updates)
	p.parts, p.cut = p.occupied, 0
	switch {
	case mean > whole: // equal shares
		p.parts = p.occupied * ceil(mean/part)
		p.cut = p.parts
	case p.busiest > whole:
		p.cut = ceil(p.busiest / part)
		p.parts += p.cut - 1
	}
	b.setHot(p, st)
}

// setHot sets what the hot targets do in their ranges. The P most frequent ones are taken to be one
// of each range beside its even share of the others, and as far as they stand side by side, all of
// the busiest range. A range that is cut has them in all its parts.
//
// Targets whose ranks lie between two powers of two are taken to be equally frequent, with f of the
// updates each. The mean f is that of an update of a hot target.
func (b *Bundle) setHot(p *parted, st *stream) {
	busiest := p.busiest / st.updates
	p.hot, p.hotRanges = st.maxFrequency/p.busiest, busiest
	if !st.HotKnown() {
		p.hottest = p.inPart(st.maxFrequency/st.updates, busiest) * st.updates
		return
	}
	cover := min(1, st.cover(p.ranges))
	even := (1 - cover) / p.ranges
	all := func(f float64) float64 { return f + even + (busiest-f-even)*p.ordered }
	f := st.maxFrequency / st.updates
	hottest, squares := p.inPart(f, all(f)), 0.0
	count, below := 1.0, 0.0
	for rank, share := range st.Cover {
		if count > p.ranges {
			break
		}
		f := (share - below) / count
		squares += f * (share - below)
		hottest = max(hottest, p.inPart(f, all(f)))
		below = share
		if rank > 0 {
			count *= 2
		}
	}
	p.hottest = min(st.maxFrequency, hottest*st.updates)
	mean := squares / cover
	hot := mean / (mean + even)
	p.hot = hot + (p.hot-hot)*p.ordered
	ranges := min(1, cover/hot)
	p.hotRanges = ranges + (p.hotRanges-ranges)*p.ordered
}

// inPart is what the busiest part has of a target with a share f of the updates, whose range has
// so many in all.
func (p *parted) inPart(f, all float64) float64 {
	if all*p.updates > float64(p.Whole) {
		return float64(p.Part) / p.updates * f / all
	}
	return f
}

// addPartsUS is the time of adding the parts in copies of their ranges. A range of one part is
// stored, and where the call keeps what targets hold added, without atomics. The blocks of an SM
// are in step: what they load and store comes on top of what they do in shared memory.
func (b *Bundle) addPartsUS(c *candidate, p *parted, e *evaluation, x *bounds) float64 {
	k, st := &c.copies, e.st
	resident := float64(p.Add.BlocksPerSM) * b.sms
	iterations := st.iterations + p.parts // of warps that a part does not fill
	hot, g := b.addsOfParts(c, p, &st, p.hot, resident)
	tries, latency, port, lock := b.addCopies(k, &hot, &st, &g)
	cold, _ := b.addsOfParts(c, p, &st, 0, resident)
	coldTries, coldLatency, coldPort, _ := b.addCopies(k, &cold, &st, &g)
	tries = coldTries + (tries-coldTries)*p.hotRanges
	latency = coldLatency + (latency-coldLatency)*p.hotRanges
	port = coldPort + (port-coldPort)*p.hotRanges
	width := k.number * float64(c.v.WidthStep())
	rows, bytes := p.parts*width/b.lanes, st.updates*(impl.PlaceBytes+p.value)
	blocks := max(1, min(p.parts, resident))
	times := ceil(p.parts / blocks)
	idle := ceil(max(0, float64(p.Add.Blocks)-p.parts)/resident) * (b.load + b.barrier)
	waits := b.cycle * (idle + times/float64(p.Add.BlocksPerSM)*(4*p.head+latency+3*b.barrier+
		b.sharedLoad+width/g.threads*(zeroInstructions+sumInstructions+flushInstructions)*b.alu))
	each := b.turnInstructions + tries
	waits += bytes*p.byteUS + b.sumsUS(c, p, &e.st)
	x[boundMemory] = waits
	rows *= times * blocks / p.parts
	iterations *= p.uneven(blocks, resident)
	x[boundIssue] = waits + (iterations*each+rows*(zeroInstructions+flushInstructions))*b.issue
	x[boundPort] = waits + (iterations*port+2*rows*b.words*b.passPort)*b.perSM
	x[boundLock] = max(lock, p.hottest*k.port/k.number*b.cycle)
	iteration := p.head / partTogether
	if !k.native && !k.merge {
		iteration += latency // a loop ends before the next add
	}
	x[boundLatency] = waits + ceil(iterations/(blocks*g.threads/b.lanes))*iteration*b.cycle
	return max(x[boundIssue], x[boundMemory], x[boundPort], x[boundLock], x[boundLatency])
}

// uneven is how many times longer the adds of an SM's last block take than an even spread. Equal
// shares of ranges end in a short one; where more parts are left than short ones have made room
// for, they wait for a whole share, but several blocks of an SM share what is left. Parts of a few
// ranges that are cut fill up the rest.
func (p *parted) uneven(blocks, resident float64) float64 {
	times := ceil(p.parts / blocks)
	if p.cut == 0 {
		return times * blocks / p.parts
	}
	if p.cut < p.parts || p.parts <= resident || p.Add.BlocksPerSM > 1 {
		return 1
	}
	short := resident * p.occupied / p.parts
	if p.parts-resident <= short {
		return 1
	}
	return times * float64(p.Part) * resident / p.updates
}

// sumsUS is the time in which the targets take the sums of the parts: those of a range that is one
// part byte by byte, those of a cut one by atomics on the sectors with a sum.
func (b *Bundle) sumsUS(c *candidate, p *parted, st *stream) float64 {
	width := float64(c.v.Width)
	bytes := min(st.bins, (p.parts-p.cut)*width) * b.size
	if b.c.Keeps {
		bytes *= 2
	}
	sectors := max(1, width*b.sectorsPerTarget)
	touched := sectors * -math.Expm1(-min(float64(p.Part), st.updates)/sectors)
	passes := p.cut * min(touched, st.unique)
	return bytes*p.byteUS + max(passes*b.sliceShare*b.pass, passes*b.request)
}

// addsOfParts returns the adds of a warp to a range whose most frequent target has such a share of
// its updates, and the launch that makes them; it sets what they read of the stream.
func (b *Bundle) addsOfParts(c *candidate, p *parted, st *stream, hot, resident float64) (adds,
	grid) {
	// A lane adds four updates side by side, of which those of a run are on one target.
	run := min(st.active, st.updates/st.runs/partTogether)
	a := adds{lanes: st.active, highest: max(1, st.active*hot, run)}
	a.distinct = max(1, min(a.lanes-a.highest+1, float64(c.v.Width)))
	a.degree = max(b.atRandom(a.distinct), min(st.BankDegree, a.distinct))
	a.bank = min(a.lanes, a.highest+a.degree-1)
	a.hot = max(st.updates*hot*p.hotRanges/resident, p.hottest)
	a.setContention()
	a.random = b.atRandom(a.lanes)
	st.bins, st.ramp, st.neighbours = float64(c.v.Width), 0, 0
	st.heldHot = hot * min(1, hot*st.active)
	st.heldAny = st.heldHot + (1-hot)*min(1, a.distinct/min(st.bins, st.unique))
	g := grid{lock: b.cycle}
	g.threads, g.blocks, g.resident = float64(p.Add.Threads), resident, resident
	g.warps, g.invIterations = g.threads/b.lanes, 0
	return a, g
}
