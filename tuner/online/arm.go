package online

import (
	"math"
	"slices"
)

// arm is what was learnt of one implementation under one key. Readings are
// r = ln(measured_us / predicted_us).
type arm struct {
	// count is the number of readings in mean. First launches warm up (code is
	// loaded, memory is touched) and are not among them: warmed says that there
	// was one, and warm what the last of them read.
	count  int
	warmed bool
	warm   float64
	start  [starting]float64 // the first readings, in ascending order
	mean   float64
	center float64    // what is expected before any reading
	half   float64    // half-width of the last forecast, in ln; 0: there was none
	recent [3]float64 // the last readings, the newest first
	// contender: it may be faster than the incumbent by more than the margin. Then credit
	// pays for its next trial, and else saved; both in us.
	contender     bool
	credit, saved float64
	up            float64 // the one-sided sums that tell a change, see drift
	down          float64
}

const (
	starting = 5 // readings of which the median is taken
	// agreement is in standard deviations: √2 times 3.5 of them.
	agreement = 5
	clip      = 3 // standard deviations beyond which a reading counts no more
)

// read takes a reading into account. Warming up is over when two launches in a row agree
// within five standard deviations of the noise; the lower is the first reading. The location
// is the lower median of the first five readings and from then on a running mean of readings
// clipped at three standard deviations.
func (a *arm) read(r, noise float64) {
	if a.count == 0 {
		agrees := a.warmed && math.Abs(r-a.warm) <= agreement*noise
		r, a.warm, a.warmed = min(r, a.warm), r, true
		if !agrees {
			return
		}
	}
	a.recent[2], a.recent[1], a.recent[0] = a.recent[1], a.recent[0], r
	a.count++
	if a.count > starting {
		a.mean += clamp(r-a.mean, clip*noise) / float64(a.count)
		return
	}
	i := a.count - 1
	for ; i > 0 && a.start[i-1] > r; i-- {
		a.start[i] = a.start[i-1]
	}
	a.start[i] = r
	a.mean = a.start[(a.count-1)/2]
}

// location returns the mean of prior and readings by their precisions,
//
//	center + λ (mean - center),  λ = n τ² / (n τ² + noise²),
//
// with τ the standard deviation of the prior.
func (a *arm) location(tau, noise float64) float64 {
	return a.center + weight(a.count, tau, noise)*(a.mean-a.center)
}

func weight(count int, tau, noise float64) float64 {
	n := float64(count) * tau * tau
	return n / (n + noise*noise)
}

// feared is what the price of a trial assumes of the next reading: one standard deviation
// above the location, or what the warm-up launch read.
func (a *arm) feared(tau, half, noise float64) float64 {
	if a.warmed && a.count == 0 {
		return clamp(a.warm-a.center, half) + a.center
	}
	return a.location(tau, noise) + tau*math.Sqrt(1-weight(a.count, tau, noise))
}

// restart forgets the readings but keeps what they say as the expectation.
func (a *arm) restart(r rules, noise float64, changed bool) {
	center := a.location(r.tau(a.half), noise)
	if changed {
		center = median3(a.recent)
	}
	*a = arm{center: center, half: a.half, warmed: a.warmed, warm: center}
}

func median3(v [3]float64) float64 {
	return max(min(v[0], v[1]), min(max(v[0], v[1]), v[2]))
}

func clamp(x, limit float64) float64 { return math.Max(-limit, math.Min(limit, x)) }

// pay takes the price of a trial.
func (a *arm) pay() {
	if a.contender {
		a.credit = 0
	} else {
		a.saved = 0
	}
}

// noise estimates the standard deviation of readings from the differences of neighbouring
// readings of one implementation.
type noise struct {
	steps [64]float64 // the last absolute differences, as a ring
	count int         // of all differences
	sigma float64     // what is used
}

const (
	fewestSteps = 8  // differences before which the noise is what was assumed
	renewal     = 16 // differences between two estimates, once there are many
	noiseMargin = 3
	leastNoise  = 0.002 // no clock is better
	mostNoise   = 1000  // more than readings within e^±100 can have
	// medianLoss is √(π/2): the standard error of the median over that of the
	// mean, for normal noise.
	medianLoss = 1.2533141373155
)

// add takes a difference of two readings. The median of the absolute value is 0.6745·√2
// standard deviations for normal readings; three standard errors of it are added, so that
// the noise is rarely taken for too small.
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
	n.sigma = max(leastNoise, medianLoss*median*(1+noiseMargin/math.Sqrt(float64(held))))
}

const (
	slack     = 0.75 // standard deviations that a change must exceed
	alarm     = 12   // standard deviations, summed up, that tell a change
	fewestRun = 8    // readings without which nothing is told
)

// drift reports whether a reading shows a change of the times: the two one-sided cumulative
// sums of Page's test (E. S. Page, Continuous inspection schemes, Biometrika 41, 1954), over
// clipped readings in standard deviations from the mean.
func (a *arm) drift(r, noise float64) bool {
	if a.count < fewestRun {
		return false
	}
	z := clamp((r-a.mean)/noise, clip)
	a.up = max(0, a.up+z-slack)
	a.down = max(0, a.down-z-slack)
	return a.up > alarm || a.down > alarm
}
