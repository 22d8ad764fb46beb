package scratchpad

import (
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
)

// TestRecordedHalves: the halves are those of all recordings, whose values are counted here by
// sorting.
func TestRecordedHalves(t *testing.T) {
	m, err := h200.Archive.Scratchpad()
	if err != nil {
		t.Fatal(err)
	}
	all, err := RecordedHalves(h200.Archive)
	if err != nil || len(all) != len(targets) {
		t.Fatalf("%d operations, %v", len(all), err)
	}
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
	}
}
