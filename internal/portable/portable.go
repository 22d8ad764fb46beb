// Package portable has functions of package math whose results have the same bits on every processor.
// Those of package math differ in the last bit: some are assembly on one processor and Go on another,
// and on ARM the compiler joins a product and a sum into one instruction that rounds once.
//
// Here, and in all of the product, the product is rounded before it is added, which a conversion
// to float64 asks of the compiler; where one rounding is wanted, math.FMA says so. The results are
// those of package math on x86 processors that have a fused multiply-add.
//
// The algorithms, with their coefficients, are those of Go's package math, whose notices are: Exp,
// Naoki Shibata's SLEEF, in the public domain; the others, FreeBSD's msun, Copyright (C) 1993 by Sun
// Microsystems, Inc. All rights reserved. Developed at SunPro, a Sun Microsystems, Inc. business.
// Permission to use, copy, modify, and distribute this software is freely granted, provided that this
// notice is preserved. Copyright 2009-2010 The Go Authors, under a BSD-style license.
package portable

import "math"

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// polynomial returns c[0] + z·(c[1] + z·(c[2] + ...)).
func polynomial(z float64, c []float64) float64 {
	sum := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		sum = c[i] + float64(z*sum)
	}
	return sum
}

// Exp returns e**x.
func Exp(x float64) float64 {
	const (
		ln2Upper = 0.69314718055966295651160180568695068359375
		ln2Lower = 0.28235290563031577122588448175013436025525412068e-12
	)
	switch {
	case x != x || x > 7.09782712893384e+02:
		return x + math.Inf(1)
	case x < -800:
		return 0
	}
	k := math.RoundToEven(x * math.Log2E)
	x = math.FMA(-k, ln2Upper, x)
	x = math.FMA(-k, ln2Lower, x)
	x *= 0.0625
	t := math.FMA(x, 2.4801587301587301587e-5, 1.9841269841269841270e-4)
	t = math.FMA(x, t, 1.3888888888888888889e-3)
	t = math.FMA(x, t, 8.3333333333333333333e-3)
	t = math.FMA(x, t, 4.1666666666666666667e-2)
	t = math.FMA(x, t, 1.6666666666666666667e-1)
	t = math.FMA(x, t, 0.5)
	t = math.FMA(x, t, 1)
	x = float64(x * t)
	for range 3 {
		x = float64(x * (x + 2))
	}
	x = math.FMA(x+2, x, 1)
	switch n := int(k) + 1023; {
	case n >= 0x7ff:
		return math.Inf(1)
	case n > 0:
		return x * math.Float64frombits(uint64(n)<<52)
	case n >= -52: // two steps, of which the first is exact
		return x * math.Float64frombits(uint64(n+1022)<<52) * 0x1p-1022
	}
	return 0
}

// Exp2 returns 2**x.
func Exp2(x float64) float64 {
	switch {
	case x != x || x > 1.0239999999999999e+03:
		return x + math.Inf(1)
	case x < -1.0740e+03:
		return 0
	}
	k := math.Trunc(x + math.Copysign(0.5, x))
	t := x - k
	hi, lo := float64(t*ln2Hi), float64(-t*ln2Lo)
	r := hi - lo
	t = float64(r * r)
	c := r - float64(t*polynomial(t, expTerms[:]))
	return math.Ldexp(1-((lo-float64(r*c)/(2-c))-hi), int(k))
}

var expTerms = [...]float64{1.66666666666666657415e-01, -2.77777777770155933842e-03,
	6.61375632143793436117e-05, -1.65339022054652515390e-06, 4.13813679705723846039e-08}

// Log returns the natural logarithm of x.
func Log(x float64) float64 {
	if !(x > 0 && x <= math.MaxFloat64) {
		return math.Log(x) // of no number, or none that is finite
	}
	f, exponent := math.Frexp(x)
	k := float64(exponent)
	if f <= math.Sqrt2/2 {
		k--
		f *= 2
	}
	f--
	s := f / (2 + f)
	s2 := s * s
	s4 := s2 * s2
	t1 := 2.857142874366239149e-01 + float64(s4*(1.818357216161805012e-01+float64(s4*1.479819860511658591e-01)))
	t1 = float64(s2 * (6.666666666666735130e-01 + float64(s4*t1)))
	t2 := float64(s4 * (3.999999999940941908e-01 +
		float64(s4*(2.222219843214978396e-01+float64(s4*1.531383769920937332e-01)))))
	half := float64(0.5 * f * f)
	return float64(k*ln2Hi) - ((half - (float64(s*(half+(t1+t2))) + float64(k*ln2Lo))) - f)
}

// Log2 returns the logarithm of x to base 2, exact for powers of 2.
func Log2(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 {
		return float64(exponent - 1)
	}
	return float64(Log(fraction)*(1/math.Ln2)) + float64(exponent)
}

// Log10 returns the logarithm of x to base 10.
func Log10(x float64) float64 { return float64(Log(x) * (1 / math.Ln10)) }

// Pow returns x**y.
func Pow(x, y float64) float64 {
	whole, part := math.Modf(math.Abs(y))
	if part == 0 || y == 0.5 || y == -0.5 || !(x > 0 && x <= math.MaxFloat64) || x == 1 || whole >= 1<<53 {
		return math.Pow(x, y) // products, roots and special cases
	}
	if part > 0.5 {
		part--
		whole++
	}
	product, exponent := Exp(part*Log(x)), 0
	square, e := math.Frexp(x)
	for i := int64(whole); i != 0; i >>= 1 {
		if e < -1<<12 || 1<<12 < e { // beyond all numbers
			exponent += e
			break
		}
		if i&1 == 1 {
			product *= square
			exponent += e
		}
		square = float64(square * square)
		e <<= 1
		if square < 0.5 {
			square += square
			e--
		}
	}
	if y < 0 {
		product, exponent = 1/product, -exponent
	}
	return math.Ldexp(product, exponent)
}

// Hypot returns the square root of p·p + q·q.
func Hypot(p, q float64) float64 {
	p, q = math.Abs(p), math.Abs(q)
	high, low := max(p, q), min(p, q)
	if math.IsInf(p, 0) || math.IsInf(q, 0) || high == 0 {
		return math.Hypot(p, q)
	}
	ratio := low / high
	return high * math.Sqrt(1+float64(ratio*ratio))
}
