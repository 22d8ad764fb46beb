package tuner_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// TestBounds recomputes ties, loss bound and what would settle a choice from
// the ranking.
func TestBounds(t *testing.T) {
	_, model := tunertest.Trained()
	tied, doubtful, sure := 0, 0, 0
	for _, name := range []string{"h200", "gtx580"} {
		d := tunertest.Profile(t, name)
		o := tuner.Options{}
		if name == "h200" {
			o.Model = model
		}
		for _, s := range tunertest.Streams(t) {
			got, err := tuner.Choose(s, d, o)
			if err != nil {
				t.Fatal(err)
			}
			checkTies(t, got)
			checkBound(t, got)
			if len(got.Ties) > 0 {
				tied++
			}
			if len(got.ToTime) > 0 {
				doubtful++
			} else {
				sure++
			}
			if (got.HeldOut == nil) != (o.Model == nil) {
				t.Errorf("%s: held-out loss %v", name, got.HeldOut)
			}
		}
	}
	if tied < 5 || doubtful < 5 || sure < 5 {
		t.Errorf("%d ties, %d large bounds and %d small ones: want some of each", tied, doubtful, sure)
	}
}

func checkTies(t *testing.T, d tuner.Decision) {
	t.Helper()
	want := []variant.Variant{}
	for _, r := range d.Ranking[1:] {
		if r.PredictedUS <= 1.03*d.Choice.PredictedUS {
			want = append(want, r.Implementation)
		}
	}
	if !slices.Equal(d.Ties, want) || d.Ties == nil {
		t.Errorf("ties %v, want %v", d.Ties, want)
	}
	if says := strings.Contains(d.Reason, "It is a tie: "); says != (len(want) > 0) {
		t.Errorf("%d ties, reason %q", len(want), d.Reason)
	}
	for i, v := range want {
		if (i < 4 || len(want) == 5) && !strings.Contains(d.Reason, v.String()) {
			t.Errorf("reason does not name %s: %q", v, d.Reason)
		}
	}
}

func checkBound(t *testing.T, d tuner.Decision) {
	t.Helper()
	bound := 1.0
	for _, r := range d.Ranking[1:] {
		bound = max(bound, d.Choice.HighUS/r.LowUS)
	}
	if d.Choice.LossBound != bound {
		t.Errorf("loss bound %v, want %v", d.Choice.LossBound, bound)
	}
	if large := bound >= tuner.LargeBound; large != (len(d.ToTime) >= 2) ||
		large != strings.Contains(d.Reason, "would settle") {
		t.Errorf("loss bound %v, to time %v, reason %q", bound, d.ToTime, d.Reason)
	}
	if len(d.ToTime) == 0 {
		return
	}
	if d.ToTime[0] != d.Choice.Implementation || len(d.ToTime) > 3 {
		t.Errorf("to time %v, choice %s", d.ToTime, d.Choice.Implementation)
	}
	// Without those that are timed, no other implementation gives a larger bound.
	least, left := math.Inf(1), math.Inf(1)
	for _, r := range d.Ranking[1:] {
		if slices.Contains(d.ToTime, r.Implementation) {
			least = min(least, r.LowUS)
		} else {
			left = min(left, r.LowUS)
		}
	}
	if least > left {
		t.Errorf("to time %v, of which the lowest end is %v us, another's %v us", d.ToTime, least, left)
	}
}

// unsure is the trained model with times of private copies that may be eight
// times as long.
func unsure() *model.Model {
	_, model := tunertest.Trained()
	m := *model
	m.Implementations = slices.Clone(model.Implementations)
	for i := range m.Implementations {
		if c := &m.Implementations[i]; c.Name.Base == variant.Private {
			c.High = math.Log(8) / max(c.FamilyOut.RMSE, 1e-3)
		}
	}
	return &m
}

// TestCautious: no other implementation's interval ends lower, and what is
// chosen is sometimes not the fastest as predicted.
func TestCautious(t *testing.T) {
	d, model, other := tunertest.Profile(t, "h200"), unsure(), 0
	for _, s := range tunertest.Streams(t) {
		bold, err := tuner.Choose(s, d, tuner.Options{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		careful, err := tuner.Choose(s, d, tuner.Options{Model: model, Cautious: true})
		if err != nil {
			t.Fatal(err)
		}
		if careful.Choice.HighUS > bold.Choice.HighUS {
			t.Errorf("%s ends at %v us, %s at %v us", careful.Choice.Implementation, careful.Choice.HighUS,
				bold.Choice.Implementation, bold.Choice.HighUS)
		}
		if !slices.IsSortedFunc(careful.Ranking, func(a, b tuner.Ranked) int {
			switch {
			case a.HighUS < b.HighUS:
				return -1
			case a.HighUS > b.HighUS:
				return 1
			}
			return 0
		}) {
			t.Errorf("ranking %+v is not in the order of upper ends", careful.Ranking)
		}
		if careful.Choice.Implementation != bold.Choice.Implementation {
			other++
		}
	}
	if other == 0 {
		t.Error("caution never changed a choice")
	}
}
