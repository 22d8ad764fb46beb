package machine

import "fmt"

// ScratchpadRun is what several warps did on one multiprocessor.
type ScratchpadRun struct {
	Cycles float64 `json:"cycles"` // until all are done
	Turns  uint64  `json:"turns"`  // of all loops; an operation that does not loop is one
	// Refused counts the locks that a warp found taken by another one and the
	// words whose swap failed because another warp had swapped since the read.
	Refused uint64 `json:"refused"`
}

// resident is one of several warps on a multiprocessor.
type resident struct {
	request
	lanes     uint64
	left      int    // operations still to do
	scheduler *int64 // cycles: when its scheduler is free
}

// Warps lets warp w perform patterns[w] repeats times, each operation GapCycles
// after the end of the one before. Warp w issues through scheduler w modulo
// their number; the warps share the schedulers, the port, the locks and the
// words, [gomezluna13] section 2.2. Nothing but these shifts the warps against
// each other: warps that start as one may stay in step, which a program that
// does something between its operations breaks up.
//
// Errors wrap ErrStream: those of Warp, no warp or more than the multiprocessor
// holds, or no repeats.
func (s *Scratchpad) Warps(patterns [][]int32, repeats int) (ScratchpadRun, error) {
	if len(patterns) == 0 || len(patterns) > s.maxWarps || repeats < 1 {
		return ScratchpadRun{},
			fmt.Errorf("%w: %d warps, %d repeats, want 1 to %d warps and at least 1 repeat",
				ErrStream, len(patterns), repeats, s.maxWarps)
	}
	warps := make([]resident, len(patterns))
	schedulers := make([]int64, s.schedulers)
	for i, p := range patterns {
		lanes, err := s.sort(&warps[i].groups, p)
		if err != nil {
			return ScratchpadRun{}, fmt.Errorf("warp %d: %w", i, err)
		}
		warps[i].lanes, warps[i].left, warps[i].scheduler = lanes, repeats, &schedulers[i%s.schedulers]
	}
	return s.interleave(warps), nil
}

// interleave runs the warps to their end, event by event.
func (s *Scratchpad) interleave(warps []resident) (run ScratchpadRun) {
	var unit sharedUnit
	queue := NewQueue()
	for i := range warps {
		w := &warps[i]
		if w.begin(&s.how, w.lanes, w.lanes == s.full, 0); w.due != dueNothing {
			queue.Push(0, int32(i))
		}
	}
	last, gap := int64(0), max(0, ticks(s.GapCycles))
	for {
		now, id, ok := queue.Pop()
		if !ok {
			break
		}
		w := &warps[id]
		start := max(now, *w.scheduler)
		*w.scheduler = start + s.issue*(1+w.beside())
		before := w.turn
		w.advance(&unit, max(start<<tickBits, w.at))
		run.Turns += uint64(w.turn - before)
		if w.due == dueNothing {
			last = max(last, w.at)
			if w.left--; w.left == 0 {
				continue
			}
			w.begin(&s.how, w.lanes, w.lanes == s.full, w.at+gap)
		}
		queue.Push(w.at>>tickBits, id)
	}
	run.Cycles, run.Refused = inCycles(last), unit.refused
	return run
}
