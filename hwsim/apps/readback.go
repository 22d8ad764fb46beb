package apps

import (
	"github.com/atomtune/atomtune/hwsim"
)

// readBack is what passed before the host read results in the middle of an
// application.
type readBack struct {
	us    float64
	times []hwsim.KernelTime
}

// read lets the host wait for all launches so far and returns the words of a
// buffer. What the host launches afterwards begins as a call of its own: the
// host cannot enqueue ahead of what it waits for.
func (r *readBack) read(s *appSession, buf int) []uint32 {
	r.us += s.Elapsed()
	r.times = append(r.times, s.Times...)
	s.Times = nil
	return s.Machine.Buffers[buf].Words
}

// finish returns the outcome of all launches.
func (r *readBack) finish(s *appSession, correct bool) AppResult {
	out := s.finish(correct)
	out.US += r.us
	out.Kernels = append(r.times, out.Kernels...)
	return out
}
