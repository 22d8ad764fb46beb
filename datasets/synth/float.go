package synth

import "math"

// The functions of this file stand in for those of package math, whose last
// bits differ between platforms. They use additions, products, quotients and
// exact scaling only; each product that meets a sum is converted explicitly,
// which forbids fusing the two. Their relative error is a few 1e-16.

const (
	ln2High = 6.93147180369123816490e-01 // ln 2 to 32 bits: products with small integers are exact
	ln2Low  = 1.90821492927058770002e-10
)

// logarithm returns ln x for positive, finite x, by
//
//	x = 2^e m,  f = (m-1)/(m+1),  ln x = e ln 2 + 2 (f + f³/3 + f⁵/5 + ...)
func logarithm(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = m+m, e-1
	}
	f := (m - 1) / (m + 1)
	square := float64(f * f)
	var series float64
	for odd := 23; odd >= 3; odd -= 2 {
		series = float64(series*square) + 1/float64(odd)
	}
	tail := float64(2*f) * float64(series*square)
	n := float64(e)
	return float64(n*ln2High) + (float64(n*ln2Low) + float64(tail) + float64(2*f))
}

// exponential returns e^x for x between -700 and 700, by
//
//	x = n ln 2 + r,  e^x = 2^n (1 + r + r²/2! + ...)
func exponential(x float64) float64 {
	n := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	r := (x - float64(n*ln2High)) - float64(n*ln2Low)
	series := 1.0
	for i := 14; i >= 1; i-- {
		series = 1 + float64(r*series)/float64(i)
	}
	return math.Ldexp(series, int(n))
}

// expm1Ratio returns (e^t - 1)/t, which is 1 at 0. Dividing by the logarithm of
// the rounded exponential cancels its rounding.
func expm1Ratio(t float64) float64 {
	u := exponential(t)
	if u == 1 {
		return 1
	}
	return (u - 1) / logarithm(u)
}

// log1pRatio returns ln(1+t)/t for t > -1, which is 1 at 0.
func log1pRatio(t float64) float64 {
	u := 1 + t
	if u == 1 {
		return 1
	}
	return logarithm(u) / (u - 1)
}
