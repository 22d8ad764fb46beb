// Package regression fits linear models by weighted least squares of relative
// errors, robust against outliers.
package regression

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Model finds coefficients B that make Σ_j x_j·B[j] of row i close to Y[i] in relative terms.
type Model struct {
	Design
	Y       []float64
	Use     []bool // terms that take part
	B       []float64
	Weights []float64
}

// Design is how much rows have of each term. Rows that are equal are held once.
type Design struct {
	X  [][]float64 // terms of rows that differ
	Of []int32     // by row, which of X is its
}

// Each returns the design of rows of which each is held.
func Each(x [][]float64) Design {
	d := Design{X: x, Of: make([]int32, len(x))}
	for i := range d.Of {
		d.Of[i] = int32(i)
	}
	return d
}

// LeastScale is the relative error below which rows count as met exactly: what
// rounding in a table leaves.
const LeastScale = 2e-4

const iterations = 12 // how often the weights are found anew

// Solve finds the coefficients by iteratively reweighted least squares: first
// Huber's weights, whose loss is convex, and then Tukey's biweight, which
// gives outliers no weight at all. No term that takes part is determined by others.
func (r *Model) Solve() {
	r.Weights = slices.Repeat([]float64{1}, len(r.Y))
	system, scaled, sizes := r.System(), slices.Clone(r.Y), make([]float64, len(r.Y))
	for iteration := range iterations {
		r.B = system.Least(r.Weights, scaled)
		errs := system.Errors(r.B)
		scale := max(scaleOf(errs, sizes), LeastScale)
		weight := huber
		if iteration >= iterations/2 {
			weight = Biweight
		}
		for i, e := range errs {
			r.Weights[i] = weight(e / scale)
		}
		system.rescale(scaled)
	}
}

// DropNegative takes out the terms whose coefficients are below 0, the most negative
// one first, and solves anew after each.
func (r *Model) DropNegative(solve func()) {
	for {
		worst := floats.MinIdx(r.B)
		if !(r.B[worst] < 0) {
			return
		}
		r.Use[worst] = false
		solve()
	}
}

// Rescaled returns the measurements, or the predictions in place of those that lie near them, so that
// the noise of what rows are divided by does not bias the coefficients.
func (r *Model) Rescaled() []float64 {
	system, scaled := r.System(), slices.Clone(r.Y)
	system.Errors(r.B)
	system.rescale(scaled)
	return scaled
}

// Errors returns predicted/measured - 1 per row.
func (r *Model) Errors() []float64 { return r.System().Errors(r.B) }

func huber(u float64) float64 {
	if u = math.Abs(u); u > 1.345 {
		return 1.345 / u
	}
	return 1
}

// Biweight is Tukey's weight of an error in units of the scale.
func Biweight(u float64) float64 {
	u /= 4.685
	if u*u >= 1 {
		return 0
	}
	return (1 - u*u) * (1 - u*u)
}

// Terms lists the terms that take part.
func (r *Model) Terms() []int {
	var terms []int
	for j, use := range r.Use {
		if use {
			terms = append(terms, j)
		}
	}
	return terms
}

// product returns the sum of x[i]·y[i], as four sums of every fourth one, the rest with the first.
func product(x, y []float64) float64 {
	sums, fours := [4]float64{}, len(x)/4*4
	for i := range x {
		lane := i % 4
		if i >= fours {
			lane = 0
		}
		sums[lane] += x[i] * y[i]
	}
	return (sums[0] + sums[2]) + (sums[1] + sums[3])
}

// DropDependent takes out terms that are zero in every row, or that the terms
// before them determine; it returns the latter.
func (r *Model) DropDependent() []int {
	var dependent []int
	var basis [][]float64
	for _, j := range r.Terms() {
		if r.Use[j] = r.has(j); !r.Use[j] {
			continue
		}
		v := make([]float64, len(r.Y))
		for i, of := range r.Of {
			v[i] = r.X[of][j] / r.Y[i]
		}
		before := product(v, v)
		for range 2 {
			for _, q := range basis {
				along := product(v, q)
				for i := range v {
					v[i] -= along * q[i]
				}
			}
		}
		after := product(v, v)
		r.Use[j] = after >= 1e-12*before && before > 0
		if r.Use[j] {
			floats.Scale(1/math.Sqrt(after), v)
			basis = append(basis, v)
		} else if before > 0 {
			dependent = append(dependent, j)
		}
	}
	return dependent
}

// has reports whether any row has something of a term.
func (r *Model) has(j int) bool {
	return slices.ContainsFunc(r.X, func(row []float64) bool { return row[j] != 0 })
}

// MedianScale is the standard deviation of normal errors over their median absolute value.
const MedianScale = 1.4826

// ScaleOf is a robust standard deviation: MedianScale times the median absolute
// value, the lower one of two.
func ScaleOf(errs []float64) float64 {
	if len(errs) == 0 {
		return 0
	}
	return scaleOf(errs, make([]float64, len(errs)))
}

// scaleOf writes the magnitudes over sizes.
func scaleOf(errs, sizes []float64) float64 {
	magnitudes(sizes, errs)
	return MedianScale * ranked(sizes, (len(errs)-1)/2)
}

// Magnitudes returns the absolute values.
func Magnitudes(errs []float64) []float64 {
	sizes := make([]float64, len(errs))
	magnitudes(sizes, errs)
	return sizes
}

func magnitudes(sizes, errs []float64) {
	for i, e := range errs {
		sizes[i] = math.Abs(e)
	}
}

// ranked returns the value that would stand at place k if the values were sorted, by
// Hoare's selection. It reorders them.
func ranked(values []float64, k int) float64 {
	low, high := 0, len(values)-1
	for low < high {
		pivot := values[k]
		i, j := low, high
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		if j < k {
			low = i
		}
		if k < i {
			high = j
		}
	}
	return values[k]
}
