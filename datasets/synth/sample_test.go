package synth_test

import (
	"errors"
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
