package experiment

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim/coordinator"
)

// Serial is the regime that equations (1) to (4) of [elteir11] assume: each
// memory access takes the same time, whatever else is under way; a wavefront's
// accesses follow each other, but for loads without a fence between them;
// system-provided atomic operations follow each other one lane at a time;
// waiting wavefronts see at once what they wait for; the rest takes no time.
// All times are in cycles.
type Serial struct {
	Fast     float64 // t_fast: an access through the FastPath
	Complete float64 // t_comp: an access through the CompletePath
	Local    float64 // t_l: modifying or comparing a word of local memory
}

// serial is Serial for one run.
type serial struct {
	*coordinator.Simulation
	fast, complete, local int64 // ticks
	atomics               coordinator.Server
	units                 map[int32]*coordinator.Server // local memories
}

// longestSerial bounds the times, in cycles.
const longestSerial = 1e6

// Check reports times out of range.
func (r Serial) Check(*device.Profile) error {
	for _, v := range []float64{r.Fast, r.Complete, r.Local} {
		if !(v >= 0 && v <= longestSerial) {
			return fmt.Errorf("%w: a time of %v cycles, want 0 to %v", coordinator.ErrKernel, v,
				float64(longestSerial))
		}
	}
	return nil
}

// Start returns the state of a run.
func (r Serial) Start(s *coordinator.Simulation) coordinator.Timing {
	s.Timeout, s.Wake, s.Clause = 1<<60, true, 1<<30
	return &serial{
		Simulation: s, local: coordinator.Ticks(r.Local),
		fast: coordinator.Ticks(r.Fast), complete: coordinator.Ticks(r.Complete),
		units: map[int32]*coordinator.Server{},
	}
}

func (r *serial) Load(w *coordinator.Front, _ []coordinator.LaneAccess) (sample, done int64) {
	return w.Now() + r.fast, w.Now() + r.fast
}

func (r *serial) Store(w *coordinator.Front, words []coordinator.LaneAccess) int64 {
	for i := range words {
		words[i].Commit = w.Now() + r.fast
	}
	return w.Now() + r.fast
}

func (r *serial) LocalAtomic(w *coordinator.Front, lanes int) int64 {
	u := r.units[w.Group()]
	if u == nil {
		u = new(coordinator.Server)
		r.units[w.Group()] = u
	}
	return u.Take(w.Now(), int64(lanes)*r.local)
}

func (r *serial) Compare(w *coordinator.Front, steps int) int64 {
	return w.Now() + int64(steps)*r.local
}

func (r *serial) SystemAtomic(w *coordinator.Front, updates []coordinator.Update) int64 {
	return r.atomics.Take(w.Now(), int64(len(updates))*r.complete)
}

func (r *serial) Access(w *coordinator.Front, _ coordinator.AccessKind, n int) int64 {
	if r.Complete {
		return w.Now() + int64(n)*r.complete
	}
	return w.Now() + int64(n)*r.fast
}

func (r *serial) read(w *coordinator.Front, _ []int) (issued, done int64) {
	done = r.Access(w, coordinator.LoadAccess, 1)
	return done, done
}

func (r *serial) Compute(w *coordinator.Front, cycles int) int64 {
	return w.Now() + int64(cycles)*coordinator.Ticks(1)
}
func (r *serial) Poll(w *coordinator.Front) int64 { return w.Now() }
func (r *serial) Dispatch(_ int, now int64) int64 { return now }
