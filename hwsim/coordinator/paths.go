package coordinator

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Paths is the regime of a device with a FastPath and a CompletePath, as its
// profile describes it: accesses queue at the memory channels, atomic
// operations follow each other in a pipeline, waiting wavefronts read again and
// again, and the wavefronts of a compute unit share its issue and its local
// memory.
type Paths struct {
	// Cached lets the L2 cache serve what the FastPath loads of known words once
	// it holds them, at its own rate and without the way to DRAM. [elteir11] does
	// not say whether the loads of its kernels are cached.
	Cached bool
}

// turnInstructions are the instructions of one turn of a waiting loop: fence,
// address, fetch, comparison, branch.
const turnInstructions = 8

// compareInstructions are those of one turn of a search in local memory: a load,
// a comparison, a branch.
const compareInstructions = 3

// slowest bounds the profile's times, in cycles, so that 64-bit ticks hold any
// queue.
const slowest = 1e5

func (Paths) check(d *device.Profile) error {
	if d.Paths == nil {
		return fmt.Errorf("%w: the profile of %s has no paths", ErrKernel, d.Name)
	}
	global, local := d.GlobalAtomic(device.U32), d.SharedAtomic(device.U32)
	perByte := d.Core.Clock.Value * 1e6 * d.Global.Slices.Value / min(d.Memory.DRAMRate.Value,
		d.Memory.AtomicRate.Value)
	for name, cycles := range map[string]float64{
		"a load":                 d.Global.LoadLatency.Value + d.Global.MissLatency.Value,
		"a global atomic":        global.Latency.Value + WavefrontLanes*global.SameAddress.Value,
		"a shared atomic":        local.Base.Value + WavefrontLanes*local.Round.Value,
		"a split-phase load":     WavefrontLanes * d.Paths.CopySame.Value,
		"moving a segment":       perByte * d.Paths.Segment.Value,
		"moving a wavefront":     perByte * 4 * WavefrontLanes,
		"a fence":                d.Paths.Fence.Value,
		"a turn":                 d.Paths.Turn.Value,
		"a dispatch":             d.Paths.Dispatch.Value,
		"a comparison's load":    d.Shared.LoadLatency.Value,
		"a barrier":              d.Core.Barrier.Value,
		"an instruction's issue": turnInstructions * d.Core.IssueCycles.Value,
	} {
		if !(cycles >= 0 && cycles <= slowest) {
			return fmt.Errorf("%w: %s: %s takes %v cycles, want 0 to %v", ErrKernel, d.Name, name, cycles,
				float64(slowest))
		}
	}
	return nil
}

// paths is Paths for one run. Times are in ticks.
type paths struct {
	s *sim

	fastWay, completeWay int64   // from a compute unit to a channel, or back
	segment              int64   // a channel is busy per segment of the FastPath
	segmentWords         int     // words of a segment
	fastByte, slowByte   float64 // a channel is busy per byte
	same, copySame       int64   // between lanes on one word: atomic operations, loads
	localBase, localLane int64   // atomic operations on local memory: one lane, each further one
	compareTurn          int64
	issue                int64
	turnTime, fenceTime  int64
	leaveBarrier         int64
	dispatch             int64
	aroundKernel         int64
	loads                int // of a clause

	fast, slow, atomic []server // by channel
	issuing, locals    []server // by compute unit
	accesses           int
	lines              []line        // of the load at hand
	held               map[int]int64 // by line: until when its copies are made
	cache              *cache        // of the FastPath's lines; nil where loads are not cached
}

func (r Paths) start(s *sim) pace {
	d := s.device
	channels, units := int(d.Global.Slices.Value), int(d.Core.SMs.Value)
	perByte := func(rate float64) float64 {
		return tick * d.Core.Clock.Value * 1e6 * float64(channels) / rate
	}
	global, local := d.GlobalAtomic(device.U32), d.SharedAtomic(device.U32)
	p := &paths{
		s:            s,
		fastWay:      ticks(d.Global.LoadLatency.Value+d.Global.MissLatency.Value) / 2,
		completeWay:  ticks(global.Latency.Value) / 2,
		segmentWords: int(d.Paths.Segment.Value) / 4,
		fastByte:     perByte(d.Memory.DRAMRate.Value), slowByte: perByte(d.Memory.AtomicRate.Value),
		same: ticks(global.SameAddress.Value), copySame: ticks(d.Paths.CopySame.Value),
		localBase: ticks(local.Base.Value), localLane: ticks(local.Round.Value),
		compareTurn: ticks(d.Shared.LoadLatency.Value + 2*d.Core.ALULatency.Value),
		issue:       ticks(d.Core.IssueCycles.Value),
		turnTime:    ticks(d.Paths.Turn.Value), fenceTime: ticks(d.Paths.Fence.Value),
		leaveBarrier: ticks(d.Core.Barrier.Value),
		dispatch:     ticks(d.Paths.Dispatch.Value),
		aroundKernel: ticks(d.Paths.Around.Value * d.Core.Clock.Value),
		loads:        int(min(d.Paths.Clause.Value, mostAccesses)),
		fast:         make([]server, channels), slow: make([]server, channels),
		atomic:  make([]server, channels),
		issuing: make([]server, units), locals: make([]server, units), held: map[int]int64{},
	}
	p.segment = int64(p.fastByte * d.Paths.Segment.Value)
	if r.Cached {
		p.cache = newCache(d)
	}
	return p
}

