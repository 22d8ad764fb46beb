package coordinator

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
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
	s                     *sim
	fast, complete, local int64 // ticks
	atomics               server
	units                 map[int32]*server // local memories
}

// server serves one request after the other.
type server struct{ free int64 }

// take returns when a request that comes at that time has been served.
func (s *server) take(at, cost int64) int64 {
	s.free = max(at, s.free) + cost
	return s.free
}

// longestSerial bounds the times, in cycles.
const longestSerial = 1e6

func (r Serial) check(*device.Profile) error {
	for _, v := range []float64{r.Fast, r.Complete, r.Local} {
		if !(v >= 0 && v <= longestSerial) {
			return fmt.Errorf("%w: a time of %v cycles, want 0 to %v", ErrKernel, v, float64(longestSerial))
		}
	}
	return nil
}

func (r Serial) start(s *sim) pace {
	return &serial{s: s, fast: ticks(r.Fast), complete: ticks(r.Complete), local: ticks(r.Local),
		units: map[int32]*server{}}
}

func (r *serial) patience() int64 { return 1 << 60 } // waiting wavefronts take no time

func (r *serial) load(w *wavefront, _ []int) (sample, done int64) {
	return w.e.now + r.fast, w.e.now + r.fast
}

func (r *serial) store(w *wavefront, _ []int, commits []int64) int64 {
	for i := range commits {
		commits[i] = w.e.now + r.fast
	}
	return w.e.now + r.fast
}

func (r *serial) localAtomic(w *wavefront, lanes int) int64 {
	u := r.units[w.group.number]
	if u == nil {
		u = new(server)
		r.units[w.group.number] = u
	}
	return u.take(w.e.now, int64(lanes)*r.local)
}

func (r *serial) compare(w *wavefront, turns int) int64 { return w.e.now + int64(turns)*r.local }

func (r *serial) system(w *wavefront, _, lanes int) int64 {
	return r.atomics.take(w.e.now, int64(lanes)*r.complete)
}

func (r *serial) access(w *wavefront, _ accessKind, n int, p path) int64 {
	if p == completePath {
		return w.e.now + int64(n)*r.complete
	}
	return w.e.now + int64(n)*r.fast
}

func (r *serial) read(w *wavefront, _ []int, p path) (issued, done int64) {
	done = r.access(w, loadAccess, 1, p)
	return done, done
}

func (r *serial) fence(w *wavefront) int64               { return w.e.now }
func (r *serial) compute(w *wavefront, cycles int) int64 { return w.e.now + int64(cycles)*tick }
func (r *serial) localEffect(now int64) int64            { return now }
func (r *serial) turn(w *wavefront) int64                { return w.e.now }
func (r *serial) barrier() int64                         { return r.s.now }
func (r *serial) clause() int                            { return 1 << 30 }
func (r *serial) begin(_ int, now int64) int64           { return now }
func (r *serial) attentive() bool                        { return true }
func (r *serial) around() int64                          { return 0 }
