package expectation

import "math"

// distribution is P(X <= d) at d = 0, 1, ...; beyond its end it is 1.
type distribution []float64

func (x distribution) at(d int) float64 {
	if d < 0 {
		return 0
	}
	if d < len(x) {
		return x[d]
	}
	return 1
}

// further is the mean of X-1 where X is at least 1, and 0 elsewhere.
func (x distribution) further() float64 {
	sum := 0.0
	for d := 1; d < len(x); d++ {
		sum += 1 - x[d]
	}
	return sum
}

// larger is the distribution of the larger of two independent variables.
func (x distribution) larger(y distribution) distribution {
	out := make(distribution, max(len(x), len(y)))
	for d := range out {
		out[d] = x.at(d) * y.at(d)
	}
	return out
}

// part is a number of places with the same number of words each.
type part struct{ places, words int }

// distribute gives words to places in turn; 0 places means one for each word. Places
// that get none are left out.
func distribute(words, places int) []part {
	if places == 0 || places >= words {
		return []part{{words, 1}}
	}
	each, rest := words/places, words%places
	if rest == 0 {
		return []part{{places, each}}
	}
	return []part{{rest, each + 1}, {places - rest, each}}
}

// largestLoad is the distribution of the most lanes on one place, with lanes
// independent and uniform on words that are distributed to places:
// doc/results/latency.md.
func largestLoad(lanes, words, places int) distribution {
	parts := distribute(words, places)
	return fullestPlace(lanes, lanes, parts, func(i, d int) grid {
		return inX(poisson(lanes, parts[i].words, words)[:d+1], lanes+1)
	})
}

// fullestPlace is the distribution of what the fullest place serves, at most so much, when
// upTo is the polynomial of a place of part i that serves d at most.
func fullestPlace(lanes, highest int, parts []part, upTo func(i, d int) grid) distribution {
	whole := poisson(lanes, 1, 1)[lanes]
	out := make(distribution, highest+1)
	for d := range out {
		product := inX([]float64{1}, lanes+1)
		for i, p := range parts {
			product = product.times(upTo(i, d).power(p.places))
		}
		out[d] = min(1, product[lanes][0]/whole)
	}
	return out
}

// law says what the lanes on a lock make its bank serve, once some of them have left: the
// probability of 0, 1, ... when it holds words and had lanes on it, of which any may wait.
type law func(words, lanes, left int) []float64

// waitingLanes counts the lanes that wait.
func waitingLanes(_, lanes, left int) []float64 {
	out := make([]float64, max(0, lanes-left)+1)
	out[len(out)-1] = 1
	return out
}

// waitingWords counts the different words that the waiting lanes want, each any
// of the lock's words.
func waitingWords(words, lanes, left int) []float64 {
	out := []float64{1}
	for range lanes - left {
		next := make([]float64, min(len(out)+1, words+1))
		for j, p := range out {
			next[j] += p * float64(j) / float64(words)
			if j+1 < len(next) {
				next[j+1] += p * float64(words-j) / float64(words)
			}
		}
		out = next
	}
	return out
}

// winner counts the lane that acquires the lock, if any waits for it.
func winner(_, lanes, left int) []float64 {
	if lanes > left {
		return []float64{0, 1}
	}
	return []float64{1}
}

// banked is lanes that are independent and uniform on words in banks, where
// each word of a bank has one of its locks; 0 locks means one for each word.
type banked struct{ lanes, words, banks, locks int }

// fullest is the distribution of what the fullest bank serves by the law, once
// each lock has been left by so many of its lanes: doc/results/latency.md.
func (b banked) fullest(l law, left int) distribution {
	parts := distribute(b.words, b.banks)
	grids := make([]grid, len(parts))
	highest := 0
	for i, p := range parts {
		grids[i] = b.bank(p.words, l, left)
		for _, row := range grids[i] {
			highest = max(highest, len(row)-1)
		}
	}
	return fullestPlace(b.lanes, highest, parts, func(i, d int) grid { return grids[i].upTo(d) })
}

// bank is the polynomial of a bank with so many words, distributed to its locks.
func (b banked) bank(words int, l law, left int) grid {
	locks := 0
	if b.locks < b.words {
		locks = b.locks / b.banks
	}
	product := inX([]float64{1}, b.lanes+1)
	for _, p := range distribute(words, locks) {
		lock := make(grid, b.lanes+1)
		weights := poisson(b.lanes, p.words, b.words)
		for m := range lock {
			lock[m] = l(p.words, m, left)
			for j := range lock[m] {
				lock[m][j] *= weights[m]
			}
		}
		product = product.times(lock.power(p.places))
	}
	return product
}

// furtherPasses sums over the iterations the passes beyond the first.
func (b banked) furtherPasses(l law) float64 {
	sum := 0.0
	for left := range b.lanes {
		sum += b.fullest(l, left).further()
	}
	return sum
}

// poisson returns the probabilities that a Poisson variable is 0, 1, ... lanes, whose mean
// is the lanes' share on some words of all: weights that do not overflow, see doc/results/latency.md.
func poisson(lanes, words, all int) []float64 {
	mean := float64(lanes) * float64(words) / float64(all)
	s := make([]float64, lanes+1)
	s[0] = math.Exp(-mean)
	for m := range lanes {
		s[m+1] = s[m] * mean / float64(m+1)
	}
	return s
}

// grid is a polynomial in x and y, cut off behind a power of x. Row m holds the powers of y
// beside x^m, which count what m lanes on a bank make it serve, m at most.
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
			for j, x := range g[i] {
				for k, y := range h[m-i] {
					out[m][j+k] += x * y
				}
			}
		}
	}
	return out
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
