package online

import (
	"math"
	"testing"
)

// waiting returns a record of arms that run, with count readings each.
func waiting(halves []float64, count int, noise float64, r rules) *record {
	k := newRecord(len(halves), noise)
	for i, half := range halves {
		k.forecasts[i] = forecast{0.1 * float64(i), half}
		k.Arms[i].Count, k.Arms[i].Warmed = count, count > 0
	}
	k.estimate(r)
	return k
}

// each is still with every n on its own, up to where no n counts any more.
func (k *record) each(i int, highest float64, r rules) (trials, prices float64) {
	threshold, half, sigma := math.Log1p(r.margin)/2, k.forecasts[i].half, k.Sigma
	for n := k.Arms[i].Count; ; n++ {
		if w := r.halfWidth(n, len(k.Arms), half, sigma); w > threshold {
			trials += highest * (math.Exp(3*w) - math.Exp(-w))
			prices += highest * math.Expm1(3*w)
		} else if r.dataWidth(n, len(k.Arms), sigma) <= threshold {
			return trials, prices
		}
	}
}

// TestBlocksBound: the sum over blocks is no less than that over every n, and
// hardly more, also where the half-width rises before it falls.
func TestBlocksBound(t *testing.T) {
	for _, o := range []Options{
		{Epsilon: 0.05, Noise: 0.1}, {Epsilon: 0.02, Noise: 0.3},
		{Epsilon: 0.2, Noise: 2, Confidence: 0.5}, {Epsilon: 1, Noise: 0.01},
	} {
		o, r := testRules(t, o)
		for _, count := range []int{r.first(3), 7, 300} {
			k := waiting([]float64{0.02, 0.3, 1.5}, count, o.Noise, r)
			for i := range k.Arms {
				trials, prices, _ := k.still(i, 0.5, 1, r)
				wantTrials, wantPrices := k.each(i, 1, r)
				for name, got := range map[string][2]float64{"trials": {trials, wantTrials},
					"prices": {prices, wantPrices}} {
					if !(got[0] >= got[1]*(1-1e-9) && got[0] <= 1.1*got[1]+1e-12) {
						t.Errorf("Epsilon %v, noise %v, half %v, %d readings: %s %v, want %v and little more",
							o.Epsilon, o.Noise, k.forecasts[i].half, count, name, got[0], got[1])
					}
				}
			}
		}
	}
}

// TestBlocksAreFew: what Learnt sums up while others wait is short, whatever the
// options and however much is known, also with the most noise that a state holds.
func TestBlocksAreFew(t *testing.T) {
	longest := 0
	for _, noise := range []float64{leastNoise, 1, mostNoise} {
		o, r := testRules(t, Options{Epsilon: 1e-4, Confidence: 1 - 1e-9})
		for _, count := range []int{0, 1, 1000, mostCount} {
			k := waiting([]float64{0.02, 0.3, 1.5}, count, noise, r)
			for i := range k.Arms {
				_, _, blocks := k.still(i, 0.5, 1, r)
				if longest = max(longest, blocks); blocks > 2000 {
					t.Errorf("noise %v, %d readings: %d blocks", noise, count, blocks)
				}
			}
			if b := k.bound(o, r); !(b.ToComeUS >= 0) || math.IsInf(b.ToComeUS, 0) {
				t.Errorf("noise %v, %d readings: %+v", noise, count, b)
			}
		}
	}
	if longest < 500 {
		t.Errorf("no more than %d blocks: nothing was tried that takes many", longest)
	}
}

// TestRestartKeeps: after a change of one implementation's times, what was learnt
// of those that cannot run just now is still what is expected of them, and so it
// is right after a state was read.
func TestRestartKeeps(t *testing.T) {
	_, r := testRules(t, Options{})
	learn := func() *record {
		k := newRecord(3, 0.05)
		for i := range k.Arms {
			k.forecasts[i] = forecast{1, 0.5}
		}
		k.estimate(r)
		for i := range k.Arms {
			for range 20 {
				k.observe(i, 0.3, math.Exp(1.3), r)
			}
		}
		return k
	}
	for name, prepare := range map[string]func(k *record){
		"all can run":    func(*record) {},
		"one cannot run": func(k *record) { k.forecasts[2] = forecast{ln: math.Inf(1)}; k.estimate(r) },
		"no launch since a state was read": func(k *record) {
			clear(k.forecasts)
			k.known = false
		},
	} {
		k := learn()
		prepare(k)
		for k.Restarts == 0 && k.Launches < 200 {
			k.observe(0, 1, math.Exp(2), r)
		}
		if k.Restarts != 1 {
			t.Fatalf("%s: %d restarts", name, k.Restarts)
		}
		for i, want := range []float64{1, 0.3, 0.3} {
			if a := &k.Arms[i]; math.Abs(a.Center-want) > 0.01 || a.Half != 0.5 || i > 0 && a.Count != 0 {
				t.Errorf("%s: implementation %d expects %v within %v of %d readings, want %v within 0.5", name,
					i, a.Center, a.Half, a.Count, want)
			}
		}
	}
}
