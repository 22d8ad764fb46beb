package speedup

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// rank prices every candidate that the device can run by name, and names the best.
func rank(t *testing.T, s *collision.Stats, d *device.Profile, c device.Call) (best impl.Spec, us map[string]float64) {
	t.Helper()
	us = map[string]float64{"best": math.Inf(1)}
	for _, v := range impl.Candidates() {
		cost, err := Predict(v, s, d, c)
		switch {
		case err == nil:
			if us[v.String()] = cost.US; cost.US < us["best"] {
				best, us["best"] = v, cost.US
			}
		case !errors.Is(err, device.ErrCannot) && !errors.Is(err, ErrNotGrouped) && !errors.Is(err, ErrFrequent):
			t.Fatal(err)
		}
	}
	return best, us
}

// TestRanking: what wins on streams of a plain kind, and by how much.
func TestRanking(t *testing.T) {
	runs, grouped := uniform(1<<16, 1<<20, 1), make([]uint32, 1<<16)
	for i := range runs {
		runs[i] = runs[i/32*32]
		grouped[i] = uint32(i / 64)
	}
	sorted := measure(grouped, 1<<10, 32)
	sorted.Updates <<= 8
	sorted.Bins, sorted.Unique, sorted.Runs = sorted.Updates/64, sorted.Updates/64, sorted.Updates/64
	type ratio struct {
		slow, fast string
		least      float64
	}
	for _, c := range []struct {
		name   string
		s      collision.Stats
		call   device.Call
		wins   func(v impl.Spec) bool
		ratios []ratio
	}{
		{"one target", scale(measure(uniform(1<<12, 1, 1), 1, 32), 1<<12), device.Call{},
			func(v impl.Spec) bool { return v.Class() != impl.Naive },
			[]ratio{{"naive", "best", 100}, {"naive", "sr", 10}, {"naive", "vr", 10}, {"naive", "peers", 10},
				{"naive", "match", 10}, {"naive", "private", 10}, {"naive", "private+sr", 10}}},
		{"many targets", scale(measure(uniform(1<<18, 1<<22, 1), 1<<22, 32), 64), device.Call{},
			func(v impl.Spec) bool { return v == impl.Spec{} },
			[]ratio{{"sort", "naive", 1}, {"ss", "naive", 100}}},
		{"few targets", scale(measure(uniform(1<<16, 256, 1), 256, 32), 256), device.Call{Operand: device.One},
			func(v impl.Spec) bool { return v.Algorithm == impl.Private }, nil},
		{"runs", scale(measure(runs, 1<<20, 32), 256), device.Call{Type: device.F32},
			func(v impl.Spec) bool { return v.Reduces() },
			[]ratio{{"best", "sr", 0.9}, {"naive", "sr", 2}, {"naive", "vr", 1}}},
		{"grouped", sorted, device.Call{Type: device.F64},
			func(v impl.Spec) bool { return v.Reduces() },
			[]ratio{{"sort", "segreduce", 2}, {"naive", "segreduce", 1}}},
	} {
		best, us := rank(t, &c.s, builtin(t, "h200"), c.call)
		if !c.wins(best) {
			t.Errorf("%s: %s wins", c.name, best)
		}
		for _, r := range c.ratios {
			if !(us[r.slow] >= r.least*us[r.fast]) || us[r.fast] == 0 {
				t.Errorf("%s: %s takes %v us, %s %v us, want %v times as much", c.name, r.slow, us[r.slow], r.fast,
					us[r.fast], r.least)
			}
		}
	}
	// The threads in flight work on few neighbouring targets of a sorted stream, so fewer slices are busy
	// than under the same targets in runs at random.
	random := sorted
	random.Runs++
	near, _ := priced(t, "naive", &sorted, builtin(t, "h200"), device.Call{Type: device.F64})
	far, _ := priced(t, "naive", &random, builtin(t, "h200"), device.Call{Type: device.F64})
	if far.US > 0.9*near.US {
		t.Errorf("naive takes %v us on a sorted stream, %v us on runs at random", near.US, far.US)
	}
}

// TestMeasuredMatch: match on one target took 0.42 ms for u32 and 0.94 ms for f32.
func TestMeasuredMatch(t *testing.T) {
	s := scale(measure(uniform(1<<12, 1, 1), 1, 32), 1<<12)
	for typ, want := range map[device.Type]float64{device.U32: 420, device.F32: 940} {
		got, _ := priced(t, "match", &s, builtin(t, "h200"), device.Call{Type: typ})
		if ratio := got.US / want; ratio > 1.25 || ratio < 0.8 {
			t.Errorf("match %s: %.0f us, measured %.0f us", typ, got.US, want)
		}
	}
}
