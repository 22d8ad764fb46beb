package choices

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate/online"
)

// TestReplayOnline holds online.Online on recorded calls to what it is for: short
// runs cost hardly more than the model's choice, long ones come close to the best,
// and it is ahead of each rule without predictions after any number of launches.
func TestReplayOnline(t *testing.T) {
	golden.OnlyFull(t)
	rows := reported(t).Online
	own, onlineName := map[int]online.OnlineRow{}, rows[3].Rule
	for _, r := range rows[3:6] {
		own[r.Launches] = r
	}
	if len(own) != 3 || own[1000].Stated == nil {
		t.Fatalf("the second rule is %q", onlineName)
	}
	for _, r := range rows {
		if r.Questions < 200 || r.Points != r.Questions || !(r.GeometricMean >= 1) ||
			math.IsInf(r.Max, 0) {
			t.Errorf("%+v", r)
		}
		if r.Rule != rows[0].Rule && r.Rule != onlineName &&
			!(r.GeometricMean > own[r.Launches].GeometricMean) {
			t.Errorf("%s is ahead after %d launches: %.4f, Online %.4f", r.Rule, r.Launches, r.GeometricMean,
				own[r.Launches].GeometricMean)
		}
	}
	for n, r := range own {
		s := r.Stated
		if s == nil || s.Epsilon != 0.05 || s.Confidence != 0.99 ||
			!(s.LostLaunches > 0 && s.MostLostLaunches >= s.LostLaunches) || s.Beyond > r.Questions/100 {
			t.Errorf("%d launches: %+v", n, s)
		}
	}
	model := rows[0].Loss
	if math.Abs(rows[1].GeometricMean-model.GeometricMean) > 1e-9 ||
		math.Abs(rows[2].GeometricMean-model.GeometricMean) > 1e-9 {
		t.Errorf("the loss of a fixed choice depends on the number of launches: %+v", rows[:3])
	}
	if excess := own[10].GeometricMean - model.GeometricMean; !(excess < 0.02) {
		t.Errorf("10 launches: Online loses %.4f more than the model's choice", excess)
	}
	if loss := own[1000].GeometricMean; !(loss < 1.03 && loss < model.GeometricMean) {
		t.Errorf("1,000 launches: Online loses %.4f, the model's choice %.4f", loss, model.GeometricMean)
	}
}
