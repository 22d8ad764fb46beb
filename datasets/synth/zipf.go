package synth

import "math"

// zipf draws ranks 1 to k with probability proportional to rank^-s, exactly,
// in constant time and space, by rejection-inversion [hormann96]: invert the
// integral H of the envelope x^-s and reject the excess.
type zipf struct {
	s, k        float64
	top, bottom float64 // H(1.5) - 1 and H(k + 0.5)
	sure        float64 // distance within which no test is needed
}

func newZipf(s float64, k uint32) *zipf {
	z := &zipf{s: s, k: float64(k)}
	z.top = z.integral(1.5) - 1
	z.bottom = z.integral(z.k + 0.5)
	z.sure = 2 - z.inverse(z.integral(2.5)-z.height(2))
	return z
}

// integral is H(x) = (x^(1-s) - 1) / (1-s), or ln x at s = 1.
func (z *zipf) integral(x float64) float64 {
	l := logarithm(x)
	return expm1Ratio(float64((1-z.s)*l)) * l
}

// inverse is the inverse of integral.
func (z *zipf) inverse(y float64) float64 {
	t := float64(y * (1 - z.s))
	if t <= -1 { // rounding at the far end, where the integral is bounded
		return z.k
	}
	return exponential(float64(log1pRatio(t) * y))
}

// height is x^-s.
func (z *zipf) height(x float64) float64 {
	return exponential(float64(-z.s * logarithm(x)))
}

// rank returns a rank from 0 to k-1.
func (z *zipf) rank(r *Rand) uint32 {
	for {
		u := z.bottom + float64(r.Float64()*(z.top-z.bottom))
		x := z.inverse(u)
		n := max(1, min(math.Floor(x+0.5), z.k))
		if n-x <= z.sure || u >= z.integral(n+0.5)-z.height(n) {
			return uint32(n) - 1
		}
	}
}
