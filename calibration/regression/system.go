package regression

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// MaxTerms is how many terms of a model take part at most.
const MaxTerms = 16

// System is a model whose terms that take part are settled, for solving it many times. It is not safe
// for concurrent use.
type System struct {
	of    []int32
	y     []float64
	all   int   // terms of the model
	terms []int // that take part
	rows  []sparse
	// What is written over in each call; predicted is by row of X.
	gram, right, predicted, errs []float64
}

// sparse is a row without zeros and without what takes no part.
type sparse struct {
	at    []uint8 // places in System.terms, ascending
	value []float64
}

// System returns that of the model with the terms that take part now.
func (r *Model) System() *System {
	terms := r.Terms()
	n := len(terms)
	if n > MaxTerms {
		panic("regression: more terms than MaxTerms")
	}
	s := &System{of: r.Of, y: r.Y, all: len(r.Use), terms: terms, rows: make([]sparse, len(r.X)),
		gram: make([]float64, n*n), right: make([]float64, n), predicted: make([]float64, len(r.X)),
		errs: make([]float64, len(r.Y))}
	at, value := make([]uint8, 0, n*len(r.X)), make([]float64, 0, n*len(r.X))
	for i, row := range r.X {
		first := len(at)
		for a, j := range terms {
			if row[j] != 0 {
				at, value = append(at, uint8(a)), append(value, row[j])
			}
		}
		s.rows[i] = sparse{at[first:], value[first:]}
	}
	return s
}

// Least solves weighted least squares of the rows divided by scaled.
func (s *System) Least(weights, scaled []float64) []float64 {
	var gram [MaxTerms][MaxTerms]float64
	var right [MaxTerms]float64
	for i, of := range s.of {
		w := weights[i] / (scaled[i] * scaled[i])
		if w == 0 {
			continue
		}
		row, y := &s.rows[of], s.y[i]
		at := row.at
		value := row.value[:len(at)]
		for k, a := range at {
			v, sums := value[k]*w, &gram[a%MaxTerms]
			right[a%MaxTerms] += v * y
			for l := k; l < len(value); l++ {
				sums[at[l]%MaxTerms] += v * value[l]
			}
		}
	}
	n := len(s.terms)
	for a := range n {
		s.right[a] = right[a]
		copy(s.gram[a*n:], gram[a][:n])
	}
	all := make([]float64, s.all)
	for a, b := range solveGram(s.gram, s.right) {
		all[s.terms[a]] = b
	}
	return all
}

// Errors returns predicted/measured - 1 per row, where Σ_j x_j·b[j] is predicted. They hold until the
// next call.
func (s *System) Errors(b []float64) []float64 {
	for i, row := range s.rows {
		sum := 0.0
		for k, a := range row.at {
			sum += row.value[k] * b[s.terms[a]]
		}
		s.predicted[i] = sum
	}
	for i, of := range s.of {
		s.errs[i] = s.predicted[of]/s.y[i] - 1
	}
	return s.errs
}

// rescale puts what Errors predicted last in place of the measurements that lie near it.
func (s *System) rescale(scaled []float64) {
	for i, of := range s.of {
		if p := s.predicted[of]; p > 0.2*s.y[i] && p < 5*s.y[i] {
			scaled[i] = p
		}
	}
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
		if root := slices.Clone(gram); factor(root, n) {
			substitute(root, right)
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

// factor overwrites the upper triangle of a symmetric matrix with that of its Cholesky factor: the
// matrix is the factor's transpose times the factor. It reports whether the matrix is positive definite.
func factor(a []float64, n int) bool {
	for i := range n {
		squares := [2]float64{} // of every other row, the last of an odd number with the second ones
		for k := range i {
			lane := k % 2
			if k == i-1 {
				lane = 1
			}
			squares[lane] += a[k*n+i] * a[k*n+i]
		}
		rest := a[i*n+i] - (squares[0] + squares[1])
		if !(rest > 0) {
			return false
		}
		a[i*n+i] = math.Sqrt(rest)
		for j := i + 1; j < n; j++ {
			for k := range i {
				a[i*n+j] -= a[k*n+i] * a[k*n+j]
			}
			a[i*n+j] *= 1 / a[i*n+i]
		}
	}
	return true
}

// substitute overwrites x with the solution for it of the matrix that has that factor.
func substitute(root, x []float64) {
	n := len(x)
	for i := range n {
		for k := range i {
			x[i] -= root[k*n+i] * x[k]
		}
		x[i] *= 1 / root[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= root[i*n+k] * x[k]
		}
		x[i] *= 1 / root[i*n+i]
	}
}
