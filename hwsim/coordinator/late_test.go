package coordinator

import (
	"cmp"
	"fmt"
	"math/rand/v2"

	"github.com/atomtune/atomtune/device"
)

// Late lets accesses take random times, so that writes become visible late and
// in any order that fences allow. It shows whether the protocol is right, not
// how fast it is.
type Late struct {
	Seed uint64
	// Longest is about how long one access takes at most, in cycles; 0 means 64.
	Longest int
}

// late is Late for one run.
type late struct {
	rng     *rand.Rand
	longest int64 // ticks
}

// longestLate bounds Late.Longest.
const longestLate = 1 << 20

func (l Late) Check(*device.Profile) error {
	if l.Longest < 0 || l.Longest > longestLate {
		return fmt.Errorf("%w: accesses of up to %d cycles, at most %d", ErrKernel, l.Longest,
			longestLate)
	}
	return nil
}

func (l Late) Start(s *Simulation) Timing {
	t := &late{rng: rand.New(rand.NewPCG(l.Seed, 0)), longest: int64(cmp.Or(l.Longest, 64)) * tick}
	s.Fence, s.Barrier, s.Clause = 1, 1, 1<<30
	s.LocalDelay = func() int64 { return t.within(t.longest / 4) }
	// Far beyond the time of the slowest scan with the slowest stores.
	s.Timeout = 64 * t.longest * int64(2+s.Wavefronts/max(1, s.CoordinatorWavefronts*s.Lanes))
	return t
}

// within draws a time of up to n ticks.
func (l *late) within(n int64) int64 { return 1 + l.rng.Int64N(max(1, n)) }

func (l *late) Load(w *Front, _ []LaneAccess) (sample, done int64) {
	sample = w.Now() + l.within(l.longest)
	return sample, sample + l.within(l.longest/8)
}

// Store lets most writes commit soon and some very late.
func (l *late) Store(w *Front, words []LaneAccess) int64 {
	for i := range words {
		delay := l.longest / 4
		if l.rng.IntN(4) == 0 {
			delay = 4 * l.longest
		}
		words[i].Commit = w.Now() + l.within(delay)
	}
	return w.Now() + 1
}

func (l *late) LocalAtomic(w *Front, _ int) int64 { return w.Now() }
func (l *late) Compare(w *Front, _ int) int64 {
	return w.Now() +
		l.within(l.longest/8)
}
func (l *late) Poll(w *Front) int64 {
	return w.Now() +
		l.within(l.longest/8)
}
func (l *late) Compute(w *Front, cycles int) int64         { return w.Now() + int64(cycles)*tick }
func (l *late) Dispatch(_ int, now int64) int64            { return now + l.within(l.longest) }
func (l *late) SystemAtomic(w *Front, _ []Update) int64    { return w.Now() + l.within(l.longest) }
func (l *late) Access(w *Front, _ AccessKind, _ int) int64 { return w.Now() + l.within(l.longest) }

// Printed are the fences of [elteir11] Figures 6 and 7. They are too few for
// the memory that section IV-C of the paper assumes.
const Printed = FenceClear | FenceSum | FencePoll | BarrierLoad | BarrierCombine | FenceUpdate
