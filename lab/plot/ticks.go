package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// ticks are an axis's marks; those without a label are minor. Powers tells
// that the labels write exponents as "10^6", to be raised in the drawing.
type ticks struct {
	marks  []plot.Tick
	powers bool
}

func categories(names []string) ticks {
	t := ticks{}
	for i, n := range names {
		t.marks = append(t.marks, plot.Tick{Value: float64(i), Label: n})
	}
	return t
}

func yTicks(s span, log bool, d design) ticks {
	if log {
		return log10Ticks(s, d.data.Y, 2*d.theme.tick.Font.Size)
	}
	return linearTicks(s, int(d.data.Y/(2.3*d.theme.tick.Font.Size)))
}

// linearTicks returns at most n ticks (but at least 2 where the range has
// them) at multiples of 1, 2, 2.5 or 5 times a power of ten.
func linearTicks(s span, n int) ticks {
	mantissa, exponent := step(s, max(n, 2))
	size := times10(mantissa, exponent)
	decimals := -exponent
	if mantissa == 2.5 {
		decimals++
	}
	first, last := math.Ceil(s.lo/size-1e-9), math.Floor(s.hi/size+1e-9)
	label := linearLabel(math.Max(math.Abs(s.lo), math.Abs(s.hi)), decimals)
	t := ticks{}
	for i := first; i <= last; i++ {
		v := times10(i*mantissa, exponent)
		text := label(v)
		t.powers = t.powers || strings.Contains(text, "^")
		t.marks = append(t.marks, plot.Tick{Value: v, Label: text})
	}
	return t
}

// step returns the smallest of 1, 2, 2.5 and 5 times a power of ten of which
// the span holds at most n multiples.
func step(s span, n int) (mantissa float64, exponent int) {
	for e := int(math.Floor(math.Log10((s.hi-s.lo)/float64(n)))) - 1; ; e++ {
		for _, m := range []float64{1, 2, 2.5, 5} {
			size := times10(m, e)
			if math.Floor(s.hi/size+1e-9)-math.Ceil(s.lo/size-1e-9)+1 <= float64(n) {
				return m, e
			}
		}
	}
}

// times10 is m·10^e, rounded once for the exponents that decimals have.
func times10(m float64, e int) float64 {
	if e < 0 {
		return m / math.Pow10(-e)
	}
	return m * math.Pow10(e)
}

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
