package machine

import (
	"fmt"

	"github.com/atomtune/atomtune/device"
)

// Scratchpad simulates one operation on the shared memory of one
// multiprocessor, by one warp or by several, through the same stages as whole
// kernels. It is for one goroutine at a time.
type Scratchpad struct {
	// GapCycles is how long a warp of Warps waits between the end of an
	// operation and the next one: what a program does in between. 0 unless set;
	// negative counts as 0.
	GapCycles float64

	how        stages
	wide       bool
	full       uint64 // all lanes
	words      int    // elements of the type in a block's shared memory
	schedulers int
	maxWarps   int
	issue      int64 // cycles
	unit       sharedUnit
	now        int64 // ticks: when the last operation of a single warp ended
	sorter     sorter
	index      [64]uint64
	one        request
}

// NewScratchpad returns the shared memory of a multiprocessor on which warps
// perform the operation on elements of type t. Errors wrap device.ErrCannot:
// the device has no such operation, or the profile no figures of it.
func NewScratchpad(d *device.Profile, op device.Operation, t device.Type) (*Scratchpad, error) {
	if d == nil {
		return nil, fmt.Errorf("%w: no device", device.ErrCannot)
	}
	atomic, err := d.SharedOperation(op, t)
	if err != nil {
		return nil, err
	}
	if _, known := d.Types[t]; !known || atomic.Mechanism == device.Absent {
		return nil, fmt.Errorf("%w: %s has no %s on %s in shared memory", device.ErrCannot, d.Name, op, t)
	}
	timing := newTiming(d)
	return &Scratchpad{
		how: newStages(d, atomic, t), wide: t.Bytes() == 8, full: timing.full,
		words:      int(d.Shared.BytesPerBlock.Value) / t.Bytes(),
		schedulers: timing.schedulers, maxWarps: int(d.Core.MaxWarps.Value),
		issue: timing.issue, sorter: newSorter(d),
	}, nil
}

// Warp returns the cycles of one operation of one warp that has the
// multiprocessor to itself. The pattern holds the element that each lane
// addresses, -1 for a lane that takes no part; if none does, it costs nothing.
// Errors wrap ErrStream: a wrong number of lanes, or an address below -1 or
// beyond a block's shared memory.
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

// begin lets the only warp begin its operation, long after the one before.
func (s *Scratchpad) begin(pattern []int32) error {
	lanes, err := s.sort(&s.one.groups, pattern)
	if err == nil {
		s.now += idleTicks
		s.one.begin(&s.how, lanes, lanes == s.full, s.now)
	}
	return err
}

// sort fills g with the lanes of the pattern and returns those that take part.
func (s *Scratchpad) sort(g *laneGroups, pattern []int32) (lanes uint64, err error) {
	if len(pattern) != s.sorter.lanes {
		return 0, fmt.Errorf("%w: a pattern of %d lanes, want %d", ErrStream, len(pattern),
			s.sorter.lanes)
	}
	for l, a := range pattern {
		if a >= 0 && int(a) < s.words {
			s.index[l] = uint64(a)
			lanes |= 1 << l
		} else if a != -1 {
			return 0, fmt.Errorf("%w: lane %d: address %d, want -1 or less than %d", ErrStream, l, a,
				s.words)
		}
	}
	s.sorter.sort(g, s.index[:], lanes, 0, s.wide)
	if s.how.loops() {
		s.sorter.sortLocks(g, lanes, s.how.locks)
	}
	return lanes, nil
}

func inCycles(ticks int64) float64 { return float64(ticks) / tick }
