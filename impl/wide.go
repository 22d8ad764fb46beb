package impl

import "fmt"

// MinWideSlots and MaxWideSlots bound the rows that have sums in shared memory where updates add rows.
const (
	MinWideSlots = 2
	MaxWideSlots = 1024
)

// wide returns what holds of the implementation where each update adds a row; nil: it does not.
func (v Spec) wide() *wide {
	switch {
	case int(v.Algorithm) >= len(table) || int(v.Reduction) >= len(reductions):
		return nil
	case !v.Reduces():
		return table[v.Algorithm].wide
	case v.AddsAtTargets():
		return reductions[v.Reduction].wide
	}
	return nil
}

// ValidateWide is Validate where each update adds a row of elements: naive, runs and sort, and hot with its
// slots, or without where the call takes as many as fit 4 KiB of each warp.
func (v Spec) ValidateWide() error {
	switch n := v.Slots; {
	case v.wide() == nil || v != (Spec{Algorithm: v.Algorithm, Reduction: v.Reduction, Slots: n}):
		return fmt.Errorf("%s adds no rows (there are naive, runs, hot:s=S and sort)", v)
	case n != 0 && (v.Algorithm != Hot || n < MinWideSlots || n > MaxWideSlots || n&(n-1) != 0):
		return fmt.Errorf("s=%d is not a power of two from %d to %d", n, MinWideSlots, MaxWideSlots)
	}
	return nil
}

// ParseWide is Parse of names of implementations that add rows.
func ParseWide(name string) (Spec, error) { return parse(name, Spec.ValidateWide) }

// Wide lists the implementations that a choice ranks where each update adds a row.
func Wide() []Spec {
	list := []Spec{{}, {Reduction: Runs}}
	for slots := MinWideSlots; slots <= MaxWideSlots; slots *= 2 {
		list = append(list, Spec{Algorithm: Hot, Slots: slots})
	}
	return append(list, Spec{Algorithm: Sort})
}

// ClassOf is Class where each update adds a row, if so, or a single value.
func (v Spec) ClassOf(wide bool) Class {
	if wide {
		return v.wide().class
	}
	return v.Class()
}

// DoesOf is Does in the same way.
func (v Spec) DoesOf(wide bool) string {
	if wide {
		return v.wide().does
	}
	return v.Does()
}

// sortRowsBytes are the row and the place of each update, before and after a sort. A few words, and what a
// library's sort adds to them, are left out.
func sortRowsBytes(w Workspace) uint64 { return 2 * (keyBytes + keyBytes) * w.Updates }
