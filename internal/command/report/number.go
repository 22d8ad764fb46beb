// Package report prints what commands find: numbers, tables and progress.
package report

import (
	"math"
	"strconv"
)

// Count prints a whole number with a comma between thousands.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Number prints a quantity with about four significant digits, without an
// exponent between 0.001 and a million.
func Number(x float64) string {
	size := math.Abs(x)
	switch {
	case x == math.Trunc(x) && size < 1e6:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case size < 1e-3 || size >= 1e6:
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(size)))
	return strconv.FormatFloat(x, 'f', max(0, digits), 64)
}

// BytesPerSecond prints a rate in decimal units.
func BytesPerSecond(rate float64) string {
	units := []string{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}
	i := 0
	for ; rate >= 1000 && i < len(units)-1; i++ {
		rate /= 1000
	}
	return strconv.FormatFloat(rate, 'f', 1, 64) + " " + units[i]
}

// Counted is a number of things, whose plural ends in s.
func Counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Count(uint64(n)) + " " + thing
}
