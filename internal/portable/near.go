package portable

import "math"

// Log1p returns Log(1 + x), which is precise near 0.
func Log1p(x float64) float64 {
	if !(x > -1 && x <= math.MaxFloat64) || math.Abs(x) < 0x1p-54 {
		return math.Log1p(x) // of no number, none that is finite, or x itself
	}
	if math.Abs(x) < 0x1p-29 {
		return x - float64(x*x*0.5)
	}
	f, k, c, fraction := x, 0, 0.0, uint64(1)
	if x <= math.Sqrt2/2-1 || x >= math.Sqrt2-1 {
		f, k, c, fraction = parted(x)
	}
	half := float64(0.5 * f * f)
	n := float64(k)
	if fraction == 0 { // |f| < 2**-20
		if f == 0 {
			return float64(n*ln2Hi) + (c + float64(n*ln2Lo))
		}
		r := float64(half * (1 - float64(0.66666666666666666*f)))
		if k == 0 {
			return f - r
		}
		return float64(n*ln2Hi) - ((r - (float64(n*ln2Lo) + c)) - f)
	}
	s := f / (2 + f)
	z := s * s
	r := float64(z * polynomial(z, logTerms[:]))
	if k == 0 {
		return f - (half - float64(s*(half+r)))
	}
	return float64(n*ln2Hi) - ((half - (float64(s*(half+r)) + (float64(n*ln2Lo) + c))) - f)
}

var logTerms = [...]float64{6.666666666666735130e-01, 3.999999999940941908e-01,
	2.857142874366239149e-01, 2.222219843214978396e-01, 1.818357216161805012e-01,
	1.531383769920937332e-01, 1.479819860511658591e-01}

// parted returns 1 + x as 2**k·(1 + f), with c/2**k what f lacks, and the bits of the fraction.
func parted(x float64) (f float64, k int, c float64, fraction uint64) {
	u := x
	if math.Abs(x) < 1<<53 {
		u = 1 + x
	}
	k = int(math.Float64bits(u)>>52) - 1023
	if math.Abs(x) < 1<<53 {
		if c = x - (u - 1); k > 0 {
			c = 1 - (u - x)
		}
		c /= u
	}
	fraction = math.Float64bits(u) & (1<<52 - 1)
	if fraction < 0x0006a09e667f3bcd { // below the root of 2
		return math.Float64frombits(fraction|0x3ff<<52) - 1, k, c, fraction
	}
	return math.Float64frombits(fraction|0x3fe<<52) - 1, k + 1, c, (1<<52 - fraction) >> 2
}

// Expm1 returns Exp(x) - 1, which is precise near 0.
func Expm1(x float64) float64 {
	size := math.Abs(x)
	if x != x || size >= 3.88162421113569373274e+01 && (x < 0 || x >= 7.09782712893383973096e+02) ||
		size < 0x1p-54 {
		return math.Expm1(x) // special cases, -1 and x itself
	}
	c, k := 0.0, 0
	if size > 3.46573590279972654709e-01 { // ln2/2
		sign := math.Copysign(1, x)
		k = int(sign)
		if size >= 1.03972077083991796413e+00 { // 3/2·ln2
			k = int(float64(1.44269504088896338700e+00*x) + float64(0.5*sign))
		}
		t := float64(k)
		hi, lo := x-float64(t*ln2Hi), float64(t*ln2Lo)
		x = hi - lo
		c = (hi - x) - lo
	}
	half := 0.5 * x
	square := float64(x * half)
	r := polynomial(square, expm1Terms[:])
	t := 3 - float64(r*half)
	e := float64(square * ((r - t) / (6 - float64(x*t))))
	if k == 0 {
		return x - (float64(x*e) - square)
	}
	e = (float64(x*(e-c)) - c) - square
	scaled := func(y float64) float64 { return math.Float64frombits(math.Float64bits(y) + uint64(k)<<52) }
	switch {
	case k == -1:
		return float64(0.5*(x-e)) - 0.5
	case k == 1 && x < -0.25:
		return -2 * (e - (x + 0.5))
	case k == 1:
		return 1 + float64(2*(x-e))
	case k <= -2 || k > 56:
		return scaled(1-(e-x)) - 1
	case k < 20:
		return scaled(math.Float64frombits(0x3ff<<52-(0x20000000000000>>uint(k))) - (e - x))
	}
	return scaled(x - (e + math.Float64frombits(uint64(0x3ff-k)<<52)) + 1)
}

var expm1Terms = [...]float64{1, -3.33333333333331316428e-02, 1.58730158725481460165e-03,
	-7.93650757867487942473e-05, 4.00821782732936239552e-06, -2.01099218183624371326e-07}
