package coordinator

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// explains tries all orders: the reference for Check's serialisability.
func explains(list []Record, value, final uint32) bool {
	if len(list) == 0 {
		return value == final
	}
	for i, h := range list {
		if h.Old != value {
			continue
		}
		rest := slices.Delete(slices.Clone(list), i, i+1)
		if explains(rest, h.new(), final) {
			return true
		}
	}
	return false
}

// TestCheckAgainstAllOrders compares Check with the reference on histories that
// a serial order made, and on the same with one value changed.
func TestCheckAgainstAllOrders(t *testing.T) {
	right, wrong := 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		initial := rng.Uint32N(3)
		value := initial
		var list []Record
		for range rng.IntN(7) {
			h := Record{
				Operand: rng.Uint32N(4) - 1, Old: value, End: 1, // all at the same time
			}
			value = h.new()
			list = append(list, h)
		}
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if len(list) > 0 && seed%2 == 0 {
			list[0].Old += 1 + rng.Uint32N(2)
		}
		_, err := Check([]uint32{initial}, &Result{Final: []uint32{value}, History: list})
		if want := explains(list, initial, value); (err == nil) != want {
			t.Fatalf("seed %d: %v, all orders say %v: %+v from %d to %d", seed, err, want, list, initial,
				value)
		}
		if err == nil {
			right++
		} else {
			wrong++
		}
	}
	if right < 1000 || wrong < 1000 {
		t.Errorf("%d histories are right, %d wrong", right, wrong)
	}
}

// TestCheckRefuses: histories of other variables, and operations that had returned before one began
// that comes before them.
func TestCheckRefuses(t *testing.T) {
	in := func(list ...Record) *Result { return &Result{Final: []uint32{3}, History: list} }
	first := Record{Operand: 1, Begin: 0, End: 2}
	for _, c := range []struct {
		initial []uint32
		r       *Result
		right   bool
	}{
		{[]uint32{0}, in(Record{Operand: 2, Old: 1, Begin: 2, End: 3}, first), true},
		{[]uint32{0}, in(Record{Operand: 2, Old: 1, Begin: -2, End: -1}, first), false},
		{[]uint32{0}, in(Record{Variable: 3}), false},
		{[]uint32{0, 1}, in(), false},
	} {
		v, err := Check(c.initial, c.r)
		if (err == nil) != c.right || err != nil && !errors.Is(err, errHistory) ||
			err == nil && v != (Verdict{Ordered: 1, Operations: 2}) {
			t.Errorf("%+v: %+v, %v", c.r, v, err)
		}
	}
}
