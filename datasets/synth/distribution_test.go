package synth_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"gonum.org/v1/gonum/stat/distuv"
)

// fits fails where a chi-squared test gives the counts a chance below one in a
// million under the expected frequencies. The seeds are fixed, so that a test
// that passes once passes always.
func fits(t *testing.T, name string, counts, expected []float64) {
	t.Helper()
	var chi float64
	cells := 0
	for i, e := range expected {
		if e < 5 {
			t.Fatalf("%s: cell %d expects only %v", name, i, e)
		}
		chi += (counts[i] - e) * (counts[i] - e) / e
		cells++
	}
	if p := (distuv.ChiSquared{K: float64(cells - 1)}).Survival(chi); p < 1e-6 {
		t.Errorf("%s: chi-squared %v over %d cells, p = %v", name, chi, cells, p)
	}
}

func histogram(stream []uint32, k int) []float64 {
	h := make([]float64, k)
	for _, v := range stream {
		h[v]++
	}
	return h
}

func level(cells int, each float64) []float64 {
	e := make([]float64, cells)
	for i := range e {
		e[i] = each
	}
	return e
}

func TestUniformFamiliesAreUniform(t *testing.T) {
	for _, spec := range []string{"uniform:n=100000,k=100,seed=4", "permuted:n=100000,k=100,seed=4",
		"hotspot:n=100000,k=100,seed=4,p=0.01,h=1,shuffle=1"} {
		fits(t, spec, histogram(mustGenerate(t, spec), 100), level(100, 1000))
	}
}

// The frequencies of all ranks but the last, rare ones, which share a cell.
func TestZipfFollowsItsLaw(t *testing.T) {
	const n = 200000
	for _, k := range []int{1, 2, 3, 50, 5000} {
		for _, s := range []float64{0, 0.3, 0.999999, 1, 1.000001, 1.7, 3} {
			spec := fmt.Sprintf("zipf:n=%d,k=%d,s=%v,seed=8", n, k, s)
			counts, expected := histogram(mustGenerate(t, spec), k), make([]float64, k)
			var norm float64
			for i := range expected {
				expected[i] = math.Pow(float64(i+1), -s)
				norm += expected[i]
			}
			for i := range expected {
				expected[i] *= n / norm
			}
			for last := len(expected) - 1; last > 0 &&
				min(expected[last], expected[last-1]) < 20; last-- {
				expected[last-1] += expected[last]
				counts[last-1] += counts[last]
				expected, counts = expected[:last], counts[:last]
			}
			if len(expected) == 1 {
				if counts[0] != n {
					t.Errorf("%s: %v updates", spec, counts[0])
				}
				continue
			}
			fits(t, spec, counts, expected)
		}
	}
}

// Beyond any table: the mean logarithm of the rank under k = 2^32-1 and s = 1
// is close to that of a log-uniform variable, half of ln k.
func TestZipfReachesTheLargestK(t *testing.T) {
	stream := mustGenerate(t, "zipf:n=200000,k=4294967295,s=1,seed=3")
	var sum float64
	for _, v := range stream {
		sum += math.Log(float64(v) + 1)
	}
	// Sum of ln(i)/i over the sum of 1/i, by Euler-Maclaurin.
	l := math.Log(4294967295)
	want := (l*l/2 - 0.0728158454836767) / (l + 0.5772156649015329)
	if have := sum / 200000; math.Abs(have-want) > 0.08 {
		t.Errorf("mean logarithm of the rank %v, want %v", have, want)
	}
	if slices.Max(stream) < 1<<31 {
		t.Errorf("largest target %d", slices.Max(stream))
	}
}

func TestHotspotShare(t *testing.T) {
	h := histogram(mustGenerate(t, "hotspot:n=100000,k=1004,h=4,p=0.9,seed=2"), 1004)
	fits(t, "hot targets", h[:4], level(4, 22500))
	fits(t, "cold targets", h[4:], level(1000, 10))
}

func TestPermutedVisitsEachTargetOnce(t *testing.T) {
	for _, k := range []int{1, 2, 3, 4, 5, 63, 64, 65, 1000} {
		spec := fmt.Sprintf("permuted:n=%d,k=%d,seed=6", 3*k, k)
		stream := mustGenerate(t, spec)
		for pass := range 3 {
			for i, c := range histogram(stream[pass*k:(pass+1)*k], k) {
				if c != 1 {
					t.Errorf("%s: pass %d has target %d %v times", spec, pass, i, c)
				}
			}
		}
	}
}

func TestSortedIsTheUniformStreamInOrder(t *testing.T) {
	for _, k := range []string{"10", "100000", "4294967295"} {
		have := mustGenerate(t, "sorted:n=10000,seed=5,k="+k)
		want := mustGenerate(t, "uniform:n=10000,seed=5,k="+k)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("k=%s: sorted is not uniform in order", k)
		}
	}
}

func TestProgressions(t *testing.T) {
	for spec, want := range map[string][]uint32{
		"sequential:n=5,k=3":                             {0, 1, 2, 0, 1},
		"stride:n=5,k=7,step=3":                          {0, 3, 6, 2, 5},
		"constant:n=3,k=9,at=8":                          {8, 8, 8},
		"stride:n=3,k=4294967295,step=4e9":               {0, 4000000000, 3705032705},
		"cells:n=5,k=8,ppc=2,shift=0":                    {0, 0, 1, 1, 2},
		"cells:n=4,k=8,ppc=2,shift=1":                    {7, 7, 0, 0},
		"runs:n=3,k=1,len=2,fixed=1":                     {0, 0, 0},
		"mixture:n=4,k=1,of=uniform+runs":                {0, 0, 0, 0},
		"mixture:n=4,k=9,of=constant:at=3+constant:at=3": {3, 3, 3, 3},
	} {
		if have := mustGenerate(t, spec); !slices.Equal(have, want) {
			t.Errorf("%s: %v, want %v", spec, have, want)
		}
	}
}

func TestRandBelowIsUnbiasedAndFloatInRange(t *testing.T) {
	r := synth.NewRand(7)
	counts := make([]float64, 6)
	high := make([]float64, 3)
	for range 60000 {
		counts[r.Below(6)]++
		high[r.Below(3<<62)>>62]++ // biased by a third without rejection
		if f := r.Float64(); f < 0 || f >= 1 {
			t.Fatalf("Float64 gives %v", f)
		}
	}
	fits(t, "Below(6)", counts, level(6, 10000))
	fits(t, "Below(3·2^62)", high, level(3, 20000))
}
