package estimates

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestHeldOutIsNotRead: neither the interval of estimates nor an estimate changes with what the calls of
// the held-out half took, by which both are judged; the interval does with those of the fit half.
func TestHeldOutIsNotRead(t *testing.T) {
	const each = 12 // of the questions, one is asked
	judged := func(slowed recordings.Part) Report {
		r, err := judgeBy(func(a *archive.Archive, part recordings.Part) (some []recorded.Question, err error) {
			all, err := recorded.OfPart(a, part)
			for i := 0; i < len(all); i += each {
				some = append(some, all[i])
			}
			return recorded.Slowed(some, slowed), err
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	want, held, fit := judged(""), judged(recordings.HeldOut), judged(recordings.Fit)
	if held.Low != want.Low || held.High != want.High {
		t.Errorf("the held-out half moves the interval from %v to %v to %v to %v", want.Low, want.High,
			held.Low, held.High)
	}
	if fit.Low == want.Low && fit.High == want.High {
		t.Error("the fit half changes nothing: this test cannot fail")
	}
	estimates := 0
	for i, row := range want.HeldOut {
		if row.Base != nil {
			estimates++
			if diff := cmp.Diff(row.Made, held.HeldOut[i].Made); diff != "" {
				t.Errorf("%s, %s: the held-out half changes the estimate:\n%s", row.GPU, row.Profile, diff)
			}
		}
		if row.logs != nil && row.AllMedianPercent == held.HeldOut[i].AllMedianPercent {
			t.Errorf("%s, %s: is not judged by the held-out half", row.GPU, row.Profile)
		}
	}
	if estimates != 4 {
		t.Errorf("%d estimates", estimates)
	}
}
