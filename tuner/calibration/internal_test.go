package calibration

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestJudgePoint: the choice is the first of the candidates that were measured and take least, unless it is not to
// be ranked before naive and is, and what it loses is against the best of all that were measured.
func TestJudgePoint(t *testing.T) {
	const us = 10.0
	for name, c := range map[string]struct {
		by           []float64 // of naive, and of others
		us           []float64 // measured; 0: it was not
		behind       int       // which is not to be ranked before naive
		ranked       int
		chosen, best float64
	}{
		"least":          {[]float64{9, 7, 8}, []float64{30, 20, 10}, -1, 3, 20, 10},
		"first of equal": {[]float64{9, 7, 7}, []float64{30, 20, 10}, -1, 3, 20, 10},
		"behind naive":   {[]float64{9, 7, 8}, []float64{30, 20, 10}, 1, 3, 10, 10},
		"behind as slow": {[]float64{9, 9, 8}, []float64{30, 20, 10}, 2, 3, 30, 10},
		"not measured":   {[]float64{9, 7, 8}, []float64{30, 0, 15}, -1, 3, 15, 15},
		"candidates":     {[]float64{9, 8, 7}, []float64{30, 20, 10}, -1, 2, 20, 20},
		"no candidate":   {[]float64{9, 8, 7}, []float64{0, 0, 10}, -1, 2, 10, 10},
	} {
		p := &measuredPoint{of: make([]timing, len(c.by))}
		predicted := make([]float64, len(c.by))
		for v := range c.by {
			predicted[v] = us
			p.of[v] = timing{base: us, us: c.us[v], off: portable.Log(c.us[v] / us), behind: v == c.behind}
			if c.us[v] == 0 {
				p.of[v].off = math.NaN()
			}
		}
		var j judged
		(&measured{ranked: c.ranked}).judgePoint(p, predicted, c.by, &j)
		if len(j.losses) != 1 || math.Abs(j.losses[0]-portable.Log(c.chosen/c.best)) > 1e-12 ||
			math.Abs(j.choices[0]-portable.Log(c.chosen/us)) > 1e-12 {
			t.Errorf("%s: lost %v, off %v, want %v of %v", name, j.losses, j.choices, c.chosen, c.best)
		}
	}
}

// TestShrunk holds the shrinkage against figures by hand.
func TestShrunk(t *testing.T) {
	g := newGroups(3, 2)
	for s, y := range []float64{1, 3} {
		g.add(0, s, y)
		g.add(1, s, -y)
	}
	// Means 2 and -2 of two streams each; σ² = (2+2)/2 = 2, τ² = 4 - 2/2 = 3.
	want := 2 * 2 / (2 + 2.0/3)
	got := g.shrunk()
	if math.Abs(got[0]-want) > 1e-12 || math.Abs(got[1]+want) > 1e-12 || got[2] != 0 {
		t.Errorf("%v, want %v, %v and 0", got, want, -want)
	}
	alone := newGroups(1, 1)
	alone.add(0, 0, 5)
	if got := alone.shrunk(); got[0] != 0 {
		t.Errorf("%v of a single stream, want 0", got)
	}
	even := newGroups(1, 2) // the mean 0.1 is less than its standard error
	even.add(0, 0, 1.1)
	even.add(0, 1, -0.9)
	if got := even.shrunk(); got[0] != 0 {
		t.Errorf("%v, want 0", got)
	}
}

