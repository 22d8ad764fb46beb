package choices

import (
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/lab/validate"
)

// TestTunerGapReasons: each known gap has a reason.
func TestTunerGapReasons(t *testing.T) {
	gaps, err := tunerGaps()
	if err != nil {
		t.Fatal(err)
	}
	for item, g := range gaps {
		if g.Reason == validate.Unexplained {
			t.Errorf("%s: reason %q", item, g.Reason)
		}
	}
}

// TestMeasuredCalls: each call has five repeats on each of at most two starts.
func TestMeasuredCalls(t *testing.T) {
	for _, part := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		calls, err := h200.Archive.Calls(part)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			if c.Repeats != 5*c.Starts || c.Starts > 2 {
				t.Fatalf("%s, %s: %d repeats on %d starts", c.Label, c.Implementation, c.Repeats, c.Starts)
			}
		}
	}
}
