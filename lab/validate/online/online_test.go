package online

import (
	"context"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/online"
)

// TestOnlineRow: losses and stated regrets of three questions, of which one loses
// more than is stated.
func TestOnlineRow(t *testing.T) {
	sum := func(us, best, lost float64) total {
		return total{us: us, bestUS: best, onceUS: best / 10, bound: &online.Bound{Epsilon: 0.05,
			Confidence: 0.99, LostUS: lost}}
	}
	got := rowOf("rule", 10, []total{sum(100, 100, 0), sum(125, 100, 20), sum(100, 50, 40)})
	want := StatedRegret{Epsilon: 0.05, Confidence: 0.99, Beyond: 1, Most: 1.2, LostLaunches: 2,
		MostLostLaunches: 8}
	if got.Stated == nil || *got.Stated != want || got.Questions != 3 || got.Max != 2 {
		t.Errorf("%+v, %+v", got, got.Stated)
	}
	checks := got.Checks()
	if len(checks) != 1 || math.Abs(checks[0].Value-100.0/3) > 1e-12 || checks[0].Limit != 1 ||
		checks[0].Failure() == "" {
		t.Errorf("%+v", checks)
	}
	if row := rowOf("rule", 1, []total{{us: 2, bestUS: 1, onceUS: 1}}); row.Stated != nil ||
		row.Checks() != nil {
		t.Errorf("%+v", row)
	}
}

func asked(t *testing.T, part recordings.Part, every int) []question {
	t.Helper()
	list, err := questions(h200.Archive, part, every)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestReplayedModel: the first rule's losses are those of tuner.Choose, worked
// out apart from the replay.
func TestReplayedModel(t *testing.T) {
	list := asked(t, recordings.HeldOut, 20)
	rows, err := Replay(t.Context(), list, Options{Launches: []int{3}})
	if err != nil {
		t.Fatal(err)
	}
	var ratios []float64
	for _, q := range list {
		d, err := tuner.Choose(q.Stats, q.Device, tuner.Options{Call: q.Call, Calls: recorded.Again,
			Only: recorded.OnDevice()})
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
	want := model.LossOf(ratios)
	if math.Abs(rows[0].GeometricMean-want.GeometricMean) > 1e-12 ||
		math.Abs(rows[0].Max-want.Max) > 1e-12 {
		t.Errorf("%+v, want %+v", rows[0].Loss, want)
	}
}

// TestReplayRepeats: equal seeds give equal rows, and another seed others.
func TestReplayRepeats(t *testing.T) {
	list := asked(t, recordings.Fit, 100)
	var all [3][]OnlineRow
	for i := range all {
		o := Options{Launches: []int{5, 200}, Seed: 3 + uint64(i/2)}
		var err error
		if all[i], err = Replay(t.Context(), list, o); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(all[0], all[1]) || reflect.DeepEqual(all[0], all[2]) {
		t.Error("rows do not depend on the seed alone")
	}
}

// TestLaunchTime: half of the launches lie on either side of the median, and
// none outside of the recorded extremes.
func TestLaunchTime(t *testing.T) {
	drawn := 0
	for _, one := range asked(t, recordings.Fit, 18) {
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

// TestNotRecorded: an implementation without recordings is left out of the choices.
func TestNotRecorded(t *testing.T) {
	list := asked(t, recordings.HeldOut, 100)
	first := list[0]
	d, err := tuner.Choose(first.Stats, first.Device, tuner.Options{Call: first.Call,
		Only: recorded.OnDevice()})
	if err != nil {
		t.Fatal(err)
	}
	without, had := d.Choice.Implementation, 0
	for i, q := range list {
		us := maps.Clone(q.US)
		delete(us, without)
		list[i].Question = &recorded.Question{Asked: q.Asked, Label: q.Label, US: us}
		if at := slices.Index(q.arms, without); at >= 0 {
			had++
			list[i].arms = slices.Delete(slices.Clone(q.arms), at, at+1)
			list[i].times = slices.Delete(slices.Clone(q.times), at, at+1)
		}
	}
	rows, err := Replay(t.Context(), list, Options{Launches: []int{3}})
	if err != nil || had == 0 || rows[0].Questions != len(list) {
		t.Errorf("%d of %d questions had %s: %v", had, len(list), without, err)
	}
}

func TestReplayErrors(t *testing.T) {
	list, launches := asked(t, recordings.HeldOut, 100), []int{10}
	_, err := Replay(t.Context(), list, Options{Launches: launches, Tuner: online.Options{Noise: -1}})
	if !errors.Is(err, model.ErrOptions) {
		t.Errorf("bad options: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Replay(ctx, list, Options{Launches: launches}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
