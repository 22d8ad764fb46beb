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

func meanOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func covarianceAbout(x, y []float64, meanX, meanY float64) float64 {
	products, overX, overY, n := 0.0, 0.0, 0.0, float64(len(x))
	for i := range x {
		dx, dy := x[i]-meanX, y[i]-meanY
		products += float64(dx * dy)
		overX += dx
		overY += dy
	}
	return (products - float64(overX*overY/n)) / (n - 1)
}