// patience is beyond any queue of the FastPath. On the CompletePath nothing
// waits for another wavefront.
func (p *paths) patience() int64 {
	if p.s.path() == completePath {
		return 1 << 60
	}
	queue := int64(p.s.slots) * int64(p.loads) * int64(p.fastByte*4*WavefrontLanes)
	return 1<<20*tick + queue + 64*(2*p.fastWay+p.fenceTime+p.turnTime)
}

// issues returns when the wavefront's compute unit has issued so many of its
// instructions.
func (p *paths) issues(w *wavefront, n int64) int64 {
	p.s.count.Instructions += uint64(n)
	return p.issuing[w.group.unit].take(w.e.now, n*p.issue)
}

// channel is that of a word, [elteir11] section II-A.
func (p *paths) channel(word int) int { return word / chunkWords % len(p.fast) }

// transfer moves the segments of some words and returns when the last of them
// is at its channel.
func (p *paths) transfer(w *wavefront, words []int, each func(i int, at int64)) int64 {
	arrive := p.issues(w, 1) + p.fastWay
	var done, at int64
	last := -1
	for i, word := range words {
		if segment := word / p.segmentWords; segment != last {
			last = segment
			at = p.fast[p.channel(word)].take(arrive, p.segment)
			done = max(done, at)
		}
		each(i, at)
	}
	return done
}

func (p *paths) load(w *wavefront, words []int) (sample, done int64) {
	sample = p.transfer(w, words, func(int, int64) {})
	return sample, sample + p.fastWay
}

func (p *paths) store(w *wavefront, words []int, commits []int64) int64 {
	done := p.transfer(w, words, func(i int, at int64) { commits[i] = at })
	w.acked = max(w.acked, done+p.fastWay)
	p.s.drained = max(p.s.drained, done)
	return w.e.now
}

// fence holds the wavefront until its stores are known to have committed.
func (p *paths) fence(w *wavefront) int64 { return max(w.e.now, w.acked) + p.fenceTime }

func (p *paths) localAtomic(w *wavefront, lanes int) int64 {
	p.s.count.Instructions++
	return p.locals[w.group.unit].take(w.e.now, int64(lanes)*p.localLane) + p.localBase - p.localLane
}

func (p *paths) compare(w *wavefront, turns int) int64 {
	p.s.count.Instructions += compareInstructions * uint64(turns)
	return w.e.now + int64(turns)*p.compareTurn
}

func (p *paths) turn(w *wavefront) int64 {
	return p.issues(w, turnInstructions) + p.turnTime
}

func (p *paths) compute(w *wavefront, cycles int) int64 {
	cost := int64(cycles) * tick
	p.s.count.Instructions += uint64((cost + p.issue - 1) / max(1, p.issue))
	return p.issuing[w.group.unit].take(w.e.now, cost)
}

// system sends the lanes to the atomic unit of the variable's channel, where
// they follow each other. Nothing waits for what they return.
func (p *paths) system(w *wavefront, variable, lanes int) int64 {
	arrive := p.issues(w, 1) + p.completeWay
	done := p.atomic[p.channel(variable)].take(arrive, int64(lanes)*p.same)
	p.s.drained = max(p.s.drained, done+p.completeWay)
	return w.e.now
}

func (p *paths) access(w *wavefront, k accessKind, n int, way path) int64 {
	done := w.e.now
	for range n {
		arrive := p.issues(w, 1)
		p.accesses++
		channel := p.accesses % len(p.fast)
		if way == completePath {
			done = max(done, p.slowAccess(k, arrive+p.completeWay, channel))
		} else {
			done = max(done, p.fastAccess(k, arrive+p.fastWay, channel))
		}
	}
	p.s.drained = max(p.s.drained, done)
	if k == storeAccess {
		return w.e.now // nothing waits for it
	}
	return done
}

// fastAccess returns when an access that arrives at its channel then is done.
// The word that all lanes read is on channel 0.
func (p *paths) fastAccess(k accessKind, arrive int64, channel int) int64 {
	bytes := float64(4 * p.s.lanes)
	switch k {
	case storeAccess:
		return p.fast[channel].take(arrive, int64(bytes*p.fastByte))
	case uniformAccess:
		return p.fast[0].take(arrive, p.segment) + p.fastWay
	}
	return p.fast[channel].take(arrive, int64(bytes*p.fastByte)) + p.fastWay
}

// slowAccess is fastAccess on the CompletePath. Loads have two phases: the
// values are copied into a buffer, where lanes that want one word follow each
// other at the atomic unit, and then loaded from there.
func (p *paths) slowAccess(k accessKind, arrive int64, channel int) int64 {
	bytes := float64(4 * p.s.lanes)
	switch k {
	case storeAccess:
		return p.slow[channel].take(arrive, int64(bytes*p.slowByte))
	case uniformAccess:
		return p.atomic[0].take(arrive, int64(p.s.lanes)*p.copySame) + p.completeWay + 2*p.fastWay
	}
	return p.slow[channel].take(arrive, int64(bytes*p.slowByte)) + p.completeWay + 2*p.fastWay
}

func (p *paths) localEffect(now int64) int64 { return now }
func (p *paths) barrier() int64              { return p.s.now + p.leaveBarrier }
func (p *paths) clause() int                 { return p.loads }
func (p *paths) attentive() bool             { return false }
func (p *paths) around() int64               { return p.aroundKernel }

func (p *paths) begin(n int, now int64) int64 {
	if now > 0 {
		n = 1
	}
	return now + int64(n)*p.dispatch
}
