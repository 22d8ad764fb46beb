package trees

import (
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/results"
)

// mostShare is the part of what simpler rules lose that a tree may lose, as logarithms.
const mostShare = 0.75

// TestTrees holds results.json to what is computed now, and trees to what they must gain over one
// comparison and over one candidate. ATOMTUNE_UPDATE_GOLDEN=1 writes the file.
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
			simpler := 0
			for _, l := range p.Lines {
				if !strings.HasPrefix(l.Rule, depthOne) && !strings.HasPrefix(l.Rule, oneOfAll) {
					continue
				}
				simpler++
				if tree := p.Lines[0].Loss.GeometricMean; math.Log(tree) >= mostShare*math.Log(l.Loss.GeometricMean) {
					t.Errorf("%s, %s: the tree loses %.3f, %s %.3f", j.Device, p.Name, tree, l.Rule,
						l.Loss.GeometricMean)
				}
			}
			if simpler != 2 || p.Lines[0].Rule != treeOverBest {
				t.Errorf("%s, %s: %+v", j.Device, p.Name, p.Lines)
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
