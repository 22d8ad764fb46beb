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
type Paths struct{}

// turnInstructions are the instructions of one turn of a waiting loop: fence,
// address, fetch, comparison, branch.
const turnInstructions = 8

// compareInstructions are those of one turn of a search in local memory: a load,
// a comparison, a branch.
const compareInstructions = 3

// slowest bounds the profile's times, in cycles, so that 64-bit ticks hold any
// queue.
const slowest = 1e5

func (Paths) Check(d *device.Profile) error {
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

// Queues are those of Paths in one run. Times are in ticks.
type Queues struct {
	s *sim

	FastLatency, CompleteLatency int64   // from a compute unit to a channel, or back
	Segment                      int64   // a channel is busy per segment of the FastPath
	SegmentWords                 int     // words of a segment
	fastByte, SlowByte           float64 // a channel is busy per byte
	same, CopySame               int64   // between lanes on one word: atomic operations, loads
	localBase, localLane         int64   // atomic operations on local memory: one lane, each further one
	compareTurn                  int64
	issue                        int64
	turnTime, fenceTime          int64
	leaveBarrier                 int64
	dispatch                     int64
	aroundKernel                 int64
	loads                        int // of a clause

	Fast, Slow, atomic []Server // by channel
	issuing, locals    []Server // by compute unit
	accesses           int
}

func (Paths) Start(s *Simulation) Pace {
	d := s.device
	channels, units := int(d.Global.Slices.Value), int(d.Core.SMs.Value)
	perByte := func(rate float64) float64 {
		return tick * d.Core.Clock.Value * 1e6 * float64(channels) / rate
	}
	global, local := d.GlobalAtomic(device.U32), d.SharedAtomic(device.U32)
	p := &Queues{
		s:               s,
		FastLatency:     Ticks(d.Global.LoadLatency.Value+d.Global.MissLatency.Value) / 2,
		CompleteLatency: Ticks(global.Latency.Value) / 2,
		SegmentWords:    int(d.Paths.Segment.Value) / 4,
		fastByte:        perByte(d.Memory.DRAMRate.Value), SlowByte: perByte(d.Memory.AtomicRate.Value),
		same: Ticks(global.SameAddress.Value), CopySame: Ticks(d.Paths.CopySame.Value),
		localBase: Ticks(local.Base.Value), localLane: Ticks(local.Round.Value),
		compareTurn: Ticks(d.Shared.LoadLatency.Value + 2*d.Core.ALULatency.Value),
		issue:       Ticks(d.Core.IssueCycles.Value),
		turnTime:    Ticks(d.Paths.Turn.Value), fenceTime: Ticks(d.Paths.Fence.Value),
		leaveBarrier: Ticks(d.Core.Barrier.Value),
		dispatch:     Ticks(d.Paths.Dispatch.Value),
		aroundKernel: Ticks(d.Paths.Around.Value * d.Core.Clock.Value),
		loads:        int(min(d.Paths.Clause.Value, mostAccesses)),
		Fast:         make([]Server, channels), Slow: make([]Server, channels),
		atomic:  make([]Server, channels),
		issuing: make([]Server, units), locals: make([]Server, units),
	}
	p.Segment = int64(p.fastByte * d.Paths.Segment.Value)
	return p
}

// patience is beyond any queue of the FastPath. On the CompletePath nothing
// waits for another wavefront.
func (p *Queues) Patience() int64 {
	if p.s.path() == CompletePath {
		return 1 << 60
	}
	queue := int64(p.s.slots) * int64(p.loads) * int64(p.fastByte*4*WavefrontLanes)
	return 1<<20*tick + queue + 64*(2*p.FastLatency+p.fenceTime+p.turnTime)
}

// issues returns when the wavefront's compute unit has issued so many of its
// instructions.
func (p *Queues) issues(w *wavefront, n int64) int64 {
	p.s.count.Instructions += uint64(n)
	return p.issuing[w.group.unit].Take(w.e.now, n*p.issue)
}

// Channel is that of a word, [elteir11] section II-A.
func (p *Queues) Channel(word int) int { return word / chunkWords % len(p.Fast) }

// transfer moves the segments of some words and returns when the last of them
// is at its channel.
func (p *Queues) transfer(w *wavefront, words []int, each func(i int, at int64)) int64 {
	arrive := p.issues(w, 1) + p.FastLatency
	var done, at int64
	last := -1
	for i, word := range words {
		if segment := word / p.SegmentWords; segment != last {
			last = segment
			at = p.Fast[p.Channel(word)].Take(arrive, p.Segment)
			done = max(done, at)
		}
		each(i, at)
	}
	return done
}

func (p *Queues) Load(w *wavefront, words []int) (sample, done int64) {
	sample = p.transfer(w, words, func(int, int64) {})
	return sample, sample + p.FastLatency
}

func (p *Queues) Store(w *wavefront, words []int, commits []int64) int64 {
	done := p.transfer(w, words, func(i int, at int64) { commits[i] = at })
	w.acked = max(w.acked, done+p.FastLatency)
	p.s.drained = max(p.s.drained, done)
	return w.e.now
}

// fence holds the wavefront until its stores are known to have committed.
func (p *Queues) Fence(w *Front) int64 { return max(w.e.now, w.acked) + p.fenceTime }

func (p *Queues) LocalAtomic(w *wavefront, lanes int) int64 {
	p.s.count.Instructions++
	return p.locals[w.group.unit].Take(w.e.now, int64(lanes)*p.localLane) + p.localBase - p.localLane
}

func (p *Queues) Compare(w *wavefront, turns int) int64 {
	p.s.count.Instructions += compareInstructions * uint64(turns)
	return w.e.now + int64(turns)*p.compareTurn
}

func (p *Queues) Turn(w *Front) int64 {
	return p.issues(w, turnInstructions) + p.turnTime
}

func (p *Queues) Compute(w *wavefront, cycles int) int64 {
	cost := int64(cycles) * tick
	p.s.count.Instructions += uint64((cost + p.issue - 1) / max(1, p.issue))
	return p.issuing[w.group.unit].Take(w.e.now, cost)
}

// system sends the lanes to the atomic unit of the variable's channel, where
// they follow each other. Nothing waits for what they return.
func (p *Queues) System(w *wavefront, variable, lanes int) int64 {
	arrive := p.issues(w, 1) + p.CompleteLatency
	done := p.atomic[p.Channel(variable)].Take(arrive, int64(lanes)*p.same)
	p.s.drained = max(p.s.drained, done+p.CompleteLatency)
	return w.e.now
}

func (p *Queues) Access(w *wavefront, k AccessKind, n int, path Path) int64 {
	done := w.e.now
	for range n {
		arrive := p.issues(w, 1)
		p.accesses++
		channel := p.accesses % len(p.Fast)
		if path == CompletePath {
			done = max(done, p.slowAccess(k, arrive+p.CompleteLatency, channel))
		} else {
			done = max(done, p.fastAccess(k, arrive+p.FastLatency, channel))
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
func (p *Queues) fastAccess(k AccessKind, arrive int64, channel int) int64 {
	bytes := float64(4 * p.s.lanes)
	switch k {
	case storeAccess:
		return p.Fast[channel].Take(arrive, int64(bytes*p.fastByte))
	case uniformAccess:
		return p.Fast[0].Take(arrive, p.Segment) + p.FastLatency
	}
	return p.Fast[channel].Take(arrive, int64(bytes*p.fastByte)) + p.FastLatency
}

// slowAccess is fastAccess on the CompletePath. Loads have two phases: the
// values are copied into a buffer, where lanes that want one word follow each
// other at the atomic unit, and then loaded from there.
func (p *Queues) slowAccess(k AccessKind, arrive int64, channel int) int64 {
	bytes := float64(4 * p.s.lanes)
	switch k {
	case storeAccess:
		return p.Slow[channel].Take(arrive, int64(bytes*p.SlowByte))
	case uniformAccess:
		return p.atomic[0].Take(arrive, int64(p.s.lanes)*p.CopySame) + p.CompleteLatency + 2*p.FastLatency
	}
	return p.Slow[channel].Take(arrive, int64(bytes*p.SlowByte)) + p.CompleteLatency + 2*p.FastLatency
}

func (p *Queues) LocalEffect(now int64) int64 { return now }
func (p *Queues) Barrier(now int64) int64     { return now + p.leaveBarrier }
func (p *Queues) Clause() int                 { return p.loads }
func (p *Queues) Attentive() bool             { return false }
func (p *Queues) Around() int64               { return p.aroundKernel }

func (p *Queues) Begin(n int, now int64) int64 {
	if now > 0 {
		n = 1
	}
	return now + int64(n)*p.dispatch
}

// Issue returns when the wavefront has issued an instruction.
func (p *Queues) Issue(w *Front) int64 { return p.issues(w, 1) }

// Drain notes when an access is done, which the launch ends after.
func (p *Queues) Drain(done int64) { p.s.drained = max(p.s.drained, done) }

// Server serves one request after the other.
type Server struct{ Free int64 }

// Take returns when a request that comes at that time has been served.
func (s *Server) Take(at, cost int64) int64 {
	s.Free = max(at, s.Free) + cost
	return s.Free
}
