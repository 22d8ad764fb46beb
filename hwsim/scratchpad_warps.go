package hwsim

import "fmt"

// ScratchpadRun is what several warps did on one multiprocessor.
type ScratchpadRun struct {
	Cycles     float64 `json:"cycles"`     // until all are done
	Operations uint64  `json:"operations"` // of warps
	Turns      uint64  `json:"turns"`      // of their loops; of operations that do not loop, one each
	// Refused counts locks that a warp found taken by another one, and swaps
	// that failed because another warp had swapped since the read.
	Refused uint64 `json:"refused"`
}

// resident is one of several warps on a multiprocessor.
type resident struct {
	request
	pattern []int32
	left    int // operations still to begin
}

// Warps lets warp w perform patterns[w] repeats times, each operation as soon
// as the one before is done. Warp w issues through scheduler w modulo their
// number; the warps share the schedulers, the port, the locks and the words.
// Errors wrap ErrStream: those of Warp, no warp or more than the multiprocessor
// holds, or no repeats.
func (s *Scratchpad) Warps(patterns [][]int32, repeats int) (ScratchpadRun, error) {
	if len(patterns) == 0 || len(patterns) > s.maxWarps || repeats < 1 {
		return ScratchpadRun{}, fmt.Errorf("%w: %d warps, %d repeats, want 1 to %d warps and at least 1 repeat",
			ErrStream, len(patterns), repeats, s.maxWarps)
	}
	s.unit, s.now = sharedUnit{}, 0
	var run ScratchpadRun
	warps := make([]resident, len(patterns))
	queue := NewQueue()
	for i := range warps {
		w := &warps[i]
		w.pattern, w.left = patterns[i], repeats
		if err := s.next(w, &run); err != nil {
			return ScratchpadRun{}, fmt.Errorf("warp %d: %w", i, err)
		}
		if w.due != dueNothing {
			queue.Push(0, int32(i))
		}
	}
	free := make([]int64, s.schedulers) // cycles: when each scheduler is
	for {
		now, id, ok := queue.Pop()
		if !ok {
			break
		}
		w, scheduler := &warps[id], &free[int(id)%s.schedulers]
		start := max(now, *scheduler)
		*scheduler = start + s.issue
		s.advance(w, scheduler, start, &run)
		if w.due != dueNothing {
			queue.Push(w.at>>tickBits, id)
		}
	}
	run.Cycles, run.Refused = cycles(s.now), s.unit.refused
	return run, nil
}
