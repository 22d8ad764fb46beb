package estimates

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/recordings/archive"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/online"
)

var judged = sync.OnceValues(Judge)

// TestResults holds results.json and what tuner/model says of estimates to what the recordings say.
// ATOMTUNE_UPDATE_GOLDEN=1 writes both.
func TestResults(t *testing.T) {
	r, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	text, err := results.Encode(r.results())
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
	figures, err := json.MarshalIndent(r.Judged(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "../../../tuner/model/estimates.json", string(figures))
}

// TestEstimates: each GPU has two estimates, neither of which knows its readings, and which choose
// for hundreds of calls better than a rule that needs no profile; nine of ten times lie within
// online.Unmeasured of the predicted ones.
func TestEstimates(t *testing.T) {
	r, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	estimates := map[string]int{}
	rule := map[string]float64{}
	for _, row := range r.HeldOut {
		if row.Choices < 900 || row.Missed*100 > row.Choices {
			t.Errorf("%s, %s: %d choices, %d not measured", row.GPU, row.Profile, row.Choices, row.Missed)
		}
		switch {
		case row.Base != nil:
			estimates[row.GPU]++
			if row.Base.Name == row.GPU || row.Loss.GeometricMean >= rule[row.GPU] {
				t.Errorf("%s, %s: loses %+v, a rule %v", row.GPU, row.Profile, row.Loss, rule[row.GPU])
			}
			if f := row.factor(); f <= 1 || f > online.Unmeasured {
				t.Errorf("%s, %s: nine of ten times are off by less than a factor of %v", row.GPU, row.Profile, f)
			}
		case len(row.logs) == 0:
			rule[row.GPU] = row.Loss.GeometricMean
		}
	}
	if len(estimates) != 2 || estimates["h200"] != 2 || estimates["h100"] != 2 {
		t.Errorf("estimates: %v", estimates)
	}
}

// TestUnread: an estimate of a measured GPU is another profile than that of its readings, though
// its base is nearly the same chip.
func TestUnread(t *testing.T) {
	r, err := judged()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.HeldOut {
		if row.Base == nil {
			continue
		}
		own, err := device.Builtin(row.GPU)
		if err != nil {
			t.Fatal(err)
		}
		made, base := row.Made.Global.LoadLatency.Value, row.Base.Global.LoadLatency.Value
		if row.Made.Estimate == nil || made == own.Global.LoadLatency.Value || made != base {
			t.Errorf("%s, %s: loads take %v, by its readings %v", row.GPU, row.Profile, made,
				own.Global.LoadLatency.Value)
		}
	}
}

// TestHeldOutIsNotRead: no estimate changes with what the calls of the held-out half took, by which it is judged.
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
	want, held := judged(""), judged(recordings.HeldOut)
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
