package online

import (
	"math"
	"slices"
)

// noise estimates the standard deviation of readings from the differences of
// neighbouring readings of one implementation, of all implementations together.
type noise struct {
	steps [64]float64 // the last absolute differences, as a ring
	count int         // of all differences
	sigma float64     // what is used
}

const (
	fewestSteps = 8  // differences before which the noise is what was assumed
	renewal     = 16 // differences between two estimates, once there are many
	unsure      = 3
	leastNoise  = 0.002 // no clock is better
	mostNoise   = 1000  // more than readings within e^±100 can have
	// medianLoss is √(π/2): the standard error of the median over that of the
	// mean, for normal noise.
	medianLoss = 1.2533141373155
)

// add takes a difference of two readings. The differences of normal readings
// have √2 times their standard deviation, of which the median of the absolute
// value is 0.6745 times; the median bears that nearly half of them are spikes. Its
// own standard error, 1.2/√n of it for independent differences, is put on top
// twice and more, so that the noise is rarely taken for too small.
func (n *noise) add(step float64) {
	n.steps[n.count%len(n.steps)] = math.Abs(step)
	n.count++
	held := min(n.count, len(n.steps))
	if n.count < fewestSteps || held == len(n.steps) && n.count%renewal != 0 {
		return
	}
	sorted := n.steps
	slices.Sort(sorted[:held])
	median := sorted[held/2] / (0.6744897501960817 * math.Sqrt2)
	n.sigma = max(leastNoise, medianLoss*median*(1+unsure/math.Sqrt(float64(held))))
}

const (
	slack     = 0.75 // standard deviations that a change must exceed
	alarm     = 12   // standard deviations, summed up, that tell a change
	fewestRun = 8    // readings without which nothing is told
)

// drift reports whether a reading shows that the implementation's times have
// changed: the two one-sided cumulative sums of Page's test (E. S. Page,
// Continuous inspection schemes, Biometrika 41, 1954) over readings in standard
// deviations from the mean, cut at three, so that no spike alone tells a change,
// nor do four in a row.
func (a *arm) drift(r, noise float64) bool {
	if a.count < fewestRun {
		return false
	}
	z := clamp((r-a.mean)/noise, clip)
	a.up = max(0, a.up+z-slack)
	a.down = max(0, a.down-z-slack)
	return a.up > alarm || a.down > alarm
}
