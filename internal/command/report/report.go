// Package report prints what commands find: numbers, tables and progress.
package report

import (
	"math"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/visible"
)

func Count[N int | uint64](n N) string { return visible.Count(uint64(n)) }

// Number prints about four significant digits, from 0.001 to a million without an exponent.
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

func BytesPerSecond(rate float64) string {
	units := []string{"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}
	i := 0
	for ; rate >= 1000 && i < len(units)-1; i++ {
		rate /= 1000
	}
	return strconv.FormatFloat(rate, 'f', 1, 64) + " " + units[i]
}

// Short prints three significant digits, and from 100 to a million whole numbers with commas.
func Short(x float64) string {
	if x < 99.95 || x >= 1e6 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return Count(uint64(math.Round(x)))
}

func Bytes(n float64) string { return strings.TrimSuffix(BytesPerSecond(n), "/s") }

func Counted[N int | uint64](n N, thing string) string { return visible.Counted(uint64(n), thing) }

func YesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
