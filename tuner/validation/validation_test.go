package validation_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/tuner/validation"
)

// invented returns points on all streams, whose times are the closed forms' times factor.
func invented(t *testing.T, factor func(v impl.Spec, s *collision.Stats) float64) []validation.Measured {
	t.Helper()
	d := tunertest.Profile(t, "h200")
	var points []validation.Measured
	prices := model.NewPredictors(d.Ranked(), d, nil)
	for i, s := range tunertest.Streams(t) {
		p := validation.Measured{Label: string(rune('A' + i)), Stats: *s, Call: tunertest.Calls()[i%12],
			US: map[impl.Spec]float64{}}
		if err := prices.Predict(s, p.Call); err != nil {
			t.Fatal(err)
		}
		for _, v := range d.Ranked() {
			if of, err := prices.Of(v); err == nil {
				p.US[v] = of.Closed * factor(v, s)
			}
		}
		points = append(points, p)
	}
	return points
}

// residuals draws a factor for each call, of a spread of its own for each class.
func residuals() func(impl.Spec, *collision.Stats) float64 {
	r := rand.New(rand.NewPCG(1, 2))
	return func(v impl.Spec, _ *collision.Stats) float64 {
		return math.Exp([3]float64{0.3, 0.05, 0.1}[v.Class()]*r.NormFloat64() + [3]float64{0.5, 0, -0.5}[v.Class()])
	}
}

// TestIntervals: the interval of a class holds nine of ten of its residuals, and the order of the points
// changes nothing.
func TestIntervals(t *testing.T) {
	d, points := tunertest.Profile(t, "h200"), invented(t, residuals())
	before := slices.Clone(points)
	m, err := validation.Judge(d, nil, points)
	tunertest.Must(t, err)
	if i := m.Intervals; i.Points != len(points) || i.Streams != len(points) || i.Share != 1 || i.Tree != i.ClosedForm {
		t.Errorf("%+v", i)
	}
	prices := model.NewPredictors(d.Ranked(), d, nil)
	var within, below, all [3]float64
	for i := range points {
		tunertest.Must(t, prices.Predict(&points[i].Stats, points[i].Call))
		for v, us := range points[i].US {
			of, err := prices.Of(v)
			tunertest.Must(t, err)
			low, high := m.Intervals.Of(v)
			all[v.Class()]++
			if us < of.Closed*low {
				below[v.Class()]++
			} else if us <= of.Closed*high {
				within[v.Class()]++
			}
		}
	}
	for class, n := range all {
		if n < 40 || n != float64(m.Intervals.Classes[class].Calls) || math.Abs(within[class]/n-0.9) > 0.03 ||
			math.Abs(below[class]/n-0.05) > 0.03 {
			t.Errorf("class %d: %v of %v calls within, %v below %+v", class, within[class], n, below[class],
				m.Intervals.Classes[class])
		}
	}
	slices.Reverse(points)
	other, err := validation.Judge(d, nil, points)
	tunertest.Must(t, err)
	if !bytes.Equal(tunertest.MustEncode(t, m), tunertest.MustEncode(t, other)) {
		t.Error("the same points in another order give another model")
	}
	if points[0].Label != before[len(before)-1].Label {
		t.Error("Calibrate reordered its points")
	}
	if _, err := model.Decode(tunertest.MustEncode(t, m)); err != nil {
		t.Errorf("the model cannot be read: %v", err)
	}
}

// TestShare: a tree is believed where calls are as it says, and not in full where its choices lose.
func TestShare(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, trained := tunertest.Trained()
	plain := func(impl.Spec, *collision.Stats) float64 { return 1 }
	// The tree has learnt that private copies take longer where few lanes of a warp meet.
	asLearnt := func(v impl.Spec, s *collision.Stats) float64 {
		return tunertest.TrueFactor(v, s, device.Call{})
	}
	right, err := validation.Judge(d, trained, invented(t, asLearnt))
	tunertest.Must(t, err)
	if i := right.Intervals; i.Share != 1 || i.Tree.GeometricMean >= i.ClosedForm.GeometricMean {
		t.Errorf("of calls that are as the tree says: %+v", i)
	}
	wrong, err := validation.Judge(d, trained, invented(t, plain))
	tunertest.Must(t, err)
	i := wrong.Intervals
	if i.Share >= 1 || !i.Tree.Keeps(i.ClosedForm) {
		t.Errorf("of calls that are as the closed forms say: %+v", i)
	}
	for l, leaf := range wrong.Tree.Leaves {
		for f, v := range leaf.Corrections {
			if want := i.Share * float64(trained.Tree.Leaves[l].Corrections[f]); math.Abs(float64(v)-want) > 0.5 {
				t.Errorf("leaf %d, form %d: %d, want %v", l, f, v, want)
			}
		}
	}
}

// TestCalibrateErrors: an error names the point that is at fault.
func TestCalibrateErrors(t *testing.T) {
	d, good := tunertest.Profile(t, "h200"), invented(t, residuals())[:3]
	_, trained := tunertest.Trained()
	first := func(change func(p *validation.Measured)) []validation.Measured {
		list := slices.Clone(good)
		list[0].US = map[impl.Spec]float64{{}: 5}
		change(&list[0])
		return list
	}
	time := func(us float64) []validation.Measured {
		return first(func(p *validation.Measured) { p.US[impl.Spec{}] = us })
	}
	for name, points := range map[string][]validation.Measured{
		"twice":      append(slices.Clone(good), good[0]),
		"no time":    first(func(p *validation.Measured) { p.US = nil }),
		"zero":       time(0),
		"NaN":        time(math.NaN()),
		"infinite":   time(math.Inf(1)),
		"far off":    time(1e300),
		"call":       first(func(p *validation.Measured) { p.Call.Op = 99 }),
		"operation":  first(func(p *validation.Measured) { p.Call = device.Call{Type: device.F32, Op: device.Mul} }),
		"statistics": first(func(p *validation.Measured) { p.Stats.WarpSize = 64 }),
	} {
		_, err := validation.Judge(d, nil, points)
		if !errors.Is(err, model.ErrRows) || !strings.Contains(err.Error(), good[0].Label+",") {
			t.Errorf("%s: error %v", name, err)
		}
		var of *validation.StreamError
		if errors.As(err, &of) != (name == "statistics") {
			t.Errorf("%s: error %v of a stream", name, err)
		}
	}
	if _, err := validation.Judge(d, nil, nil); !errors.Is(err, model.ErrRows) {
		t.Errorf("no points: %v", err)
	}
	if _, err := validation.Judge(tunertest.Profile(t, "h100"), trained, good); !errors.Is(err, model.ErrModel) {
		t.Errorf("a tree of another device: %v", err)
	}
}
