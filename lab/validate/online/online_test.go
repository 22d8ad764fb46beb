package online

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
	"github.com/atomtune/atomtune/variant"
)

// TestReplayOnline holds online.Online on recorded calls to what it is for: short
// runs cost hardly more than the model's choice, long ones come close to the best,
// and it is ahead of each rule without predictions after any number of launches.
func TestReplayOnline(t *testing.T) {
	rows, err := ownReplay()
	if err != nil {
		t.Fatal(err)
	}
	own := map[int]OnlineRow{}
	for _, r := range rows[3:6] {
		own[r.Launches] = r
		if r.Rule != onlineName {
			t.Fatalf("second rule is %q", r.Rule)
		}
	}
	for _, r := range rows {
		t.Logf("%-88s %5d %.4f %.3f %.3f", r.Rule, r.Launches, r.GeometricMean, r.P90, r.Max)
		if r.Questions < 200 || r.Points != r.Questions || !(r.GeometricMean >= 1) || math.IsInf(r.Max, 0) {
			t.Errorf("%+v", r)
		}
		if r.Rule != rows[0].Rule && r.Rule != onlineName && !(r.GeometricMean > own[r.Launches].GeometricMean) {
			t.Errorf("%s is ahead after %d launches: %.4f, Online %.4f", r.Rule, r.Launches, r.GeometricMean, own[r.Launches].GeometricMean)
		}
	}
	for n, r := range own {
		s := r.Stated
		if s == nil || s.Epsilon != 0.05 || s.Confidence != 0.99 || !(s.LostLaunches > 0 && s.MostLostLaunches >= s.LostLaunches) || s.Beyond > r.Questions/100 {
			t.Errorf("%d launches: %+v", n, s)
		}
	}
	model := rows[0].Loss
	if math.Abs(rows[1].GeometricMean-model.GeometricMean) > 1e-9 || math.Abs(rows[2].GeometricMean-model.GeometricMean) > 1e-9 {
		t.Errorf("the loss of a fixed choice hangs on the number of launches: %+v", rows[:3])
	}
	if excess := own[10].GeometricMean - model.GeometricMean; !(excess < 0.02) {
		t.Errorf("10 launches: Online loses %.4f more than the model's choice", excess)
	}
	if loss := own[1000].GeometricMean; !(loss < 1.03 && loss < model.GeometricMean) {
		t.Errorf("1,000 launches: Online loses %.4f, the model's choice %.4f", loss, model.GeometricMean)
	}
}

// TestOnlineRow: losses and stated regrets of three questions, of which one loses
// more than is stated.
func TestOnlineRow(t *testing.T) {
	sum := func(us, best, lost float64) onlineSum {
		return onlineSum{us: us, bestUS: best, onceUS: best / 10, bound: &online.Bound{Epsilon: 0.05, Confidence: 0.99, LostUS: lost}}
	}
	got := onlineRow("rule", 10, []onlineSum{sum(100, 100, 0), sum(125, 100, 20), sum(100, 50, 40)})
	want := StatedRegret{Epsilon: 0.05, Confidence: 0.99, Beyond: 1, Most: 1.2, LostLaunches: 2, MostLostLaunches: 8}
	if got.Stated == nil || *got.Stated != want || got.Questions != 3 || got.Max != 2 {
		t.Errorf("%+v, %+v", got, got.Stated)
	}
	checks := got.Checks()
	if len(checks) != 1 || math.Abs(checks[0].Value-100.0/3) > 1e-12 || checks[0].Limit != 1 || checks[0].Failure() == "" {
		t.Errorf("%+v", checks)
	}
	if row := onlineRow("rule", 1, []onlineSum{{us: 2, bestUS: 1, onceUS: 1}}); row.Stated != nil || row.Checks() != nil {
		t.Errorf("%+v", row)
	}
}

// TestReplayedModel: the first rule's losses are those of tuner.Choose, worked
// out apart from the replay.
func TestReplayedModel(t *testing.T) {
	rows, err := ReplayOnline(context.Background(), OnlineOptions{Every: 20, Launches: []int{3}})
	if err != nil {
		t.Fatal(err)
	}
	questions, err := onlineQuestions(recordings.HeldOut)
	if err != nil {
		t.Fatal(err)
	}
	gpu, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	for i := 0; i < len(questions); i += 20 {
		q := questions[i]
		d, err := tuner.Choose(q.stats, gpu, tuner.Options{Call: q.call, Only: variant.OnDevice()})
		if err != nil {
			t.Fatal(err)
		}
		chosen, best := 0.0, math.Inf(1)
		for j, v := range q.arms {
			best = min(best, q.times[j].medianUS)
			if v == d.Choice.Implementation {
				chosen = q.times[j].medianUS
			}
		}
		ratios = append(ratios, chosen/best)
	}
	if want := model.LossOf(ratios); math.Abs(rows[0].GeometricMean-want.GeometricMean) > 1e-12 || math.Abs(rows[0].Max-want.Max) > 1e-12 {
		t.Errorf("%+v, want %+v", rows[0].Loss, want)
	}
}

// TestReplayRepeats: equal seeds give equal rows, and another seed others.
func TestReplayRepeats(t *testing.T) {
	o := OnlineOptions{Part: recordings.Fit, Every: 100, Launches: []int{5, 200}, Seed: 3}
	var all [3][]OnlineRow
	for i := range all {
		o.Seed = 3 + uint64(i/2)
		var err error
		if all[i], err = ReplayOnline(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(all[0], all[1]) || reflect.DeepEqual(all[0], all[2]) {
		t.Error("rows do not hang on the seed alone")
	}
}

// TestLaunchTime: half of the launches lie on either side of the median, and
// none outside of the recorded extremes.
func TestLaunchTime(t *testing.T) {
	q, err := onlineQuestions(recordings.Fit)
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, one := range q[:50] {
		for _, at := range one.times {
			if got := at.draw(0); math.Abs(got/at.medianUS-1) > 1e-12 {
				t.Fatalf("the middle is %v of %+v", got, at)
			}
			for z := -4.0; z <= 4; z += 0.5 {
				if us := at.draw(z); us < at.least || us > at.most || (us-at.medianUS)*z < 0 {
					t.Fatalf("%v at %v of %+v", us, z, at)
				}
				drawn++
			}
		}
	}
	if drawn < 1000 {
		t.Errorf("only %d times", drawn)
	}
}

func TestReplayErrors(t *testing.T) {
	for name, o := range map[string]OnlineOptions{
		"every":    {Every: -1},
		"launches": {Launches: []int{10, 10}},
		"none":     {Launches: []int{0}},
		"part":     {Part: "third"},
	} {
		if _, err := ReplayOnline(context.Background(), o); !errors.Is(err, validate.ErrValidate) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReplayOnline(context.Background(), OnlineOptions{Tuner: online.Options{Noise: -1}}); !errors.Is(err, model.ErrOptions) {
		t.Errorf("bad options: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ReplayOnline(ctx, OnlineOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
