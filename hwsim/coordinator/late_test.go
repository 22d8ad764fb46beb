package coordinator

import (
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
	s       *sim
	longest int64 // ticks
}

// longestLate bounds Late.Longest.
const longestLate = 1 << 20

func (l Late) check(*device.Profile) error {
	if l.Longest < 0 || l.Longest > longestLate {
		return fmt.Errorf("%w: accesses of up to %d cycles, at most %d", ErrKernel, l.Longest,
			longestLate)
	}
	return nil
}

func (l Late) start(s *sim) pace {
	longest := int64(l.Longest)
	if longest <= 0 {
		longest = 64
	}
	return &late{rng: rand.New(rand.NewPCG(l.Seed, 0)), s: s, longest: longest * tick}
}

// within draws a time of up to n ticks.
func (l *late) within(n int64) int64 { return 1 + l.rng.Int64N(max(1, n)) }

// patience is far beyond the time of the slowest scan with the slowest stores.
func (l *late) patience() int64 {
	return 64 * l.longest * int64(2+l.s.slots/max(1, l.s.helpers*l.s.lanes))
}

func (l *late) load(w *wavefront, _ []int) (sample, done int64) {
	sample = w.e.now + l.within(l.longest)
	return sample, sample + l.within(l.longest/8)
}

// store lets most writes commit soon and some very late.
func (l *late) store(w *wavefront, words []int, commits []int64) int64 {
	for i := range words {
		reach := l.longest / 4
		if l.rng.IntN(4) == 0 {
			reach = 4 * l.longest
		}
		commits[i] = w.e.now + l.within(reach)
	}
	return w.e.now + 1
}

func (l *late) fence(w *wavefront) int64               { return w.e.now + 1 }
func (l *late) localEffect(now int64) int64            { return now + l.within(l.longest/4) }
func (l *late) localAtomic(w *wavefront, _ int) int64  { return w.e.now }
func (l *late) compare(w *wavefront, _ int) int64      { return w.e.now + l.within(l.longest/8) }
func (l *late) turn(w *wavefront) int64                { return w.e.now + l.within(l.longest/8) }
func (l *late) barrier() int64                         { return l.s.now + 1 }
func (l *late) compute(w *wavefront, cycles int) int64 { return w.e.now + int64(cycles)*tick }
func (l *late) clause() int                            { return 1 << 30 }
func (l *late) begin(_ int, now int64) int64           { return now + l.within(l.longest) }
func (l *late) attentive() bool                        { return false }
func (l *late) around() int64                          { return 0 }
func (l *late) system(w *wavefront, _, _ int) int64    { return w.e.now + l.within(l.longest) }

func (l *late) read(w *wavefront, _ []int, _ path) (issued, done int64) {
	return w.e.now, w.e.now + l.within(l.longest)
}

func (l *late) access(w *wavefront, _ accessKind, _ int, _ path) int64 {
	return w.e.now + l.within(l.longest)
}

// Fences lists the single points.
func Fences() []Fence {
	list := make([]Fence, len(fenceNames))
	for i := range list {
		list[i] = 1 << i
	}
	return list
}
