package coordinator

import (
	"cmp"
	"fmt"
	"slices"
)

// Verdict says what Check has found beside that the history is serialisable.
type Verdict struct {
	// Ordered is the number of variables whose history allows one order only,
	// but for operations that change nothing. For these it was also checked
	// that no operation stands after one that began when it had returned.
	Ordered int
	// Operations is the number of operations that were checked.
	Operations int
}

// Check returns nil if, for every variable, there is an order in which its
// operations, one after the other, return what they returned and end with the
// final value; and if, where only one order does, it respects time. Variables
// do not touch each other, so the orders of all make one serial order.
//
// An operation that returned old and made new of it is an edge from old to new.
// A serial order is a trail that begins at the initial value, takes every edge
// once and ends at the final value. Such a trail exists exactly if the edges
// hang together with the initial value and every value is left as often as it
// is reached, the initial one once more and the final one once less, Euler's
// condition for directed graphs. Errors wrap ErrHistory and name the variable.
func Check(initial []uint32, r *Result) (Verdict, error) {
	if len(initial) != len(r.Final) {
		return Verdict{}, fmt.Errorf("%w: %d initial and %d final values", ErrHistory, len(initial),
			len(r.Final))
	}
	by := make([][]Record, len(initial))
	for _, h := range r.History {
		if h.Variable < 0 || h.Variable >= len(initial) {
			return Verdict{}, fmt.Errorf("%w: variable %d of %d", ErrHistory, h.Variable, len(initial))
		}
		by[h.Variable] = append(by[h.Variable], h)
	}
	v := Verdict{Operations: len(r.History)}
	for i, list := range by {
		if err := trail(list, initial[i], r.Final[i]); err != nil {
			return Verdict{}, fmt.Errorf("%w: variable %d: %v", ErrHistory, i, err)
		}
		order, unique := walk(list, initial[i])
		if !unique {
			continue
		}
		v.Ordered++
		if err := inTime(order); err != nil {
			return Verdict{}, fmt.Errorf("%w: variable %d: %v", ErrHistory, i, err)
		}
	}
	return v, nil
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

// walk puts the operations into their order, if there is one only: no value is
// changed twice, and none comes back at which an operation changes nothing.
// Operations that change nothing stand together, those that began first in
// front, which is the best place in time.
func walk(list []Record, initial uint32) (order []Record, unique bool) {
	changes := map[uint32]*Record{}
	still := map[uint32][]Record{}
	for i := range list {
		h := &list[i]
		if h.new() == h.Old {
			still[h.Old] = append(still[h.Old], *h)
			continue
		}
		if changes[h.Old] != nil {
			return nil, false
		}
		changes[h.Old] = h
	}
	left := map[uint32]bool{}
	for value := initial; ; {
		here := still[value]
		if left[value] {
			return order, len(order) == len(list) && len(here) == 0
		}
		slices.SortFunc(here, func(a, b Record) int { return cmp.Compare(a.Begin, b.Begin) })
		order = append(order, here...)
		h := changes[value]
		if h == nil {
			return order, len(order) == len(list)
		}
		left[value] = true
		order = append(order, *h)
		value = h.new()
	}
}

// inTime checks that no operation had returned before one in front of it began.
func inTime(order []Record) error {
	latest := int64(-1 << 62)
	for i := range order {
		if h := &order[i]; h.End < latest {
			return fmt.Errorf("the operation that returned %d had returned before one began that comes "+
				"before it", h.Old)
		}
		latest = max(latest, order[i].Begin)
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
