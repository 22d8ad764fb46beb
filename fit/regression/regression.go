// Package regression fits linear models by weighted least squares of relative
// errors, robust against outliers.
package regression

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Model finds coefficients B that make Σ_j X[i][j]·B[j] close to Y[i] in
// relative terms.
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

// turns is how often the weights are found anew.
const turns = 12

// Solve finds the coefficients by iteratively reweighted least squares: first
// Huber's weights, whose loss is convex, and then Tukey's biweight, which
// gives outliers no weight at all. Terms that the others already determine
// take no part; solve lists them.
func (r *Model) Solve() (dependent []int) {
	r.Weights = slices.Repeat([]float64{1}, len(r.Y))
	dependent = r.DropDependent()
	scaled := slices.Clone(r.Y)
	for turn := range turns {
		r.B = r.Least(r.Weights, scaled)
		errs := r.Errors()
		scale := max(ScaleOf(errs), LeastScale)
		for i, e := range errs {
			if turn < turns/2 {
				r.Weights[i] = huber(e / scale)
			} else {
				r.Weights[i] = Biweight(e / scale)
			}
		}
		r.Rescale(scaled)
	}
	return dependent
}

// DropNegative takes out the terms whose coefficients are below 0, the most negative
// one first, and solves anew after each.
func (r *Model) DropNegative(solve func()) {
	for {
		worst := 0
		for j, b := range r.B {
			if b < r.B[worst] {
				worst = j
			}
		}
		if !(r.B[worst] < 0) {
			return
		}
		r.Use[worst] = false
		solve()
	}
}

// Rescale divides by the prediction in place of the measurement, so that noise
// does not bias the coefficients.
func (r *Model) Rescale(scaled []float64) {
	for i, row := range r.X {
		if p := r.Predict(row); p > 0.2*r.Y[i] && p < 5*r.Y[i] {
			scaled[i] = p
		}
	}
}

func (r *Model) Predict(row []float64) float64 {
	sum := 0.0
	for j, use := range r.Use {
		if use {
			sum += row[j] * r.B[j]
		}
	}
	return sum
}

// Errors returns predicted/measured - 1 per row.
func (r *Model) Errors() []float64 {
	errs := make([]float64, len(r.Y))
	for i, row := range r.X {
		errs[i] = r.Predict(row)/r.Y[i] - 1
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
	for a, b := range solveGram(mat.NewSymDense(n, sums), mat.NewVecDense(n, right)) {
		all[terms[a]] = b
	}
	return all
}

// solveGram solves after scaling the diagonal to 1, with a ridge where
// weights made the terms dependent after all.
func solveGram(gram *mat.SymDense, right *mat.VecDense) []float64 {
	n := right.Len()
	size := make([]float64, n)
	for a := range n {
		if size[a] = math.Sqrt(gram.At(a, a)); size[a] == 0 {
			size[a] = 1
		}
	}
	for a := range n {
		for c := a; c < n; c++ {
			gram.SetSym(a, c, gram.At(a, c)/size[a]/size[c])
		}
		right.SetVec(a, right.AtVec(a)/size[a])
	}
	var chol mat.Cholesky
	out := mat.NewVecDense(n, nil)
	for ridge := 1e-14; !chol.Factorize(gram); ridge *= 100 {
		if ridge > 1 {
			return make([]float64, n)
		}
		for a := range n {
			gram.SetSym(a, a, gram.At(a, a)+ridge)
		}
	}
	// An ill-conditioned system still has its solution in out.
	_ = chol.SolveVecTo(out, right)
	b := make([]float64, n)
	for a := range n {
		b[a] = out.AtVec(a) / size[a]
	}
	return b
}

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
	for j, use := range r.Use {
		if !use {
			continue
		}
		v := make([]float64, len(r.X))
		for i, row := range r.X {
			v[i] = row[j] / r.Y[i]
		}
		before := norm(v)
		for range 2 {
			for _, q := range basis {
				subtract(v, q)
			}
		}
		after := norm(v)
		switch {
		case before == 0:
			r.Use[j] = false
		case after < 1e-6*before:
			r.Use[j] = false
			dependent = append(dependent, j)
		default:
			for i := range v {
				v[i] /= after
			}
			basis = append(basis, v)
		}
	}
	return dependent
}

func norm(v []float64) float64 {
	sum := 0.0
	for _, a := range v {
		sum += a * a
	}
	return math.Sqrt(sum)
}

// subtract takes the part along the unit vector q out of v.
func subtract(v, q []float64) {
	dot := 0.0
	for i := range v {
		dot += v[i] * q[i]
	}
	for i := range v {
		v[i] -= dot * q[i]
	}
}

// ScaleOf is a robust standard deviation: 1.4826 times the median absolute
// value, the lower one of two.
func ScaleOf(errs []float64) float64 {
	if len(errs) == 0 {
		return 0
	}
	sizes := make([]float64, len(errs))
	for i, e := range errs {
		sizes[i] = math.Abs(e)
	}
	return 1.4826 * ranked(sizes, (len(sizes)-1)/2)
}

// Magnitudes returns the absolute values in ascending order.
func Magnitudes(errs []float64) []float64 {
	sorted := make([]float64, len(errs))
	for i, e := range errs {
		sorted[i] = math.Abs(e)
	}
	slices.Sort(sorted)
	return sorted
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
