// Package regression fits linear models by weighted least squares of relative
// errors, robust against outliers.
package regression

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Model finds coefficients B that make Σ_j X[i][j]·B[j] close to Y[i] in relative terms.
type Model struct {
	X       [][]float64 // rows of terms
	Y       []float64
	Use     []bool // terms that take part
	B       []float64
	Weights []float64
}

// LeastScale is the relative error below which rows count as met exactly: what
// rounding in a table leaves.
const LeastScale = 2e-4

const turns = 12 // how often the weights are found anew

// Solve finds the coefficients by iteratively reweighted least squares: first
// Huber's weights, whose loss is convex, and then Tukey's biweight, which
// gives outliers no weight at all. No term that takes part is determined by others.
func (r *Model) Solve() {
	r.Weights = slices.Repeat([]float64{1}, len(r.Y))
	scaled := slices.Clone(r.Y)
	for turn := range turns {
		r.B = r.Least(r.Weights, scaled)
		predicted := r.Predictions()
		errs := r.Errors(predicted)
		scale := max(ScaleOf(errs), LeastScale)
		weight := huber
		if turn >= turns/2 {
			weight = Biweight
		}
		for i, e := range errs {
			r.Weights[i] = weight(e / scale)
		}
		r.Rescale(scaled, predicted)
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

// Rescale puts predictions in place of the measurements that lie near them, so that the noise of
// what rows are divided by does not bias the coefficients.
func (r *Model) Rescale(scaled, predicted []float64) {
	for i, p := range predicted {
		if p > 0.2*r.Y[i] && p < 5*r.Y[i] {
			scaled[i] = p
		}
	}
}

// Predictions returns Σ_j X[i][j]·B[j] per row.
func (r *Model) Predictions() []float64 {
	all, terms := make([]float64, len(r.Y)), r.Terms()
	for i, row := range r.X {
		sum := 0.0
		for _, j := range terms {
			sum += row[j] * r.B[j]
		}
		all[i] = sum
	}
	return all
}

// Errors returns predicted/measured - 1 per row.
func (r *Model) Errors(predicted []float64) []float64 {
	errs := make([]float64, len(r.Y))
	for i, p := range predicted {
		errs[i] = p/r.Y[i] - 1
	}
	return errs
}

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

// Least solves weighted least squares of the rows divided by scaled.
func (r *Model) Least(weights, scaled []float64) []float64 {
	terms := r.Terms()
	n := len(terms)
	sums, right, values := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i, row := range r.X {
		w := weights[i] / (scaled[i] * scaled[i])
		if w == 0 {
			continue
		}
		for a, j := range terms {
			values[a] = row[j]
		}
		for a, v := range values {
			if v == 0 {
				continue
			}
			v *= w
			right[a] += v * r.Y[i]
			for c, u := range values[a:] {
				sums[a*n+a+c] += v * u
			}
		}
	}
	all := make([]float64, len(r.Use))
	for a, b := range solveGram(sums, right) {
		all[terms[a]] = b
	}
	return all
}

// solveGram solves after scaling the diagonal to 1, with a ridge where
// weights made the terms dependent after all. It writes over both.
func solveGram(gram, right []float64) []float64 {
	n := len(right)
	size := make([]float64, n)
	for a := range n {
		if size[a] = math.Sqrt(gram[a*n+a]); size[a] == 0 {
			size[a] = 1
		}
	}
	for a := range n {
		for c := a; c < n; c++ {
			gram[a*n+c] = gram[a*n+c] / size[a] / size[c]
		}
		right[a] /= size[a]
	}
	for ridge := 1e-14; ; ridge *= 100 {
		chol, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: n,
			Data: slices.Clone(gram)})
		if ok {
			lapack64.Potrs(chol, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: right})
			break
		}
		if ridge > 1 {
			return make([]float64, n)
		}
		for a := range n {
			gram[a*n+a] += ridge
		}
	}
	floats.Div(right, size)
	return right
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

// DropDependent takes out terms that are zero in every row, or that the terms
// before them determine; it returns the latter.
func (r *Model) DropDependent() []int {
	var dependent []int
	var basis [][]float64
	for _, j := range r.Terms() {
		v := make([]float64, len(r.X))
		for i, row := range r.X {
			v[i] = row[j] / r.Y[i]
		}
		before := floats.Dot(v, v)
		for range 2 {
			for _, q := range basis {
				floats.AddScaled(v, -floats.Dot(v, q), q)
			}
		}
		after := floats.Dot(v, v)
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

// ScaleOf is a robust standard deviation: 1.4826 times the median absolute
// value, the lower one of two.
func ScaleOf(errs []float64) float64 {
	if len(errs) == 0 {
		return 0
	}
	return 1.4826 * ranked(Magnitudes(errs), (len(errs)-1)/2)
}

// Magnitudes returns the absolute values.
func Magnitudes(errs []float64) []float64 {
	sizes := make([]float64, len(errs))
	for i, e := range errs {
		sizes[i] = math.Abs(e)
	}
	return sizes
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
