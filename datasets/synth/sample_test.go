package synth_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/must"
)

func TestSampleChecksRanges(t *testing.T) {
	for _, c := range []struct {
		ranges synth.Ranges
		want   error
	}{
		{synth.Ranges{}, synth.ErrRanges}, {synth.Ranges{NMin: 2, NMax: 1, KMax: 1}, synth.ErrRanges},
		{synth.Ranges{NMin: 1, NMax: 1}, synth.ErrRanges},
		{synth.Ranges{NMin: 1, NMax: 1, KMax: 1, Families: []string{}}, synth.ErrRanges},
		{synth.Ranges{NMin: 1, NMax: 1, KMax: 1, Families: []string{"none"}}, synth.ErrFamily},
	} {
		_, stream := synth.Sample(synth.NewRand(1), c.ranges)
		_, sweep := synth.SampleSweep(synth.NewRand(1), c.ranges)
		if !errors.Is(stream, c.want) || !errors.Is(sweep, c.want) {
			t.Errorf("%+v: %v, %v, want %v", c.ranges, stream, sweep, c.want)
		}
	}
}

func TestSampleCoversTheSpaceLogUniformly(t *testing.T) {
	r := synth.NewRand(5)
	const draws = 14000
	families := map[string]int{}
	var n, k [4]int // quarters of the range in powers of 16
	for range draws {
		s := must.Get(synth.Sample(r, synth.Ranges{NMin: 16, NMax: 1<<20 - 1, KMax: 1<<16 - 1}))(t)
		families[s.Family]++
		n[bucket(uint64(s.N)/16)]++
		k[bucket(uint64(s.K))]++
	}
	for _, f := range synth.Families() {
		if c := families[f.Name]; c < 850 || c > 1150 {
			t.Errorf("%s is drawn %d times of %d, want about 1000", f.Name, c, draws)
		}
	}
	for i := range n {
		if n[i] < 3200 || n[i] > 3800 || k[i] < 3200 || k[i] > 3800 {
			t.Errorf("quarter %d of the logarithm: n %d times, k %d, want about 3500", i, n[i],
				k[i])
		}
	}
}

// bucket returns the logarithm of v to base 16, rounded down.
func bucket(v uint64) int {
	b := 0
	for v >= 16 {
		v, b = v/16, b+1
	}
	return b
}

// TestSweeps draws sweeps of every family. All places are valid streams, the ends are
// the sweep's, and along it one quantity changes and no other, always in one direction.
func TestSweeps(t *testing.T) {
	axes := map[string]int{}
	for _, f := range synth.Families() {
		for seed := range uint64(40) {
			r := synth.NewRand(seed)
			l := must.Get(synth.SampleSweep(r, synth.Ranges{NMin: 100, NMax: 90000, KMax: 1 << 22,
				Families: []string{f.Name}}))(t)
			axes[l.Axis]++
			if from, to := at(t, l, 0), at(t, l, 1); from.String() != l.From.String() ||
				to.String() != l.To.String() {
				t.Errorf("%s: the sweep from %s to %s has the ends %s and %s", l.Axis, l.From, l.To,
					from, to)
			}
			checkSweep(t, l)
		}
	}
	for _, axis := range []string{"n", "k", "s", "p", "len", "w", "block", "stay", "ppc"} {
		if axes[axis] == 0 {
			t.Errorf("no sweep along %s", axis)
		}
	}
	if axes["shuffle"]+axes["fixed"]+axes["at"]+axes["seed"] > 0 {
		t.Errorf("sweeps along what is not a quantity: %v", axes)
	}
}

func checkSweep(t *testing.T, l synth.Sweep) {
	t.Helper()
	low, high := quantity(l.From, l.Axis), quantity(l.To, l.Axis)
	if l.Axis == "k" || l.Axis == "n" {
		if high < 16*low {
			t.Errorf("%s from %v to %v only", l.Axis, low, high)
		}
	}
	before := low
	for i := range 17 {
		s := at(t, l, float64(i)/16)
		now := quantity(s, l.Axis)
		if (now-before)*(high-low) < 0 {
			t.Errorf("%s goes from %v to %v on the way from %v to %v", l.Axis, before, now, low,
				high)
		}
		before = now
		rest, want := s, l.From
		rest.Params, want.Params = maps.Clone(s.Params), maps.Clone(l.From.Params)
		for _, spec := range []*synth.Spec{&rest, &want} {
			switch l.Axis {
			case "n":
				spec.N = 1
			case "k":
				spec.K = 1 << 22
			default:
				delete(spec.Params, l.Axis)
			}
		}
		if rest.String() != want.String() {
			t.Errorf("along %s, %s became %s", l.Axis, want, rest)
		}
	}
}

func at(t *testing.T, l synth.Sweep, place float64) synth.Spec {
	t.Helper()
	s := must.Get(l.At(place))(t)
	if _, err := s.Complete(); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return s
}

func quantity(s synth.Spec, axis string) float64 {
	switch axis {
	case "n":
		return float64(s.N)
	case "k":
		return float64(s.K)
	}
	return s.Params[axis]
}

func TestSweepRefuses(t *testing.T) {
	l := must.Get(synth.SampleSweep(synth.NewRand(1), synth.Ranges{NMin: 1, NMax: 1, KMax: 1}))(t)
	for _, place := range []float64{-0.1, 1.1} {
		if _, err := l.At(place); !errors.Is(err, synth.ErrRanges) {
			t.Errorf("place %v: error %v", place, err)
		}
	}
}
