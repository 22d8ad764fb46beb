package variant

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

// TestLists: the implementations that are ranked and searched are those of testdata/lists.txt, none is twice in a
// list, and each can be.
func TestLists(t *testing.T) {
	var lines []string
	for name, list := range map[string][]Variant{"candidate": Candidates(), "sized": Sized(), "table": Tables(),
		"sampled table": SampledTables(), "ranged copy": RangedCopies(), "width": Widths()} {
		for i, v := range list {
			if err := v.Validate(); err != nil || slices.Contains(list[:i], v) {
				t.Errorf("%s %s: %v, or twice", name, v, err)
			}
			lines = append(lines, name+" "+v.String())
		}
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/lists.txt", lines)
}