// TestMeasuredChecks: a model that claims what no calibration gives is refused.
func TestMeasuredChecks(t *testing.T) {
	d, err := device.Builtin("h200")
	tunertest.Must(t, err)
	base := (*model.Model)(nil)
	table := &measured{streams: 1, hash: strings.Repeat("ab", 32)}
	table.variants, table.ranked = runnable(d, nil)
	table.points = []measuredPoint{{x: make([]float64, model.NumFeatures),
		of: unmeasured(len(table.variants))}}
	j := []judged{{losses: []float64{0}, choices: []float64{0}, all: []float64{0}}}
	offsets := growth{trees: 1, leaves: 1}
	good := func() *model.Model {
		m, err := extended(base, d, table)
		tunertest.Must(t, err)
		of := together(j).fidelity()
		correctBy(m, table, selection{before: of, outcome: outcomeOf(offsets, judgement{j, j}, of.Loss)})
		return m
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(m *model.Model){
		"points":     func(m *model.Model) { m.MeasuredPoints = 0 },
		"negative":   func(m *model.Model) { m.MeasuredPoints = -1 },
		"hash":       func(m *model.Model) { m.Calibration.Hash = "0" },
		"streams":    func(m *model.Model) { m.Calibration.Streams = 2 },
		"loss":       func(m *model.Model) { m.Calibration.After.Loss.P90 = 0.5 },
		"error":      func(m *model.Model) { m.Calibration.Before.MeanError = math.NaN() },
		"coverage":   func(m *model.Model) { m.Calibration.Coverage = 0.9 },
		"renewed":    func(m *model.Model) { m.Calibration.Renewed = true },
		"rms":        func(m *model.Model) { m.Calibration.Before.RMSE = -1 },
		"ranks":      func(m *model.Model) { m.Calibration.Ranks = false },
		"ranked":     func(m *model.Model) { m.Calibration.Ranked.Points++ },
		"forest":     func(m *model.Model) { m.Forest = nil },
		"no tree":    func(m *model.Model) { m.Forest.Trees = nil },
		"leaf":       func(m *model.Model) { m.Forest.Trees[0].Leaves[0] = []int32{0} },
		"correction": func(m *model.Model) { m.Forest.Trees[0].Leaves[0][2] = 51e4 },
		"node":       func(m *model.Model) { m.Forest.Trees[0].Features = []int{0, -1} },
		"behind":     func(m *model.Model) { m.Forest.Trees[0].Features = []int{-1, -1} },
		"feature":    func(m *model.Model) { m.Forest.Trees[0].Features = []int{99, -1, -1} },
		"threshold":  func(m *model.Model) { m.Forest.Trees[0].Thresholds = []float64{1} },
		"interval":   func(m *model.Model) { m.Calibration.Low = 1 },
		"rows":       func(m *model.Model) { m.Implementations[2].Rows = 1 },
		"sweep":      func(m *model.Model) { m.Sweep.Points = 3 },
	} {
		m := good()
		change(m)
		if m.Validate() == nil {
			data, _ := json.Marshal(m.Calibration)
			t.Errorf("%s: accepted: %s", name, data)
		}
	}
}

func unmeasured(n int) []timing {
	list := make([]timing, n)
	for i := range list {
		list[i].off = math.NaN()
	}
	return list
}

// TestWinsorize: a residual far from its implementation's median is drawn in to five standard
// deviations of it, as the median absolute deviation estimates them; the others stay.
func TestWinsorize(t *testing.T) {
	d, err := device.Builtin("h200")
	tunertest.Must(t, err)
	table := &measured{streams: 11}
	table.variants, table.ranked = runnable(d, nil)
	for s := range table.streams {
		p := measuredPoint{stream: s, of: unmeasured(len(table.variants))}
		p.of[0].off = 2 + 0.1*float64(s-5) // 1.5 to 2.5, median 2, deviations 0 to 0.5
		table.points = append(table.points, p)
	}
	table.points[10].of[0].off, table.points[0].of[0].off = 9, -3
	table.winsorize()
	for s, p := range table.points {
		want := 2 + 0.1*float64(s-5)
		switch far := 5 * 1.4826 * 0.3; s {
		case 0:
			want = 2 - far
		case 10:
			want = 2 + far
		}
		if math.Abs(p.of[0].off-want) > 1e-9 || !math.IsNaN(p.of[1].off) {
			t.Errorf("stream %d: %v, want %v", s, p.of[0].off, want)
		}
	}
}

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
