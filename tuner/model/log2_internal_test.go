package model

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestLog2(t *testing.T) {
	for e := -40; e <= 60; e++ {
		if got := log2(math.Ldexp(1, e)); got != float64(e) {
			t.Errorf("log2(2^%d) = %v", e, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-18, 1e18).Draw(t, "x")
		y := rapid.Float64Range(x, 1e18).Draw(t, "y")
		if off := log2(x) - math.Log2(x); off > 1e-9 || off < -0.087 {
			t.Errorf("log2(%v) is off by %v", x, off)
		}
		if log2(y) < log2(x) {
			t.Errorf("log2(%v) < log2(%v)", y, x)
		}
		if back := Exp2(log2(x)); math.Abs(back-x) > 1e-9*x {
			t.Errorf("Exp2(log2(%v)) = %v", x, back)
		}
	})
}
