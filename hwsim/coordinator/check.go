package coordinator

import "fmt"

// byVariable sorts a history by variable.
func byVariable(initial []uint32, r *Result) ([][]Record, error) {
	if len(initial) != len(r.Final) {
		return nil, fmt.Errorf("%w: %d initial and %d final values", ErrHistory, len(initial),
			len(r.Final))
	}
	by := make([][]Record, len(initial))
	for _, h := range r.History {
		if h.Variable < 0 || h.Variable >= len(initial) {
			return nil, fmt.Errorf("%w: variable %d of %d", ErrHistory, h.Variable, len(initial))
		}
		by[h.Variable] = append(by[h.Variable], h)
	}
	return by, nil
}

// check returns nil if, for every variable, there is an order in which its
// operations, one after the other, return what they returned and end with the
// final value. Variables do not touch each other, so the orders of all make one
// serial order.
//
// An operation that returned old and made new of it is an edge from old to new,
// and a serial order is an Euler trail from the initial to the final value. Errors
// wrap ErrHistory and name the variable.
func check(initial []uint32, r *Result) error {
	by, err := byVariable(initial, r)
	for i, list := range by {
		if err := trail(list, initial[i], r.Final[i]); err != nil {
			return fmt.Errorf("%w: variable %d: %v", ErrHistory, i, err)
		}
	}
	return err
}

func (h *Record) new() uint32 { return h.Old + h.Operand }

// trail checks Euler's condition.
func trail(list []Record, initial, final uint32) error {
	degree := map[uint32]int{initial: 1} // times reached less times left
	degree[final]--
	next := map[uint32][]uint32{} // in both directions
	for i := range list {
		from, to := list[i].Old, list[i].new()
		degree[from]--
		degree[to]++
		next[from], next[to] = append(next[from], to), append(next[to], from)
	}
	for _, h := range list {
		for _, value := range []uint32{h.Old, h.new()} {
			if d := degree[value]; d != 0 {
				return fmt.Errorf("value %d is reached %+d times more often than it is left", value, d)
			}
		}
	}
	if degree[initial] != 0 || degree[final] != 0 {
		return fmt.Errorf("nothing leads from %d to %d", initial, final)
	}
	reached := map[uint32]bool{initial: true}
	for stack := []uint32{initial}; len(stack) > 0; {
		value := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, n := range next[value] {
			if !reached[n] {
				reached[n] = true
				stack = append(stack, n)
			}
		}
	}
	for _, h := range list {
		if !reached[h.Old] {
			return fmt.Errorf("value %d was returned, which nothing makes from %d", h.Old, initial)
		}
	}
	return nil
}

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
