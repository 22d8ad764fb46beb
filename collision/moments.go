package collision

// meanVariance returns the mean of x and the variance of what it is a sample of, 0/0 of one value.
// It is the corrected two-pass algorithm of T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms
// for computing the sample variance, The American Statistician 37(3), 1983.
func meanVariance(x []float64) (mean, variance float64) {
	mean = meanOf(x)
	return mean, covarianceAbout(x, x, mean, mean)
}

// covariance returns that of pairs from which x and y are a sample.
func covariance(x, y []float64) float64 { return covarianceAbout(x, y, meanOf(x), meanOf(y)) }

func meanOf(x []float64) float64 { return sumInParts(x) / float64(len(x)) }

// sumInParts adds in the order in which recorded statistics were added: eight partial sums, which are
// joined two and two, and the rest of fewer than eight on the way.
func sumInParts(x []float64) float64 {
	var part [8]float64
	take := func(n int) {
		for i := range n {
			part[i] += x[i]
		}
		x = x[n:]
	}
	for len(x) >= 8 {
		take(8)
	}
	for i, from := range [...]int{6, 7, 4, 5} {
		part[i] += part[from]
	}
	if len(x) >= 4 {
		take(4)
	}
	part[0] += part[2]
	part[1] += part[3]
	if len(x) >= 2 {
		take(2)
	}
	part[0] += part[1]
	if len(x) > 0 {
		take(1)
	}
	return part[0]
}

func covarianceAbout(x, y []float64, meanX, meanY float64) float64 {
	products, overX, overY, n := 0.0, 0.0, 0.0, float64(len(x))
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		products += dx * dy
		overX += dx
		overY += dy
	}
	return (products - overX*overY/n) / (n - 1)
}
