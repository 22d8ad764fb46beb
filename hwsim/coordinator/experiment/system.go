package experiment

import (
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// Paths is coordinator.Paths with the CompletePath and for kernels with a Loop. Cached lets
// the L2 cache serve what the FastPath loads once it holds it, at its own rate and without
// the time to DRAM. [elteir11] does not say whether the loads of its kernels are cached.
type Paths struct {
	coordinator.Paths
	Cached bool
}

// paths are the queues of both paths, and what the CompletePath has. Times are in ticks.
type paths struct {
	*coordinator.Queues
	latency        int64                // from a compute unit to a channel, or back
	byteTime       float64              // a channel is busy per byte
	same, copySame int64                // between lanes on one word: atomic operations, loads
	slow, atomic   []coordinator.Server // by channel
	accesses       int

	lines []line                     // of the load at hand
	held  map[int]coordinator.Server // by line: until when its copies are made
	cache *cache                     // of the FastPath's lines; nil where loads are not cached
}

// Start returns the queues of a run.
func (r Paths) Start(s *coordinator.Simulation) coordinator.Timing {
	d, global := s.Device, s.Device.GlobalAtomic(device.U32)
	perByte := coordinator.CyclesPerByte(d, d.Memory.AtomicRate.Value)
	q := r.Paths.Start(s).(*coordinator.Queues)
	p := &paths{
		Queues:   q,
		latency:  coordinator.Ticks(global.Latency.Value) / 2,
		byteTime: float64(coordinator.Ticks(1)) * perByte,
		same:     coordinator.Ticks(global.SameAddress.Value),
		copySame: coordinator.Ticks(d.Paths.CopySame.Value),
		slow:     make([]coordinator.Server, len(q.Channels)),
		atomic:   make([]coordinator.Server, len(q.Channels)),
		held:     map[int]coordinator.Server{},
	}
	if r.Cached {
		p.cache = newCache(d)
	}
	if s.Complete {
		s.Timeout = 1 << 60 // where nothing waits for another wavefront
	}
	return p
}

// SystemAtomic sends the lanes on each variable to the atomic unit of its channel, where
// they follow each other. Nothing waits for what they return.
func (p *paths) SystemAtomic(w *coordinator.Front, updates []coordinator.Update) (held int64) {
	lanes := map[int]int64{} // by variable
	for _, u := range updates {
		lanes[u.Variable]++
	}
	for _, u := range updates {
		if n := lanes[u.Variable]; n > 0 {
			arrive := p.Issue(w, 1) + p.latency
			done := p.atomic[p.Channel(u.Variable)].Take(arrive, n*p.same)
			held = max(held, p.Return(w, coordinator.StoreAccess, done+p.latency))
			lanes[u.Variable] = 0
		}
	}
	return held
}

// Access makes accesses on the kernel's path. Loads of the CompletePath have two phases:
// the values are copied into a buffer, where lanes that want one word follow each
// other at the atomic unit, and then loaded from there.
func (p *paths) Access(w *coordinator.Front, k coordinator.AccessKind, n int) int64 {
	if !p.Complete {
		return p.Queues.Access(w, k, n)
	}
	done, wavefront := w.Now(), int64(float64(4*p.Lanes)*p.byteTime)
	for range n {
		arrive := p.Issue(w, 1) + p.latency
		p.accesses++
		channel := &p.slow[p.accesses%len(p.slow)]
		switch k {
		case coordinator.StoreAccess:
			done = max(done, channel.Take(arrive, wavefront))
		case coordinator.UniformAccess:
			done = max(done, p.atomic[0].Take(arrive, int64(p.Lanes)*p.copySame)+p.back())
		default:
			done = max(done, channel.Take(arrive, wavefront)+p.back())
		}
	}
	return p.Return(w, k, done)
}

// back is the way of a load from its channel of the CompletePath, and through the buffer.
func (p *paths) back() int64 { return p.latency + 2*p.Latency }
