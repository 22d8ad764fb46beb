package trees

import (
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/results"
)

// mostLoss is the time that a tree may take over the best, in the mean.
const mostLoss = 1.15

// TestTrees holds results.json to what is computed now, and trees to a limit. ATOMTUNE_UPDATE_GOLDEN=1 writes the file.
func TestTrees(t *testing.T) {
	golden.OnlyFull(t)
	all, err := judge()
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, j := range all {
		for _, p := range j.Parts {
			calls += p.Calls
			limit := mostLoss
			if j.Device == "h100" && p.Name == "fresh set" {
				limit = 1.17 // a known gap since calls are left out whose copies lie as the header no longer puts them
			}
			if l := p.Lines[0]; l.Rule != treeOverBest || l.Loss.GeometricMean > limit {
				t.Errorf("%s, %s: %+v", j.Device, p.Name, l)
			}
		}
	}
	if calls < 3000 {
		t.Errorf("%d calls were judged", calls)
	}
	text, err := results.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
}
