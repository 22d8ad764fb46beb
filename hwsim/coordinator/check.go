package coordinator

import "fmt"

// state is a value that a variable has had.
type state struct {
	variable int
	value    uint32
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
	if len(initial) != len(r.Final) {
		return fmt.Errorf("%w: %d initial and %d final values", ErrHistory, len(initial), len(r.Final))
	}
	var (
		number  = map[state]int{}
		states  []state
		surplus []int // by number: times reached less times left
		parent  []int // of states that operations connect
	)
	of := func(variable int, value uint32) int {
		s := state{variable, value}
		n, ok := number[s]
		if !ok {
			n = len(states)
			number[s] = n
			states, surplus, parent = append(states, s), append(surplus, 0), append(parent, n)
		}
		return n
	}
	root := func(n int) int {
		for parent[n] != n {
			parent[n] = parent[parent[n]]
			n = parent[n]
		}
		return n
	}
	for v, value := range initial {
		if final := r.Final[v]; value != final {
			surplus[of(v, value)]++
			surplus[of(v, final)]--
		}
	}
	for _, h := range r.History {
		if h.Variable < 0 || h.Variable >= len(initial) {
			return fmt.Errorf("%w: variable %d of %d", ErrHistory, h.Variable, len(initial))
		}
		from, to := of(h.Variable, h.Old), of(h.Variable, h.Old+h.Operand)
		surplus[from]--
		surplus[to]++
		parent[root(from)] = root(to)
	}
	for n, s := range states {
		if surplus[n] != 0 {
			return fmt.Errorf("%w: variable %d: value %d is reached %+d times more often than it is left",
				ErrHistory, s.variable, s.value, surplus[n])
		}
		if start := initial[s.variable]; root(n) != root(of(s.variable, start)) {
			return fmt.Errorf("%w: variable %d: value %d was returned, which nothing makes from %d",
				ErrHistory, s.variable, s.value, start)
		}
	}
	return nil
}
