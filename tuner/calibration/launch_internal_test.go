package calibration

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
)

// TestFixedLaunchesTeachNothing: corrections are of the rule's launch, so that calls in another are
// passed over.
func TestFixedLaunchesTeachNothing(t *testing.T) {
	rule := recordings.Call{Label: "a", Updates: 9, Bins: 4, Origin: recordings.Measured, MedianUS: 5,
		MinUS: 5, MaxUS: 5, Repeats: 1, Correct: true}
	fixed := rule
	fixed.Fixed, fixed.Blocks, fixed.Threads, fixed.Unroll, fixed.MedianUS = true, 1, 32, 1, 50
	streams := []recordings.Stream{{Label: "a", Stats: collision.Stats{Updates: 9, Bins: 4}}}
	points, passed, err := MeasuredPoints([]recordings.Call{fixed, rule, fixed}, streams)
	if err != nil || passed != 2 || len(points) != 1 || len(points[0].US) != 1 {
		t.Fatalf("%d points, %d passed over, %v", len(points), passed, err)
	}
	for _, us := range points[0].US {
		if us != 5 {
			t.Errorf("%v us, want those of the rule's launch", us)
		}
	}
}
