package tuner

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSortable: a stream is sorted once, up to a bound, and where that changes it.
func TestSortable(t *testing.T) {
	keep := func(on bool, chunks ...[]uint32) []uint32 {
		s := sortable{}
		if on {
			s.order = "col"
		}
		for _, c := range chunks {
			s.add(c)
		}
		return s.sorted()
	}
	if diff := cmp.Diff([]uint32{1, 2, 3}, keep(true, []uint32{3, 1}, []uint32{2})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	many := make([]uint32, MostSorted)
	many[0] = 1
	for name, got := range map[string][]uint32{"off": keep(false, []uint32{3, 1}),
		"sorted":        keep(true, []uint32{1, 3}, []uint32{3}),
		"one too many":  keep(true, many, []uint32{1}),
		"far too many":  keep(true, []uint32{2}, many, []uint32{1}),
		"nothing comes": keep(true)} {
		if got != nil {
			t.Errorf("%s: %d indices", name, len(got))
		}
	}
	if got := keep(true, many); got == nil || got[MostSorted-1] != 1 {
		t.Error("a stream of the most updates is not sorted")
	}
}
