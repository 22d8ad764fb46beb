package plot

import (
	"math"
	"strconv"
	"strings"
)

// linearLabel returns the writer of numbers on a linear axis whose largest
// value is most: plain decimals, or multiples of a power of a thousand for very
// large and very small values.
func linearLabel(most float64, decimals int) func(float64) string {
	if most >= 1e-3 && most < 1e6 {
		group := most >= 1e4
		return func(v float64) string { return decimal(v, max(decimals, 0), group) }
	}
	e := 3 * int(math.Floor(math.Log10(most)/3))
	return func(v float64) string {
		if v == 0 {
			return "0"
		}
		return decimal(times10(v, -e), max(decimals+e, 0), false) + "×10^" + strconv.Itoa(e)
	}
}

// log2Label writes powers of two: plain up to 65,536 and down to 1/64, beyond
// as 2^k.
func log2Label(first, last int) func(k int) string {
	if last > 16 || first < -6 {
		return func(k int) string { return "2^" + strconv.Itoa(k) }
	}
	group := last > 13
	return func(k int) string { return decimal(math.Ldexp(1, k), max(-k, 0), group) }
}

// log10Label writes m·10^e: plain from 0.001 to 10,000, beyond as a power.
func log10Label(first, last int) func(m, e int) string {
	if last > 4 || first < -3 {
		return func(m, e int) string {
			if m == 1 {
				return "10^" + strconv.Itoa(e)
			}
			return strconv.Itoa(m) + "×10^" + strconv.Itoa(e)
		}
	}
	return func(m, e int) string { return decimal(times10(float64(m), e), max(-e, 0), last >= 4) }
}

// decimal writes a number with a real minus sign and, if asked, with commas
// between thousands.
func decimal(v float64, decimals int, group bool) string {
	digits := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, found := strings.Cut(digits, ".")
	if group {
		for i := len(whole) - 3; i > 0; i -= 3 {
			whole = whole[:i] + "," + whole[i:]
		}
	}
	if found {
		whole += "." + fraction
	}
	if v < 0 && strings.Trim(digits, "0.") != "" {
		return "−" + whole
	}
	return whole
}
