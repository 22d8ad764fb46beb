package coordinator

import (
	"cmp"
	"fmt"
	"slices"
)

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
			return Verdict{}, fmt.Errorf("%w: variable %d: %v", ErrHistory, i, err)
		}
	}
	return v, nil
}

func (h *Record) new() uint32 { return h.Old + h.Operand }

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
