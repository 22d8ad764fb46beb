package choices

import (
	"context"
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/online"
	"github.com/atomtune/atomtune/tuner/calibration"
)

// TestLearningCurve: measured points never make choices or predicted times worse by more than
// noise, and the intervals hold their share. Ten points are of three streams alone, and can cost
// more. The closed forms leave them little to correct on this GPU. The whole fit half is all that "1,000" can mean.
func TestLearningCurve(t *testing.T) {
	golden.OnlyFull(t)
	curve := reported(t).Curve
	if len(curve) != 5 {
		t.Fatalf("%d points of the curve", len(curve))
	}
	for _, p := range curve {
		if p.Judged < 900 || p.Asked > 0 && p.Asked < 1000 && (p.Points < p.Asked ||
			p.Points > p.Asked+3) {
			t.Errorf("%d points asked, %d used, %d judged", p.Asked, p.Points, p.Judged)
		}
		noise := 1.005
		if p.Points < 20 {
			noise = 1.02
		}
		if p.Mean.GeometricMean > curve[0].Mean.GeometricMean*noise {
			t.Errorf("%d points: mean loss %v, %v without", p.Asked, p.Mean.GeometricMean,
				curve[0].Mean.GeometricMean)
		}
		if p.Points >= 20 && p.Mean.CoveredPercent < validate.NominalShare {
			t.Errorf("%d points: intervals hold %v %% of the choices' times", p.Asked, p.Mean.CoveredPercent)
		}
		f, w := p.Mean, p.Worst
		if f.GeometricMean > w.GeometricMean+1e-12 || f.P90 > w.P90+1e-12 || f.Max > w.Max+1e-12 ||
			f.CoveredPercent < w.CoveredPercent-1e-9 {
			t.Errorf("%d points: the mean %+v is worse than the worst %+v", p.Asked, f, w)
		}
	}
	if all := curve[4]; all.Points < 900 || all.Points > 1000 ||
		all.Mean.MedianErrorPercent > 1.05*curve[0].Mean.MedianErrorPercent {
		t.Errorf("all: %+v, none: %+v", all, curve[0])
	}
	if checks := curveChecks(curve); len(checks) != 5 || checks[0].Rows != curve[3].Judged ||
		checks[0].Value != curve[3].Mean.GeometricMean {
		t.Errorf("checks %+v", checks)
	}
}

// TestCurveDraw: draws are of whole streams, each once, and other seeds draw others.
func TestCurveDraw(t *testing.T) {
	c := &curve{}
	for i := range 50 {
		label := string(rune('A' + i))
		c.learn = append(c.learn, []calibration.Measured{{Label: label}, {Label: label}})
	}
	drawn := func(points int, seed uint64) (labels map[string]int, streams int, whole bool) {
		all, streams, whole := c.draw(points, seed)
		labels = map[string]int{}
		for _, p := range all {
			labels[p.Label]++
		}
		if len(labels) != streams || len(all) != 2*streams {
			t.Errorf("%d points of %d streams, %d labels", len(all), streams, len(labels))
		}
		return labels, streams, whole
	}
	a, streams, whole := drawn(15, 1)
	if streams != 8 || whole {
		t.Errorf("%d streams, all: %t", streams, whole)
	}
	if b, _, _ := drawn(15, 2); maps.Equal(a, b) {
		t.Error("two seeds draw the same")
	}
	if _, streams, whole := drawn(1000, 1); streams != 50 || !whole {
		t.Errorf("%d streams drawn of 50", streams)
	}
}

func TestCurvePoint(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := LearningCurve(ctx, h200.Archive, nil, []int{10}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	var p CurvePoint
	p.add(CurveFigures{1, 1, 1, 5, 90})
	p.add(CurveFigures{2, 3, 4, 1, 80})
	if p.Mean != (CurveFigures{3, 4, 5, 6, 170}) || p.Worst != (CurveFigures{2, 3, 4, 5, 80}) ||
		p.Draws != 2 {
		t.Errorf("%+v", p)
	}
}

// TestCurveHalves: the learning curve learns from streams of the half to fit alone and is judged
// on those of the other half, which the labels part.
func TestCurveHalves(t *testing.T) {
	c, err := newCurve(h200.Archive, nil)
	if err != nil {
		t.Fatal(err)
	}
	learned := map[string]bool{}
	for _, stream := range c.learn {
		for _, p := range stream {
			learned[p.Label] = true
			if recordings.Half(p.Label) != recordings.Fit {
				t.Errorf("%s, which is held out, is learned from", p.Label)
			}
		}
	}
	for _, q := range c.judge {
		if learned[q.Label] || recordings.Half(q.Label) != recordings.HeldOut {
			t.Errorf("%s judges, and is not held out", q.Label)
		}
	}
	if len(learned) < 100 || len(c.judge) < 400 {
		t.Errorf("%d streams are learned from, %d questions judge", len(learned), len(c.judge))
	}
}

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
