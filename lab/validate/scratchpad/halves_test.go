package scratchpad

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/papers"
)

// TestRecordedHalves: the halves are those of all recordings, whose values are counted here by
// sorting, and the README names those of 32-bit adds.
func TestRecordedHalves(t *testing.T) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	all, err := RecordedHalves(h200.Archive)
	if err != nil || len(all) != len(targets) {
		t.Fatalf("%d operations, %v", len(all), err)
	}
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := strings.Join(strings.Fields(string(text)), " ")
	for _, h := range all {
		column, err := m.Column(h.Operation)
		if err != nil {
			t.Fatal(err)
		}
		values := slices.Compact(slices.Sorted(slices.Values(column.Cycles)))
		if h.Fitted.Recordings+h.Judging.Recordings != len(column.Cycles) ||
			h.Fitted.Distinct+h.Unseen != len(values) || h.Judging.Distinct < h.Unseen ||
			h.Judging.Distinct > len(values) {
			t.Errorf("%+v, but %d values in all", h, len(values))
		}
		say := map[string]string{
			"u32_add": fmt.Sprintf("All %s adds of 32-bit integers take one of %d values, and %d of those "+
				"are in the half to judge alone", papers.Thousands(len(column.Cycles)), len(values), h.Unseen),
			"f32_add": fmt.Sprintf("of floats, %d of %d.", h.Unseen, len(values)),
		}[h.Operation]
		if !strings.Contains(readme, say) {
			t.Errorf("README.md does not say %q", say)
		}
	}
}
