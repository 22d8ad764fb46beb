package regtree

import "math"

// A Score says how far predictions lie from targets, weighted by row.
type Score struct {
	MSE float64 // mean squared error, in squared units of the target
	MAE float64 // mean absolute error, in units of the target
	// R2 is 1 - MSE/variance of the targets: 1 is perfect, 0 is no better than
	// their mean. It is NaN where the targets do not vary.
	R2 float64
}

// score compares predictions with targets over the rows of all parts.
func score(t Table, predictions []float64, parts [][]int) Score {
	var weight, mean float64
	low, high := math.Inf(1), math.Inf(-1)
	for _, rows := range parts {
		for _, i := range rows {
			weight += t.weight(i)
			mean += (t.Y[i] - mean) * (t.weight(i) / weight)
			low, high = min(low, t.Y[i]), max(high, t.Y[i])
		}
	}
	var squares, absolute, spread float64
	for _, rows := range parts {
		for _, i := range rows {
			share := t.weight(i) / weight
			off, wide := predictions[i]-t.Y[i], t.Y[i]-mean
			squares += share * off * off
			absolute += share * math.Abs(off)
			spread += share * wide * wide
		}
	}
	s := Score{MSE: squares, MAE: absolute, R2: math.NaN()}
	if low < high {
		s.R2 = 1 - squares/spread
	}
	return s
}
