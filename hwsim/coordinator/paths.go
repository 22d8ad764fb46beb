package coordinator

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Paths is the regime of a device with a FastPath and a CompletePath, as its
// profile describes it: accesses queue at the memory channels, atomic
// operations follow each other in a pipeline, waiting wavefronts poll, and the wavefronts
// of a compute unit share its issue and its local memory.
type Paths struct{}

// The instructions of one iteration of a waiting loop: fence, address, fetch, comparison,
// branch; and of one step of a search in local memory: a load, a comparison, a branch.
const (
	pollInstructions    = 8
	compareInstructions = 3
)

// slowest bounds how long a channel moves a wavefront's words, in cycles, so that 64-bit
// ticks hold any queue.
const slowest = 1e5

// Check reports a device with one way to memory, or with a slow one.
func (Paths) Check(d *device.Profile) error {
	if d.Paths == nil {
		return fmt.Errorf("%w: the profile of %s has no paths", ErrKernel, d.Name)
	}
	for _, rate := range []float64{d.Memory.DRAMRate.Value, d.Memory.AtomicRate.Value} {
		if cycles := 4 * WavefrontLanes * CyclesPerByte(d, rate); !(cycles >= 0 && cycles <= slowest) {
			return fmt.Errorf("%w: %s: moving a wavefront takes %v cycles, want 0 to %v", ErrKernel,
				d.Name, cycles, float64(slowest))
		}
	}
	return nil
}

// CyclesPerByte is how long one channel is busy at a rate of all, in bytes per second.
func CyclesPerByte(d *device.Profile, rate float64) float64 {
	return d.Core.Clock.Value * 1e6 * float64(int(d.Global.Slices.Value)) / rate
}

// Queues are those of the FastPath and of the compute units in one run. Times are in
// ticks.
type Queues struct {
	*Simulation
	Latency              int64   // from a compute unit to a channel, or back
	Segment              int64   // a channel is busy per segment
	SegmentWords         int     // words of a segment
	byteTime             float64 // a channel is busy per byte
	localBase, localLane int64   // atomic operations on local memory: one lane, each further one
	compare, issue       int64
	poll, dispatch       int64

	Channels        []Server
	issuing, locals []Server // by compute unit
	accesses        int
}

func (Paths) Start(s *Simulation) Timing {
	d, local := s.Device, s.Device.SharedAtomic(device.U32)
	q := &Queues{
		Simulation:   s,
		Latency:      Ticks(d.Global.LoadLatency.Value+d.Global.MissLatency.Value) / 2,
		SegmentWords: int(d.Paths.Segment.Value) / 4,
		byteTime:     tick * CyclesPerByte(d, d.Memory.DRAMRate.Value),
		localBase:    Ticks(local.Base.Value), localLane: Ticks(local.Round.Value),
		compare:  Ticks(d.Shared.LoadLatency.Value + 2*d.Core.ALULatency.Value),
		issue:    Ticks(d.Core.IssueCycles.Value),
		poll:     Ticks(d.Paths.Turn.Value),
		dispatch: Ticks(d.Paths.Dispatch.Value),
		Channels: make([]Server, int(d.Global.Slices.Value)),
		issuing:  make([]Server, int(d.Core.SMs.Value)), locals: make([]Server, int(d.Core.SMs.Value)),
	}
	q.Segment = int64(q.byteTime * d.Paths.Segment.Value)
	s.Fence, s.Barrier = Ticks(d.Paths.Fence.Value), Ticks(d.Core.Barrier.Value)
	s.Overhead = Ticks(d.Paths.Around.Value * d.Core.Clock.Value)
	s.Clause = int(min(d.Paths.Clause.Value, mostAccesses))
	// Beyond any queue.
	queue := int64(s.Wavefronts) * int64(s.Clause) * int64(q.byteTime*4*WavefrontLanes)
	s.Timeout = 1<<20*tick + queue + 64*(2*q.Latency+s.Fence+q.poll)
	return q
}

func (q *Queues) Issue(w *Front, n int64) int64 {
	q.Instructions += uint64(n)
	return q.issuing[w.group.unit].Take(w.Now(), n*q.issue)
}

// Channel is that of a word, [elteir11] section II-A.
func (q *Queues) Channel(word int) int { return word / chunkWords % len(q.Channels) }

// transfer moves the segments of some words, and returns when the last of them is at its
// channel. A word's Commit is when it is there.
func (q *Queues) transfer(w *Front, words []LaneAccess) (done int64) {
	arrive := q.Issue(w, 1) + q.Latency
	last, at := -1, int64(0)
	for i, a := range words {
		if segment := a.Word / q.SegmentWords; segment != last {
			last = segment
			at = q.Channels[q.Channel(a.Word)].Take(arrive, q.Segment)
			done = max(done, at)
		}
		words[i].Commit = at
	}
	return done
}

func (q *Queues) Load(w *Front, words []LaneAccess) (sample, done int64) {
	sample = q.transfer(w, words)
	return sample, sample + q.Latency
}

func (q *Queues) Store(w *Front, words []LaneAccess) int64 {
	done := q.transfer(w, words)
	w.acked = max(w.acked, done+q.Latency)
	q.Drained = max(q.Drained, done)
	return w.Now()
}

func (q *Queues) LocalAtomic(w *Front, lanes int) int64 {
	q.Instructions++
	return q.locals[w.group.unit].Take(w.Now(), int64(lanes)*q.localLane) + q.localBase - q.localLane
}

func (q *Queues) Compare(w *Front, steps int) int64 {
	q.Instructions += compareInstructions * uint64(steps)
	return w.Now() + int64(steps)*q.compare
}

func (q *Queues) Poll(w *Front) int64 { return q.Issue(w, pollInstructions) + q.poll }

func (q *Queues) Compute(w *Front, cycles int) int64 {
	cost := int64(cycles) * tick
	q.Instructions += uint64((cost + q.issue - 1) / max(1, q.issue))
	return q.issuing[w.group.unit].Take(w.Now(), cost)
}

// Access makes accesses on the channels in turn. The word that all lanes read is on
// channel 0.
func (q *Queues) Access(w *Front, k AccessKind, n int) int64 {
	done := w.Now()
	wavefront := int64(float64(4*q.Lanes) * q.byteTime)
	for range n {
		arrive := q.Issue(w, 1) + q.Latency
		q.accesses++
		channel := &q.Channels[q.accesses%len(q.Channels)]
		switch k {
		case StoreAccess:
			done = max(done, channel.Take(arrive, wavefront))
		case UniformAccess:
			done = max(done, q.Channels[0].Take(arrive, q.Segment)+q.Latency)
		default:
			done = max(done, channel.Take(arrive, wavefront)+q.Latency)
		}
	}
	return q.Return(w, k, done)
}

// Return is when a wavefront goes on whose accesses are done then: nothing waits for a
// store.
func (q *Queues) Return(w *Front, k AccessKind, done int64) int64 {
	q.Drained = max(q.Drained, done)
	if k == StoreAccess {
		return w.Now()
	}
	return done
}

func (q *Queues) Dispatch(n int, now int64) int64 {
	if now > 0 {
		n = 1
	}
	return now + int64(n)*q.dispatch
}

// Server serves one request after the other.
type Server struct{ free int64 }

func (s *Server) Take(at, cost int64) int64 {
	s.free = max(at, s.free) + cost
	return s.free
}
