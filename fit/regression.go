package fit

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// regression finds coefficients b that make Σ_j x[i][j]·b[j] close to y[i] in
// relative terms.
type regression struct {
	x       [][]float64 // rows of terms
	y       []float64
	use     []bool // terms that take part
	b       []float64
	weights []float64
}

// leastScale is the relative error below which rows count as met exactly: what
// rounding in a table leaves.
const leastScale = 2e-4

// turns is how often the weights are found anew.
const turns = 12

// solve finds the coefficients by iteratively reweighted least squares: first
// Huber's weights, whose loss is convex, and then Tukey's biweight, which
// gives outliers no weight at all. Terms that the others already determine
// take no part; solve lists them.
func (r *regression) solve() (dependent []int) {
	n := len(r.y)
	r.weights = make([]float64, n)
	for i := range r.weights {
		r.weights[i] = 1
	}
	dependent = r.dropDependent()
	scaled := append([]float64(nil), r.y...)
	for turn := range turns {
		r.b = r.least(r.weights, scaled)
		errs := r.errors()
		scale := max(scaleOf(errs), leastScale)
		for i, e := range errs {
			if turn < turns/2 {
				r.weights[i] = huber(e / scale)
			} else {
				r.weights[i] = biweight(e / scale)
			}
		}
		r.rescale(scaled)
	}
	return dependent
}

// rescale divides by the prediction in place of the measurement, so that noise
// does not bias the coefficients.
func (r *regression) rescale(scaled []float64) {
	for i, row := range r.x {
		if p := r.predict(row); p > 0.2*r.y[i] && p < 5*r.y[i] {
			scaled[i] = p
		}
	}
}

func (r *regression) predict(row []float64) float64 {
	sum := 0.0
	for j, use := range r.use {
		if use {
			sum += row[j] * r.b[j]
		}
	}
	return sum
}

// errors returns predicted/measured - 1 per row.
func (r *regression) errors() []float64 {
	errs := make([]float64, len(r.y))
	for i, row := range r.x {
		errs[i] = r.predict(row)/r.y[i] - 1
	}
	return errs
}

func huber(u float64) float64 {
	if u = math.Abs(u); u > 1.345 {
		return 1.345 / u
	}
	return 1
}

func biweight(u float64) float64 {
	u /= 4.685
	if u*u >= 1 {
		return 0
	}
	return (1 - u*u) * (1 - u*u)
}

// least solves weighted least squares of the rows divided by scaled.
func (r *regression) least(weights, scaled []float64) []float64 {
	terms := r.terms()
	n := len(terms)
	sums, right, values := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i, row := range r.x {
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
			right[a] += v * r.y[i]
			for c, u := range values[a:] {
				sums[a*n+a+c] += v * u
			}
		}
	}
	return r.spread(terms, solveGram(mat.NewSymDense(n, sums), mat.NewVecDense(n, right)))
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

func (r *regression) terms() []int {
	var terms []int
	for j, use := range r.use {
		if use {
			terms = append(terms, j)
		}
	}
	return terms
}

func (r *regression) spread(terms []int, b []float64) []float64 {
	all := make([]float64, len(r.use))
	for a, j := range terms {
		all[j] = b[a]
	}
	return all
}

// dropDependent takes out terms that are zero in every row, or that the terms
// before them determine; it returns the latter.
func (r *regression) dropDependent() []int {
	var dependent []int
	var basis [][]float64
	for j, use := range r.use {
		if !use {
			continue
		}
		v := make([]float64, len(r.x))
		for i, row := range r.x {
			v[i] = row[j] / r.y[i]
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
			r.use[j] = false
		case after < 1e-6*before:
			r.use[j] = false
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
