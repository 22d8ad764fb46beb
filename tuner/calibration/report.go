package calibration

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/tuner/model"
)

// fidelity sums up the choices.
func (j *judged) fidelity() model.Fidelity {
	return model.Fidelity{Loss: model.Summarize(j.losses), MeanError: math.Expm1(j.off())}
}

// report is the calibration as the model keeps it.
func (s *selection) report(t *measured) *model.Calibration {
	c := &model.Calibration{
		Streams: t.streams, Hash: t.hash,
		Leaves: s.growth.leaves, Apart: s.growth.apart, Prior: s.growth.prior,
		Before: s.before.fidelity(), After: s.after.fidelity(),
	}
	if c.Renewed = s.low < s.high; c.Renewed {
		c.Coverage = s.covered()
	}
	return c
}

// covered is the share of the held-out residuals within the interval.
func (s *selection) covered() float64 {
	n := 0
	for _, e := range s.after.all {
		if e >= min(0, s.low) && e <= max(0, s.high) {
			n++
		}
	}
	return float64(n) / float64(len(s.after.all))
}

// leastForIntervals is the number of points from which on intervals are those of
// measured points.
const leastForIntervals = 20

// interval returns the ends of the central 90 % of ln(measured/predicted) in
// split-conformal form [lei18]: with streams as what is exchangeable, the
// quantile of rank (1 + 1/streams)·0.95, the extreme where that is beyond it. It
// is taken over all implementations and over the choices, which tend to be those
// predicted too fast, and the wider one holds.
func (t *measured) interval(j *judged) (low, high float64) {
	for _, list := range [][]float64{j.all, j.choices} {
		sorted := slices.Sorted(slices.Values(list))
		rank := int(math.Ceil((1 + 1/float64(t.streams)) * 0.95 * float64(len(sorted))))
		rank = min(rank, len(sorted))
		low, high = min(low, sorted[len(sorted)-rank]), max(high, sorted[rank-1])
	}
	return low, high
}
