package machine

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Scratchpad simulates one operation on the shared memory of one multiprocessor, by one
// warp (Warp) or by several (Warps), through the same stages as whole kernels. It is for one
// goroutine at a time.
type Scratchpad struct {
	// GapCycles is how long a warp of Warps waits between the end of an operation and the
	// next one: what a program does in between. Negative counts as 0.
	GapCycles float64

	timing   timing
	how      stages
	wide     bool
	words    int // elements of the type in a block's shared memory
	maxWarps int
	unit     sharedUnit
	now      int64 // ticks: when the last operation of a single warp ended
	sorter   sorter
	index    [64]uint64
	one      request
}

// NewScratchpad: errors wrap device.ErrCannot, where the device has no such operation or the profile no figures.
func NewScratchpad(d *device.Profile, op device.Operation, t device.Type) (*Scratchpad, error) {
	if d == nil {
		return nil, fmt.Errorf("%w: no device", device.ErrCannot)
	}
	atomic, err := d.SharedOperation(op, t)
	if err != nil {
		return nil, err
	}
	if _, known := d.Types[t]; !known || atomic.Mechanism == device.Absent {
		return nil, fmt.Errorf("%w: %s has no %s on %s in shared memory", device.ErrCannot, d.Name,
			op, t)
	}
	return &Scratchpad{
		timing: newTiming(d), how: newStages(d, atomic, t), wide: t.Bytes() == 8,
		words:    int(d.Shared.BytesPerBlock.Value) / t.Bytes(),
		maxWarps: int(d.Core.MaxWarps.Value), sorter: newSorter(d),
	}, nil
}

// Warp returns the cycles of one operation of one warp that has the multiprocessor to itself.
// The pattern holds the element that each lane addresses, -1 for a lane that takes no part.
// Errors wrap ErrStream: a wrong number of lanes, or an address that no block has.
func (s *Scratchpad) Warp(pattern []int32) (float64, error) {
	if err := s.begin(pattern); err != nil {
		return 0, err
	}
	r, begin := &s.one, s.now
	for r.due != dueNothing {
		r.advance(&s.unit, r.at)
	}
	s.now = r.at
	return inCycles(r.at - begin), nil
}

// idleTicks is more than any lock, swap or pass reaches beyond the end of its
// operation: about a million cycles.
const idleTicks = 1 << 32

func (s *Scratchpad) begin(pattern []int32) error {
	lanes, err := s.sort(&s.one.groups, pattern)
	if err == nil {
		s.now += idleTicks
		s.one.begin(&s.how, lanes, lanes == s.timing.full, s.now)
	}
	return err
}

func (s *Scratchpad) sort(g *laneGroups, pattern []int32) (lanes uint64, err error) {
	if len(pattern) != s.timing.Lanes {
		return 0, fmt.Errorf("%w: a pattern of %d lanes, want %d", ErrStream, len(pattern),
			s.timing.Lanes)
	}
	for l, a := range pattern {
		switch {
		case a < -1 || int(a) >= s.words:
			return 0, fmt.Errorf("%w: lane %d: address %d, want -1 or less than %d",
				ErrStream, l, a, s.words)
		case a >= 0:
			s.index[l] = uint64(a)
			lanes |= 1 << l
		}
	}
	s.sorter.sort(g, s.index[:], lanes, 0, s.wide)
	if s.how.loops() {
		s.sorter.sortLocks(g, s.how.locks)
	}
	return lanes, nil
}

func inCycles(ticks int64) float64 { return float64(ticks) / tick }

// ScratchpadRun is what several warps did on one multiprocessor.
type ScratchpadRun struct {
	Cycles     float64 `json:"cycles"` // until all are done
	Iterations uint64  `json:"turns"`  // of all loops; an operation that does not loop is one
	// Refused counts the locks that a warp found taken by another one and the
	// words whose swap failed because another warp had swapped since the read.
	Refused uint64 `json:"refused"`
}

type resident struct {
	request
	lanes     uint64
	left      int    // operations still to do
	scheduler *int64 // cycles: when its scheduler is free
}

// Warps lets warp w perform patterns[w] repeats times, each operation GapCycles after the end
// of the one before, through scheduler w modulo their number. The warps share schedulers,
// port, locks and words, [gomezluna13] section 2.2. Nothing else shifts them against each
// other: warps that begin together may stay in step. Errors wrap ErrStream: those of Warp, no
// warp or more than the multiprocessor holds, or no repeats.
func (s *Scratchpad) Warps(patterns [][]int32, repeats int) (run ScratchpadRun, err error) {
	if len(patterns) == 0 || len(patterns) > s.maxWarps || repeats < 1 {
		return run, fmt.Errorf("%w: %d warps, %d repeats, want 1 to %d warps and at least 1 repeat",
			ErrStream, len(patterns), repeats, s.maxWarps)
	}
	warps := make([]resident, len(patterns))
	schedulers := make([]int64, s.timing.schedulers)
	for i, p := range patterns {
		w := &warps[i]
		w.left, w.scheduler = repeats, &schedulers[i%len(schedulers)]
		if w.lanes, err = s.sort(&w.groups, p); err != nil {
			return run, fmt.Errorf("warp %d: %w", i, err)
		}
	}
	return s.interleave(warps), nil
}

func (s *Scratchpad) interleave(warps []resident) (run ScratchpadRun) {
	var unit sharedUnit
	queue := new(Queue)
	for i := range warps {
		w := &warps[i]
		if w.begin(&s.how, w.lanes, w.lanes == s.timing.full, 0); w.due != dueNothing {
			queue.Push(0, int32(i))
		}
	}
	last, gap := int64(0), max(0, inTicks(s.GapCycles))
	for now, id, ok := queue.Pop(); ok; now, id, ok = queue.Pop() {
		w := &warps[id]
		if w.due == dueLocks {
			w.advance(&unit, w.at)
			queue.Push(w.at>>tickBits, id)
			continue
		}
		start := max(now, *w.scheduler)
		*w.scheduler = start + s.timing.issue*(1+w.beside())
		before := w.iteration
		w.advance(&unit, max(start<<tickBits, w.at))
		run.Iterations += uint64(w.iteration - before)
		if w.due == dueNothing {
			last = max(last, w.at)
			if w.left--; w.left == 0 {
				continue
			}
			w.begin(&s.how, w.lanes, w.lanes == s.timing.full, w.at+gap)
		}
		queue.Push(w.at>>tickBits, id)
	}
	run.Cycles, run.Refused = inCycles(last), unit.refused
	return run
}
