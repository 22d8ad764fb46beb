package machine

// Turn is one turn of an operation's loop, or the whole of an operation that
// does not loop. Sets of lanes are masks, bit l for lane l. Cycles count from
// the beginning of the operation.
type Turn struct {
	Pending     uint64  `json:"pending"`      // lanes not served before
	Winners     uint64  `json:"winners"`      // lanes that the turn serves
	ReadPasses  int     `json:"read_passes"`  // 0: the loop does not read again
	WritePasses int     `json:"write_passes"` // 0: nothing is written apart from the access
	StartCycles float64 `json:"start_cycles"`
	EndCycles   float64 `json:"end_cycles"` // when the next turn begins, or the operation ends
}

// Trace does what Warp does, and returns the turns as well. Errors are those of
// Warp.
func (s *Scratchpad) Trace(pattern []int32) (cycles float64, turns []Turn, err error) {
	if err := s.begin(pattern); err != nil {
		return 0, nil, err
	}
	r, begin := &s.one, s.now
	for r.due != dueNothing {
		opens := r.due == dueRead && r.how.loops()
		served := r.advance(&s.unit, r.at)
		if opens {
			continue
		}
		turns = append(turns, Turn{
			Pending: r.seen.pending, Winners: served, ReadPasses: r.seen.reads, WritePasses: r.seen.writes,
			StartCycles: inCycles(r.seen.start - begin), EndCycles: inCycles(r.seen.end - begin),
		})
	}
	s.now = r.at
	return inCycles(r.at - begin), turns, nil
}
