package latency

import "math"

// poisson returns the probabilities that a Poisson variable of the mean is 0,
// 1, ... lanes: weights that do not overflow, see doc/latency.md.
func poisson(mean float64, lanes int) []float64 {
	s := make([]float64, lanes+1)
	s[0] = math.Exp(-mean)
	for m := range lanes {
		s[m+1] = s[m] * mean / float64(m+1)
	}
	return s
}

// grid is a polynomial in x and y, cut off behind a power of x. Row m holds
// the powers of y beside x^m, as many as there are. A grid's y counts what the
// lanes on a bank make it serve, of which m lanes make at most m.
type grid [][]float64

// inX is a polynomial in x alone, of so many rows.
func inX(coefficients []float64, rows int) grid {
	out := make(grid, rows)
	for m := range out {
		out[m] = make([]float64, 1)
		if m < len(coefficients) {
			out[m][0] = coefficients[m]
		}
	}
	return out
}

// times is the product of two grids with equally many rows.
func (g grid) times(h grid) grid {
	out := make(grid, len(g))
	for m := range out {
		wide := 0
		for i := range m + 1 {
			wide = max(wide, len(g[i])+len(h[m-i])-1)
		}
		out[m] = make([]float64, wide)
		for i := range m + 1 {
			multiplyInto(out[m], g[i], h[m-i])
		}
	}
	return out
}

func multiplyInto(out, a, b []float64) {
	for i, x := range a {
		if x == 0 {
			continue
		}
		for j, y := range b {
			out[i+j] += x * y
		}
	}
}

// power is the n-th power, by squaring.
func (g grid) power(n int) grid {
	out := inX([]float64{1}, len(g))
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = out.times(g)
		}
		if n > 1 {
			g = g.times(g)
		}
	}
	return out
}

// upTo sums the powers of y up to y^d: what serves at most d.
func (g grid) upTo(d int) grid {
	out := inX(nil, len(g))
	for m, row := range g {
		for _, c := range row[:min(d+1, len(row))] {
			out[m][0] += c
		}
	}
	return out
}
