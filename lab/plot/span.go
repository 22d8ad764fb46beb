package plot

import (
	"math"
	"slices"
)

// span is a range of values, lo <= hi unless it is empty.
type span struct{ lo, hi float64 }

func emptySpan() span { return span{math.Inf(1), math.Inf(-1)} }

// cover widens the span to the values.
func (s *span) cover(values ...float64) {
	for _, v := range values {
		s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
	}
}

func (s *span) coverLines(lines []Line) {
	for _, l := range lines {
		s.cover(slices.Concat(l.Y, l.Low, l.High)...)
	}
}

// narrow reports whether the values are too near to each other for an axis.
func (s span) narrow() bool {
	return s.hi-s.lo <= math.Max(1e-9*math.Max(math.Abs(s.lo), math.Abs(s.hi)), 1/mostValue)
}

// pad adds a share of its length at both ends, and gives one value a length.
func (s span) pad(log bool, share float64) span {
	by := share * (s.hi - s.lo)
	switch {
	case log && s.narrow():
		return span{s.lo / 2, s.hi * 2}
	case log:
		by = math.Pow(s.hi/s.lo, share)
		return span{s.lo / by, s.hi * by}
	case s.narrow() && math.Abs(s.lo) <= 10/mostValue:
		return span{-1, 1}
	case s.narrow():
		by = math.Abs(s.lo) / 2
	}
	return span{s.lo - by, s.hi + by}
}

// padTop adds a share of its length at the upper end only, for a span that
// holds zero.
func (s span) padTop(share float64) span {
	if s.narrow() {
		return span{s.lo, s.lo + 1}
	}
	s.hi += share * (s.hi - s.lo)
	return s
}
