package online

import (
	"math"
	"slices"

	"github.com/atomtune/atomtune/impl"
)

// arm is what was learnt of one implementation under one key. Readings are
// r = ln(measured_us / predicted_us).
type arm struct {
	Name impl.Spec `json:"implementation"` // where it is saved
	// Count is the number of readings in Mean. First launches warm up (code is
	// loaded, memory is touched) and are not among them: Warmed says that there
	// was one, and Warm what the last of them read.
	Count  int        `json:"count"`
	Warmed bool       `json:"warmed"`
	Warm   float64    `json:"warm"`
	Start  []float64  `json:"start"` // the first readings, in ascending order
	Mean   float64    `json:"mean"`
	Center float64    `json:"center"` // what is expected before any reading
	Half   float64    `json:"half"`   // half-width of the last forecast, in ln; 0: there was none
	Recent [3]float64 `json:"recent"` // the last readings, the newest first
	// Contender: it may be faster than the incumbent by more than the margin. Then CreditUS
	// pays for its next trial, and else SavedUS.
	Contender bool    `json:"rival"`
	CreditUS  float64 `json:"credit_us"`
	SavedUS   float64 `json:"saved_us"`
	Up        float64 `json:"up"` // the one-sided sums that detect a change, see drift
	Down      float64 `json:"down"`
}

const (
	starting = 5 // readings of which the median is taken
	// agreement is in standard deviations: √2 times 3.5 of them.
	agreement = 5
	clip      = 3 // standard deviations beyond which a reading counts no more
)

// read takes a reading into account. Warming up is over when two launches in a row agree
// within five standard deviations of the noise; the lower is the first reading. The location
// is the lower median of those of the first five readings that lie within three standard
// deviations of the least, as others are spikes, and from then on a running mean of readings
// clipped at three standard deviations.
func (a *arm) read(r, noise float64) {
	if a.Count == 0 {
		agrees := a.Warmed && math.Abs(r-a.Warm) <= agreement*noise
		r, a.Warm, a.Warmed = min(r, a.Warm), r, true
		if !agrees {
			return
		}
	}
	a.Recent[2], a.Recent[1], a.Recent[0] = a.Recent[1], a.Recent[0], r
	a.Count++
	if a.Count > starting {
		a.Mean += clamp(r-a.Mean, clip*noise) / float64(a.Count)
		return
	}
	i, _ := slices.BinarySearch(a.Start, r)
	a.Start = slices.Insert(a.Start, i, r)
	near, _ := slices.BinarySearch(a.Start, a.Start[0]+clip*noise)
	a.Mean = a.Start[(near-1)/2]
}

// location returns the mean of prior and readings by their precisions,
//
//	center + λ (mean - center),  λ = n τ² / (n τ² + noise²),
//
// with τ the standard deviation of the prior.
func (a *arm) location(tau, noise float64) float64 {
	return a.Center + weight(a.Count, tau, noise)*(a.Mean-a.Center)
}

func weight(count int, tau, noise float64) float64 {
	n := float64(count) * tau * tau
	return n / (n + noise*noise)
}

// feared is what the price of a trial assumes of the next reading: one standard deviation
// above the location, or what the warm-up launch read, but within the range of the forecast.
func (a *arm) feared(tau, half, noise float64) float64 {
	next := a.location(tau, noise) + tau*math.Sqrt(1-weight(a.Count, tau, noise))
	if a.Warmed && a.Count == 0 {
		next = a.Warm
	}
	return clamp(next-a.Center, half) + a.Center
}

// restart forgets the readings but keeps what they say as the expectation.
func (a *arm) restart(r rules, noise float64, changed bool) {
	center := a.location(r.tau(a.Half), noise)
	if changed {
		center = median3(a.Recent)
	}
	*a = arm{Start: a.Start[:0], Center: center, Half: a.Half, Warmed: a.Warmed, Warm: center}
}

func median3(v [3]float64) float64 {
	return max(min(v[0], v[1]), min(max(v[0], v[1]), v[2]))
}

func clamp(x, limit float64) float64 { return math.Max(-limit, math.Min(limit, x)) }

// pay takes the price of a trial.
func (a *arm) pay() {
	if a.Contender {
		a.CreditUS = 0
	} else {
		a.SavedUS = 0
	}
}

// noise estimates the standard deviation of readings from the differences of neighbouring
// readings of one implementation.
type noise struct {
	Sigma float64   `json:"noise"`      // what is used
	Count int       `json:"step_count"` // of all differences
	Steps []float64 `json:"steps"`      // the last mostSteps absolute differences, as a ring
}

const (
	mostSteps   = 64
	fewestSteps = 32 // differences before which the noise is what was assumed; spikes rarely are half of so many
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
	if n.Count < mostSteps {
		n.Steps = append(n.Steps, math.Abs(step))
	} else {
		n.Steps[n.Count%mostSteps] = math.Abs(step)
	}
	n.Count++
	held := len(n.Steps)
	if n.Count < fewestSteps || held == mostSteps && n.Count%renewal != 0 {
		return
	}
	var sorted [mostSteps]float64
	slices.Sort(sorted[:copy(sorted[:], n.Steps)])
	median := sorted[held/2] / (0.6744897501960817 * math.Sqrt2)
	n.Sigma = max(leastNoise, medianLoss*median*(1+noiseMargin/math.Sqrt(float64(held))))
}

const (
	slack     = 0.75 // standard deviations that a change must exceed
	alarm     = 12   // standard deviations, summed up, that indicate a change
	fewestRun = 8    // readings without which nothing is told
)

// drift reports whether a reading shows a change of the times: the two one-sided cumulative
// sums of Page's test (E. S. Page, Continuous inspection schemes, Biometrika 41, 1954), over
// clipped readings in standard deviations from the mean.
func (a *arm) drift(r, noise float64) bool {
	if a.Count < fewestRun {
		return false
	}
	z := clamp((r-a.Mean)/noise, clip)
	a.Up = max(0, a.Up+z-slack)
	a.Down = max(0, a.Down-z-slack)
	return a.Up > alarm || a.Down > alarm
}
