package machine

// Turn is one turn of an operation's loop, or the whole of an operation that
// does not loop. Sets of lanes are masks, bit l for lane l. Cycles count from
// the beginning of the operation.
type Turn struct {
	Pending     uint64 // lanes not served before
	Winners     uint64 // lanes that the turn serves
	ReadPasses  int    // 0: the loop does not read again
	WritePasses int    // 0: nothing is written apart from the access
	StartCycles float64
	EndCycles   float64 // when the next turn begins, or the operation ends
}

// Trace does what Warp does, and returns the turns as well. Errors are those of
// Warp.
func (s *Scratchpad) Trace(pattern []int32) (cycles float64, turns []Turn, err error) {
	if err := s.begin(pattern); err != nil {
		return 0, nil, err
	}
	r, begin := &s.one, s.now
	var turn Turn
	for r.due != dueNothing {
		passes, port, start := &turn.WritePasses, r.how.writePort, r.at
		if r.due == dueLocks {
			r.advance(&s.unit, start)
			continue
		}
		if r.due != dueWrite {
			turn = Turn{Pending: r.pending, StartCycles: inCycles(start - begin)}
		}
		if r.due == dueRead {
			passes, port = &turn.ReadPasses, r.how.readPort
		}
		turn.Winners = r.advance(&s.unit, start)
		if port > 0 {
			*passes = int((s.unit.port.free - start) / port)
		}
		if r.due == dueLocks || r.due == dueWrite {
			continue
		}
		end := r.at
		if r.due == dueSwap {
			end -= r.how.add // of the next turn
		}
		turn.EndCycles = inCycles(end - begin)
		turns = append(turns, turn)
	}
	s.now = r.at
	return inCycles(r.at - begin), turns, nil
}
