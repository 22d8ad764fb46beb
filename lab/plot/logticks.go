package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// log2Ticks returns ticks at powers of two, with labels at as many as the
// length has room for.
func log2Ticks(s span, length vg.Length, style text.Style) ticks {
	first, last := int(math.Ceil(math.Log2(s.lo))), int(math.Floor(math.Log2(s.hi)))
	powers := last > 16 || first < -6 // otherwise plain: 65,536, 1/64 as a decimal
	label := func(k int) string {
		if powers {
			return "2^" + strconv.Itoa(k)
		}
		return decimal(math.Ldexp(1, k), max(-k, 0), last > 13)
	}
	widest := vg.Length(0)
	for k := first; k <= last; k++ {
		widest = max(widest, style.Width(label(k)))
	}
	between := length / vg.Length(math.Log2(s.hi/s.lo))
	stride := 1
	for vg.Length(stride)*between < widest+0.8*style.Font.Size {
		stride++
	}
	t := ticks{powers: powers}
	for k := first; k <= last; k++ {
		mark := plot.Tick{Value: math.Ldexp(1, k)}
		if k%stride == 0 || (stride > last-first && k == first) {
			mark.Label = label(k)
		} else if between < leastTickGap {
			continue
		}
		t.marks = append(t.marks, mark)
	}
	return t
}

// leastTickGap keeps marks without a label from running together.
const leastTickGap vg.Length = 3

// mantissas are the digits that a logarithmic axis may label within a decade,
// densest first.
var mantissas = [][]int{{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 5, 7}, {1, 2, 5}, {1}}

// log10Ticks returns ticks at powers of ten and, where there is room, at their
// multiples. Labels are at least the space apart. Where the span holds fewer
// than two of them, it has the ticks of a linear axis.
func log10Ticks(s span, length, space vg.Length) ticks {
	first, last := int(math.Floor(math.Log10(s.lo))), int(math.Floor(math.Log10(s.hi)))
	decade := length / vg.Length(math.Log10(s.hi/s.lo))
	stride := int(math.Ceil(float64(space / decade)))
	digits := labelled(decade, space, math.Log10(s.hi/s.lo))
	label := log10Label(first, last)
	t, labels := ticks{}, 0
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			mark := plot.Tick{Value: times10(float64(m), e)}
			switch {
			case mark.Value < s.lo || mark.Value > s.hi:
				continue
			case slices.Contains(digits, m) && e%stride == 0:
				mark.Label = label(m, e)
				t.powers = t.powers || strings.Contains(mark.Label, "^")
				labels++
			case decade < leastTickGap || (m > 1 && decade < 1.5*space):
				continue
			}
			t.marks = append(t.marks, mark)
		}
	}
	if labels < 2 {
		return linearTicks(s, int(length/space))
	}
	return t
}

// labelled returns the digits whose labels are at least the space apart; only
// axes of less than two decades label more than the powers.
func labelled(decade, space vg.Length, decades float64) []int {
	for _, digits := range mantissas {
		least := math.Log10(10 / float64(digits[len(digits)-1]))
		for i := 1; i < len(digits); i++ {
			least = math.Min(least, math.Log10(float64(digits[i])/float64(digits[i-1])))
		}
		if decades < 2 && vg.Length(least)*decade >= space {
			return digits
		}
	}
	return []int{1}
}
