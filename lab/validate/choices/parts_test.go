package choices

import (
	"os"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings/archive"
)

// TestValidationSets: the sets that judge are the archive's, each on its own questions alone.
func TestValidationSets(t *testing.T) {
	files := os.DirFS("../../../datasets/h200")
	sets, err := allJudged(archive.New("h200", files, "misses", "hotspots"))
	if err != nil || len(sets) != 3 || len(sets[0].parts) != len(recordedParts()) {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	for i, want := range []struct {
		name      string
		questions int
	}{{"misses validation set", 4 * 81}, {"hotspots validation set", 4 * 72}} {
		set := sets[i+1]
		part := set.parts[0]
		if len(set.parts) != 1 || part.name != want.name || len(set.questions) != want.questions {
			t.Fatalf("%s: %d parts, %d questions", part.name, len(set.parts), len(set.questions))
		}
		for j := range set.questions {
			if !part.takes(&set.questions[j]) {
				t.Errorf("%s is not of the %s", set.questions[j].Label, part.name)
			}
		}
		if part.takes(&sets[0].questions[0]) || part.takes(&sets[2-i].questions[0]) {
			t.Errorf("the %s takes what is in none or in another", part.name)
		}
	}
	if own := sets[0].questions; len(own) < 1800 {
		t.Errorf("%d questions in no set", len(own))
	}
	if _, err := allJudged(archive.New("h200", files, "none")); err == nil {
		t.Error("a validation set that is not there judges")
	}
}
