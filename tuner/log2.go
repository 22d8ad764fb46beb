package tuner

import "math"

// log2 returns the logarithm to the base 2 of a positive, finite number, exact
// at powers of two and interpolated linearly between them: for x = m·2^e with
// 1 <= m < 2
//
//	log2(x) = e + m - 1,
//
// at most 0.087 below the true one. Trees ask of a feature only that it grows
// with the quantity; in return the value is the same on every platform and
// costs three instructions.
func log2(x float64) float64 {
	const mantissa, bias = 52, 1023
	return float64(int64(math.Float64bits(x))-bias<<mantissa) * (1.0 / (1 << mantissa))
}

// exp2 is the inverse of log2 up to rounding.
func exp2(v float64) float64 {
	e := math.Floor(v)
	return math.Ldexp(1+(v-e), int(e))
}
