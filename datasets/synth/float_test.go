package synth

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(t *rapid.T, name string, x, have, want float64) {
	if math.Abs(have-want) > 1e-15*math.Max(math.Abs(want), 1e-300)*4 {
		t.Fatalf("%s(%v) = %v, want %v", name, x, have, want)
	}
}

// Package math is the oracle: its last bits differ between platforms, its
// first fifteen digits do not.
func TestFunctionsAgreeWithMath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-690, 690).Draw(t, "x")
		near(t, "exponential", x, exponential(x), math.Exp(x))
		y := rapid.Float64Range(1e-300, 1e300).Draw(t, "y")
		near(t, "logarithm", y, logarithm(y), math.Log(y))
		y = rapid.Float64Range(0.5, 2).Draw(t, "near 1")
		near(t, "logarithm", y, logarithm(y), math.Log(y))
		z := rapid.Float64Range(-0.99, 50).Draw(t, "z")
		if z != 0 {
			near(t, "expm1Ratio", z, expm1Ratio(z), math.Expm1(z)/z)
			near(t, "log1pRatio", z, log1pRatio(z), math.Log1p(z)/z)
		}
	})
	if logarithm(1) != 0 || exponential(0) != 1 || expm1Ratio(0) != 1 || log1pRatio(0) != 1 {
		t.Error("exact values are not exact")
	}
}

func TestCubeRoot(t *testing.T) {
	checked := 0
	for root := uint64(1); root <= 1625; root++ {
		if cubeRoot(root*root*root) != root || cubeRoot(root*root*root-1) != root-1 {
			t.Errorf("cube root around %d³ is wrong", root)
		}
		checked++
	}
	if got := cubeRoot(1<<32 - 1); got != 1625 || checked != 1625 {
		t.Errorf("cube root of 2^32-1 is %d, want 1625", got)
	}
}

// TestQuickRanks: quickly leads to the ranks to which inverse leads, without doubt in most draws.
func TestQuickRanks(t *testing.T) {
	for _, s := range []float64{0, 0.2, 0.8, 0.999999, 1, 1.000001, 1.5, 3, 8} {
		for _, k := range []uint32{1, 2, 50, 4096, 1 << 24, 1<<32 - 1} {
			z, r := newZipf(s, k), NewRand(uint64(k))
			const draws = 4000
			decided := 0
			for range draws {
				y := z.bottom + float64(r.Float64()*(z.top-z.bottom))
				n, sure := z.quickly(y)
				if !sure {
					continue
				}
				decided++
				if exact, accepted := z.exactly(y); n != exact || !accepted {
					t.Fatalf("s=%v, k=%d: %v leads to %d, want %d, accepted: %v", s, k, y, n, exact, accepted)
				}
			}
			if decided < draws*3/5 {
				t.Errorf("s=%v, k=%d: %d of %d draws are without doubt", s, k, decided, draws)
			}
		}
	}
}

// TestQuickRanksDoubt: a draw that leads between two ranks is in doubt.
func TestQuickRanksDoubt(t *testing.T) {
	for _, s := range []float64{0.2, 0.8, 1, 1.5, 3} {
		z := newZipf(s, 1000)
		for n := 1.0; n < 50; n++ {
			if _, sure := z.quickly(z.integral(n + 0.5)); sure {
				t.Errorf("s=%v: no doubt between ranks %v and %v", s, n, n+1)
			}
		}
	}
}
