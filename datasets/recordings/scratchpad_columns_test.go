package recordings

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/patterns"
)

// TestColumnInstructions: what comment lines say of instructions is taken from
// files that say it, and missing from others.
func TestColumnInstructions(t *testing.T) {
	m := func(notes ...string) *patterns.Measurements {
		return &patterns.Measurements{Columns: []patterns.Column{{Name: "u32_store"},
			{Name: "u32_add"}}, Notes: notes}
	}
	store := ScratchpadColumn{Name: "u32_store", Repeats: 3, Starts: 1, Kernel: "k",
		Instruction: "ld.volatile.shared.u32 st.volatile.shared.u32",
		Launch:      "9x32+4", Unroll: 8}
	for _, c := range []struct {
		m    *patterns.Measurements
		want map[string]string
	}{
		{m(), map[string]string{}},
		{m("made by hand", "column: u32_add repeats=3 starts=1 kernel=k"), map[string]string{}},
		{m("column: " + store.describe()), map[string]string{"u32_store": store.Instruction}},
	} {
		got, err := ColumnInstructions("a.csv", c.m)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", c.m.Notes, err, diff)
		}
	}
	_, err := ColumnInstructions("a.csv", m("column: f32_add repeats=3 starts=1 kernel=k"))
	if !errors.Is(err, ErrRecording) || !strings.Contains(err.Error(), "a.csv") ||
		!strings.Contains(err.Error(), "f32_add") {
		t.Errorf("a column that is not there: %v", err)
	}
}
