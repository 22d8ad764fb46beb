package coordinator

import "fmt"

// state is a value that a variable has had.
type state struct {
	variable int
	value    uint32
}

// trails are the operations as edges between states.
type trails struct {
	number  map[state]int
	states  []state
	surplus []int // by number: times reached less times left
	parent  []int // of states that are connected
}

func (g *trails) of(variable int, value uint32) int {
	s := state{variable, value}
	n, ok := g.number[s]
	if !ok {
		n = len(g.states)
		g.number[s] = n
		g.states, g.surplus, g.parent = append(g.states, s), append(g.surplus, 0), append(g.parent, n)
	}
	return n
}

// root is the same for all states that are connected.
func (g *trails) root(n int) int {
	for g.parent[n] != n {
		g.parent[n] = g.parent[g.parent[n]]
		n = g.parent[n]
	}
	return n
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
	g := trails{number: map[state]int{}}
	for v, value := range initial {
		if final := r.Final[v]; value != final {
			g.surplus[g.of(v, value)]++
			g.surplus[g.of(v, final)]--
		}
	}
	for _, h := range r.History {
		if h.Variable < 0 || h.Variable >= len(initial) {
			return fmt.Errorf("%w: variable %d of %d", ErrHistory, h.Variable, len(initial))
		}
		from, to := g.of(h.Variable, h.Old), g.of(h.Variable, h.Old+h.Operand)
		g.surplus[from]--
		g.surplus[to]++
		g.parent[g.root(from)] = g.root(to)
	}
	for n, s := range g.states {
		if g.surplus[n] != 0 {
			return fmt.Errorf("%w: variable %d: value %d is reached %+d times more often than it is left",
				ErrHistory, s.variable, s.value, g.surplus[n])
		}
		if start := initial[s.variable]; g.root(n) != g.root(g.of(s.variable, start)) {
			return fmt.Errorf("%w: variable %d: value %d was returned, which nothing makes from %d",
				ErrHistory, s.variable, s.value, start)
		}
	}
	return nil
}
