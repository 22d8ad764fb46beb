package plot

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
)

// ticks are an axis's marks; those without a label are minor. Powers tells
// that the labels write exponents as "10^6", to be raised in the drawing.
type ticks struct {
	marks  []plot.Tick
	powers bool
}

func named(given []Tick) ticks {
	t := ticks{}
	for _, g := range given {
		t.marks = append(t.marks, plot.Tick{Value: g.Value, Label: g.Label})
	}
	return t
}

func categories(names []string) ticks {
	t := ticks{}
	for i, n := range names {
		t.marks = append(t.marks, plot.Tick{Value: float64(i), Label: n})
	}
	return t
}

func yTicks(s span, k scale, d design) ticks {
	if k == logarithmic {
		return log10Ticks(s, d.data.height, 2*d.theme.tick.Font.Size)
	}
	return linearTicks(s, int(d.data.height/(2.3*d.theme.tick.Font.Size)))
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
