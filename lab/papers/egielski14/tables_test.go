package egielski14

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

// TestInputTables: what the inputs are drawn from is what testdata/inputs.txt holds.
func TestInputTables(t *testing.T) {
	lines := []string{fmt.Sprint("sums ", compacted), fmt.Sprint("images shown ", shownImages)}
	for _, k := range keySets {
		lines = append(lines, fmt.Sprintf("keys %+v", k))
	}
	for _, l := range pageLogs {
		lines = append(lines, fmt.Sprintf("pages %+v", l))
	}
	for _, m := range matrices {
		lines = append(lines, fmt.Sprintf("matrix %+v", m))
	}
	golden.Compare(t, "testdata/inputs.txt", lines)
}
