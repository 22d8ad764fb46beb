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
