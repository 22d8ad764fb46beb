package kernels

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// handmade are recordings of two streams, of 256 and of 300 targets, on which
// five implementations were measured and simulated.
func handmade(t *testing.T) (recordedKernels, map[recorded.CallKey]float64) {
	t.Helper()
	gpu, err := device.Builtin("h200")
	if err != nil {
		t.Fatal(err)
	}
	g := recordedKernels{gpu: gpu, streams: map[string]collision.Stats{}}
	simulated := map[recorded.CallKey]float64{}
	for _, s := range []struct {
		label string
		bins  uint64
	}{{"a", 256}, {"b", 300}} {
		stats, err := collision.Analyze([]uint32{0, 1, 2, 3}, collision.Options{Bins: s.bins})
		if err != nil {
			t.Fatal(err)
		}
		g.streams[s.label] = stats
		for i, name := range []string{"naive", "match", "private", "private:r=32,pad=1", "sort", "vr:t=8",
			"ss"} {
			v, err := impl.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			k := recorded.CallKey{Label: s.label, Call: device.Call{Type: device.U32}, Implementation: v}
			c := plannedCall{k, 4, s.bins, []float64{80, 40, 20, 10, 160, 0, 1}[i]}
			g.calls = append(g.calls, c)
			simulated[k] = []float64{60, 30, 20, 15, 120, 45, 1}[i]
		}
	}
	return g, simulated
}

// TestRivalLosses compares losses with those computed by hand; ss, whose host's
// share no recording holds, sets no best time.
func TestRivalLosses(t *testing.T) {
	g, simulated := handmade(t)
	all, err := g.losses(kernelRules()[1:], KernelPlan{}, simulated)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]struct {
		measured, simulated float64
		unmeasured          int
	}{
		"ladder":       {1, 1, 0},
		"one private":  {4, math.Sqrt(20. / 15 * 4), 0}, // 20/10 on the one, 80/10 on the other
		"from 8 equal": {4.5, 3, 2},                     // 45 simulated over 10 measured
		"always match": {4, 2, 0},
		"always sort":  {16, 8, 0},
		"always naive": {8, 4, 0},
	}
	found := 0
	for _, l := range all {
		for name, w := range want {
			if !strings.Contains(l.Rule, name) {
				continue
			}
			found++
			if math.Abs(l.Measured.GeometricMean-w.measured) > 1e-9 ||
				math.Abs(l.Simulated.GeometricMean-w.simulated) > 1e-9 ||
				l.Unmeasured != w.unmeasured || l.Questions != 2 || l.Measured.Points != 2 {
				t.Errorf("%+v, want %+v", l, w)
			}
		}
	}
	if found != len(want) || len(all) != len(want) {
		t.Errorf("%d of %d rules, %d compared", len(all), len(want), found)
	}
}

// TestRivalCannotChoose: a rule that cannot choose is an error of its own, and no
// implementation.
func TestRivalCannotChoose(t *testing.T) {
	g, simulated := handmade(t)
	unable := kernelRule{"unable", func(recorded.Asked, []impl.Spec) (impl.Spec, error) {
		return impl.Spec{}, errPlanted
	}}
	_, err := g.losses([]kernelRule{unable}, KernelPlan{}, simulated)
	if !errors.Is(err, errPlanted) {
		t.Errorf("error %v, want that of the choice", err)
	}
}

// TestRivalsOnWholeQuestions: a stream of which a call was not simulated is left
// out, and a plan that leaves out calls has no losses.
func TestRivalsOnWholeQuestions(t *testing.T) {
	g, simulated := handmade(t)
	delete(simulated, g.calls[1].CallKey)
	all, err := g.losses(kernelRules()[1:], KernelPlan{}, simulated)
	if err != nil || len(all) == 0 || all[0].Questions != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if all, err = g.losses(kernelRules()[1:], KernelPlan{Every: 3}, simulated); err != nil ||
		len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if list := g.planned(KernelPlan{Streams: 1}); len(list) != 7 || list[0].Label != "a" {
		t.Errorf("planned: %v", list)
	}
	if list := g.planned(KernelPlan{Every: 4}); len(list) != 4 || list[3].Label != "b" {
		t.Errorf("planned: %v", list)
	}
}

// TestKernelFigure draws the handmade calls, a panel for each class.
func TestKernelFigure(t *testing.T) {
	g, simulated := handmade(t)
	r := KernelReport{points: g.points(g.calls, simulated)}
	page := r.Figure()
	if _, err := page.SVG(); err != nil || len(r.points) != 12 || len(page.Panels) != 3 {
		t.Errorf("%d points, want those of the measured calls, in %d panels, %v", len(r.points), len(page.Panels), err)
	}
	if n := len(thinned(make([]float64, 3*mostDots+1))); n != mostDots {
		t.Errorf("%d dots of a long series", n)
	}
}
