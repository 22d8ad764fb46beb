package coordinator

// Record is one atomic operation of one lane, with the value that it returned.
type Record struct {
	Workgroup, Wavefront, Lane int
	Variable                   int
	Operand, Old               uint32
	Begin, End                 int64 // when it was called and when it returned; later means greater
}

// record notes a statement's operations.
func (s *sim) record(w *wavefront, group int, t *Statement, olds []uint32, begin int64) {
	s.answered = max(s.answered, w.e.now)
	for i, u := range t.Updates {
		s.history = append(s.history, Record{
			Workgroup: group, Wavefront: w.number, Lane: u.Lane, Variable: u.Variable,
			Operand: u.Operand, Old: olds[i], Begin: begin, End: w.e.now,
		})
	}
}
