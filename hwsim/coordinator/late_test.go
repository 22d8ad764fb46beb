package coordinator

import (
	"fmt"
	"math/rand/v2"
	"strings"

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

func (l Late) Check(*device.Profile) error {
	if l.Longest < 0 || l.Longest > longestLate {
		return fmt.Errorf("%w: accesses of up to %d cycles, at most %d", ErrKernel, l.Longest,
			longestLate)
	}
	return nil
}

func (l Late) Start(s *Simulation) Pace {
	longest := int64(l.Longest)
	if longest <= 0 {
		longest = 64
	}
	return &late{rng: rand.New(rand.NewPCG(l.Seed, 0)), s: s, longest: longest * tick}
}

// within draws a time of up to n ticks.
func (l *late) within(n int64) int64 { return 1 + l.rng.Int64N(max(1, n)) }

// patience is far beyond the time of the slowest scan with the slowest stores.
func (l *late) Patience() int64 {
	return 64 * l.longest * int64(2+l.s.slots/max(1, l.s.helpers*l.s.lanes))
}

func (l *late) Load(w *wavefront, _ []int) (sample, done int64) {
	sample = w.e.now + l.within(l.longest)
	return sample, sample + l.within(l.longest/8)
}

// store lets most writes commit soon and some very late.
func (l *late) Store(w *wavefront, words []int, commits []int64) int64 {
	for i := range words {
		reach := l.longest / 4
		if l.rng.IntN(4) == 0 {
			reach = 4 * l.longest
		}
		commits[i] = w.e.now + l.within(reach)
	}
	return w.e.now + 1
}

func (l *late) Fence(w *Front) int64                   { return w.e.now + 1 }
func (l *late) LocalEffect(now int64) int64            { return now + l.within(l.longest/4) }
func (l *late) LocalAtomic(w *wavefront, _ int) int64  { return w.e.now }
func (l *late) Compare(w *wavefront, _ int) int64      { return w.e.now + l.within(l.longest/8) }
func (l *late) Turn(w *Front) int64                    { return w.e.now + l.within(l.longest/8) }
func (l *late) Barrier(now int64) int64                { return now + 1 }
func (l *late) Compute(w *wavefront, cycles int) int64 { return w.e.now + int64(cycles)*tick }
func (l *late) Clause() int                            { return 1 << 30 }
func (l *late) Begin(_ int, now int64) int64           { return now + l.within(l.longest) }
func (l *late) Attentive() bool                        { return false }
func (l *late) Around() int64                          { return 0 }
func (l *late) System(w *wavefront, _, _ int) int64    { return w.e.now + l.within(l.longest) }

func (l *late) Access(w *wavefront, _ AccessKind, _ int, _ Path) int64 {
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

// Printed are the fences of [elteir11] Figures 6 and 7. They are too few for
// the memory that section IV-C of the paper assumes.
const Printed = FenceClear | FenceSum | FencePoll | BarrierLoad | BarrierCombine | FenceUpdate

var fenceNames = []string{
	"choose", "clear", "sum", "publish", "poll", "read", "load", "combine", "release", "update",
}

// String joins the names of the set's points by +.
func (f Fence) String() string {
	var names []string
	for i, name := range fenceNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}
