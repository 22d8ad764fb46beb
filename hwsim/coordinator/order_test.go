package coordinator

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// state is a value that a variable has had.
type state struct {
	variable int
	value    uint32
}

// errHistory reports returned or final values that no serial order gives.
var errHistory = errors.New("not serialisable")

// check returns nil if, for every variable, there is an order in which its
// operations, one after the other, return what they returned and end with the
// final value. Variables do not touch each other, so the orders of all make one
// serial order.
//
// An operation that returned old and made new of it is an edge from old to new,
// and a serial order is an Euler trail from the initial to the final value. Errors
// wrap errHistory and name the variable.
func check(initial []uint32, r *Result) error {
	if len(initial) != len(r.Final) {
		return fmt.Errorf("%w: %d initial and %d final values", errHistory, len(initial), len(r.Final))
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
			return fmt.Errorf("%w: variable %d of %d", errHistory, h.Variable, len(initial))
		}
		from, to := of(h.Variable, h.Old), of(h.Variable, h.new())
		surplus[from]--
		surplus[to]++
		parent[root(from)] = root(to)
	}
	for n, s := range states {
		if surplus[n] != 0 {
			return fmt.Errorf("%w: variable %d: value %d is reached %+d times more often than it is left",
				errHistory, s.variable, s.value, surplus[n])
		}
		if start := initial[s.variable]; root(n) != root(of(s.variable, start)) {
			return fmt.Errorf("%w: variable %d: value %d was returned, which nothing makes from %d",
				errHistory, s.variable, s.value, start)
		}
	}
	return nil
}

// Verdict says what Check has found beside that the history is serialisable.
type Verdict struct {
	// Ordered is the number of variables whose history allows one order only,
	// but for operations that change nothing.
	Ordered    int
	Operations int
}

// Check is check, and that no operation stands after one that began when it had
// returned, where only one order is possible.
func Check(initial []uint32, r *Result) (Verdict, error) {
	if err := check(initial, r); err != nil {
		return Verdict{}, err
	}
	v := Verdict{Operations: len(r.History)}
	by := make([][]Record, len(initial))
	for _, h := range r.History {
		by[h.Variable] = append(by[h.Variable], h)
	}
	for i, list := range by {
		order, unique := walk(list, initial[i])
		if !unique {
			continue
		}
		v.Ordered++
		if err := inTime(order); err != nil {
			return Verdict{}, fmt.Errorf("%w: variable %d: %v", errHistory, i, err)
		}
	}
	return v, nil
}

func (h *Record) new() uint32 { return h.Op.apply(h.Old, h.Operand, h.Expected) }

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
