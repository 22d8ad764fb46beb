// Package chart draws small pictures as SVG that is in a page: lines, areas and bars over two
// axes, and rows of bars. Texts do not overlap: there are as many ticks as fit. Colours are the
// page's, by classes. Each picture has a title and a description for those who do not see it.
package chart

import (
	"math"
	"slices"
)

// Scale maps values to a place from 0 to 1.
type Scale interface {
	Place(value float64) float64
	// Ticks returns at most so many round values of the scale, ascending, two at least where it can.
	Ticks(most int) []float64
}

// Linear is the scale from Low to High, which is greater.
type Linear struct{ Low, High float64 }

func (s Linear) Place(v float64) float64 { return (v - s.Low) / (s.High - s.Low) }

// Ticks returns multiples of 1, 2 or 5 times a power of 10.
func (s Linear) Ticks(most int) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((s.High-s.Low)/float64(max(most, 1)))))
	for _, by := range []float64{1, 2, 5, 10} {
		if list := multiples(s.Low, s.High, step*by); len(list) <= most {
			return list
		}
	}
	return multiples(s.Low, s.High, 20*step)
}

func multiples(low, high, step float64) (list []float64) {
	const slack = 1e-9
	for i := math.Ceil(low/step - slack); i*step <= high+slack*step; i++ {
		list = append(list, i*step+0) // no negative 0
	}
	return list
}

// Log is the logarithmic scale from Low, above 0, to High, which is greater.
type Log struct{ Low, High float64 }

func (s Log) Place(v float64) float64 { return math.Log(v/s.Low) / math.Log(s.High/s.Low) }

// Ticks returns 1, 2 and 5 times powers of 10, or powers alone, or each so many of them.
func (s Log) Ticks(most int) []float64 {
	for _, factors := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if list := s.decades(factors, 1); len(list) <= most && len(list) > 1 {
			return list
		}
	}
	for step := 1; ; step++ {
		if list := s.decades([]float64{1}, step); len(list) <= max(most, 1) {
			return list
		}
	}
}

func (s Log) decades(factors []float64, step int) (list []float64) {
	const slack = 1e-9
	for e := int(math.Floor(math.Log10(s.Low))); math.Pow10(e) <= s.High*(1+slack); e++ {
		if e%step != 0 {
			continue
		}
		for _, f := range factors {
			if v := f * math.Pow10(e); v >= s.Low*(1-slack) && v <= s.High*(1+slack) {
				list = append(list, v)
			}
		}
	}
	return list
}

// Shares is the scale from -1 to 1, linear between -Least and Least and logarithmic beyond.
type Shares struct{ Least float64 }

func (s Shares) Place(v float64) float64 {
	decades := 1 - math.Log10(s.Least)
	size := math.Abs(v) / s.Least
	if size > 1 {
		size = 1 + math.Log10(size)
	}
	return 0.5 + math.Copysign(size/decades/2, v)
}

// Ticks returns 0 and powers of 10 on both sides, the largest where not all fit.
func (s Shares) Ticks(most int) []float64 {
	list := []float64{0}
	for v := 1.0; v > s.Least/2 && len(list)+2 <= most; v /= 10 {
		list = append(list, v, -v)
	}
	slices.Sort(list)
	return list
}
