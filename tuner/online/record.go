package online

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/strictjson"
)

// record is what is known under one key.
type record struct {
	learnt
	stats     collision.Stats // of the last launch
	forecasts []forecast      // for them
	open      pending
	known     bool      // whether there was one
	incumbent int       // of the last launch
	converged bool      // at the last launch no arm was a contender
	est       []float64 // ln of the estimated time of each arm, for the last launch
	width     []float64 // half-width of its interval, in ln
}

// learnt is what is saved of a key.
type learnt struct {
	Key      string  `json:"key"` // where it is saved
	Launches uint64  `json:"launches"`
	Restarts uint64  `json:"restarts"`
	TotalUS  float64 `json:"total_us"` // of all launches observed
	LostUS   float64 `json:"lost_us"`  // the most that was lost beyond Epsilon, see Bound
	noise
	Arms strictjson.List[arm] `json:"arms"` // in the order of the forecaster
}

func newRecord(arms int, noiseAssumed float64) *record {
	k := &record{
		learnt: learnt{noise: noise{noiseAssumed, 0, make([]float64, 0, mostSteps)},
			Arms: make([]arm, arms)},
		forecasts: make([]forecast, arms), est: make([]float64, arms), width: make([]float64, arms),
	}
	for i := range k.Arms {
		k.Arms[i].Start = make([]float64, 0, starting)
	}
	return k
}

// rules are the constants of the choice, from Options.
type rules struct {
	margin   float64 // implementations that lie closer are not told apart
	revisit  float64 // share of the time for dropped ones
	delta    float64 // probability that an interval fails
	patience float64
	widen    float64
}

// tau is the standard deviation of the prior of a forecast.
func (r rules) tau(half float64) float64 { return half / (r.widen * normal95) }

const normal95 = 1.6448536269514722 // the 95 % quantile of the normal distribution

// spikes is the largest share of launches that may take longer by any factor.
const spikes = 0.02

// first is the number of an arm's readings from which on they rarely are all spikes: see
// doc/results/online.md.
func (r rules) first(arms int) int {
	return max(2, int(math.Ceil(math.Log(r.delta/(4*float64(arms)))/math.Log(spikes))))
}

// halfWidth returns the half-width w(n) of the interval around an arm's location, in ln,
// after as many readings as first or more: see Bound.
func (r rules) halfWidth(n, arms int, half, noise float64) float64 {
	lambda := weight(n, r.tau(half), noise)
	return lambda*r.dataWidth(n, arms, noise) + (1-lambda)*half
}

func (r rules) dataWidth(n, arms int, noise float64) float64 {
	count := float64(n)
	return noise * math.Sqrt(2*math.Log(2*float64(arms)*count*(count+1)/r.delta)/count)
}

// decide returns the arm of the next launch, for the forecasts that are set, of
// which one at least is finite.
func (k *record) decide(r rules) int {
	k.estimate(r)
	b := k.incumbent
	here, top := math.Exp(k.est[b]), math.Exp(k.est[b]+k.width[b])
	least, allowance := k.allowance(r)
	trial, low := b, math.Inf(1)
	k.converged = true
	for i := range k.Arms {
		if i == b || math.IsInf(k.est[i], 1) {
			continue
		}
		a := &k.Arms[i]
		bottom := math.Exp(k.est[i] - k.width[i])
		contender := bottom*(1+r.margin) < top
		a.Contender = contender
		if contender {
			k.converged = false
			a.CreditUS += (top - bottom) / r.patience
		} else {
			a.SavedUS += allowance
		}
		if bottom < low && k.ready(i, here, r) {
			trial, low = i, bottom
		}
	}
	k.charge(trial, least, r)
	return trial
}

// charge books what the launch of an arm may lose, and takes the price of a trial.
func (k *record) charge(i int, least float64, r rules) {
	if i != k.incumbent {
		k.Arms[i].pay()
	}
	if i != k.incumbent && !k.Arms[i].Contender {
		i = k.incumbent // the trial itself was saved for
	}
	k.LostUS += max(0, math.Exp(k.est[i]+k.width[i])-(1+r.margin)*least)
}

// estimate sets the estimates, their widths and the incumbent.
func (k *record) estimate(r rules) {
	k.incumbent = -1
	common, first := k.common(), r.first(len(k.Arms))
	for i := range k.Arms {
		a, f := &k.Arms[i], k.forecasts[i]
		k.est[i] = math.Inf(1)
		if math.IsInf(f.ln, 1) {
			continue
		}
		a.Half = f.half
		moved := common
		if a.Count > 0 {
			moved = a.location(r.tau(f.half), k.Sigma) - a.Center
		}
		if a.Count < first { // the range of the forecast stays within the interval
			moved = clamp(moved, f.half)
			k.width[i] = f.half + math.Abs(moved)
		} else {
			k.width[i] = r.halfWidth(a.Count, len(k.Arms), f.half, k.Sigma)
		}
		k.est[i] = f.ln + a.Center + moved
		if k.incumbent < 0 || k.est[i] < k.est[k.incumbent] {
			k.incumbent = i
		}
	}
}

// errorCorrelation is what is assumed of the errors of two predictions
// for one stream.
const errorCorrelation = 0.5

// common returns the error expected of predictions without a reading, from those with some:
// the posterior mean for n equally correlated errors.
func (k *record) common() float64 {
	sum, n := 0.0, 0.0
	for i := range k.Arms {
		if a := &k.Arms[i]; a.Count > 0 {
			sum, n = sum+a.Mean-a.Center, n+1
		}
	}
	return sum * errorCorrelation / (1 + (n-1)*errorCorrelation)
}

// allowance returns the least time that any arm may take, and what a launch adds to the
// savings of each arm that is not a contender, in us.
func (k *record) allowance(r rules) (low, each float64) {
	least, n := math.Inf(1), 0
	for i := range k.Arms {
		if !math.IsInf(k.est[i], 1) {
			least, n = min(least, k.est[i]-k.width[i]), n+1
		}
	}
	low = math.Exp(least)
	return low, r.revisit * low / float64(max(1, n-1))
}

// ready reports whether an arm's trial is paid for and would tell something.
func (k *record) ready(i int, here float64, r rules) bool {
	a, b := &k.Arms[i], k.incumbent
	if k.Arms[b].Count == 0 || a.Contender && k.width[i] < k.width[b] {
		return false
	}
	if !a.Contender {
		return a.SavedUS >= math.Exp(k.est[i]+k.width[i])-math.Exp(k.est[b]-k.width[b])
	}
	f := k.forecasts[i]
	return a.CreditUS >= r.margin*here &&
		a.CreditUS >= math.Exp(f.ln+a.feared(r.tau(f.half), f.half, k.Sigma))-here
}

// observe takes the reading of an arm into account.
func (k *record) observe(i int, reading, us float64, r rules) {
	a := &k.Arms[i]
	k.Launches++
	k.TotalUS += us
	if a.Warmed && a.Count > 0 {
		k.noise.add(reading - a.Recent[0])
	}
	if a.drift(reading, k.Sigma) {
		k.restart(i, r)
	}
	a.read(reading, k.Sigma)
}

// restart starts over after the times of an arm have changed.
func (k *record) restart(changed int, r rules) {
	k.Restarts++
	for i := range k.Arms {
		k.Arms[i].restart(r, k.Sigma, i == changed)
	}
}

// pending are the launches of one key that were chosen and not observed yet, one bit each of
// the last ones.
type pending struct {
	chosen uint64 // how many; a launch's number is its place among them, from 1
	bits   [remembered / 64]uint64
}

const remembered = 1024

// add returns the number of one more launch, and forgets the oldest.
func (p *pending) add() uint64 {
	p.chosen++
	word, bit := p.at(p.chosen)
	*word |= bit
	return p.chosen
}

// take reports whether a launch is still to be observed; it no longer is then.
func (p *pending) take(number uint64) bool {
	if number == 0 || p.old(number) {
		return false
	}
	word, bit := p.at(number)
	open := *word&bit != 0
	*word &^= bit
	return open
}

// gone says why a launch is not to be observed.
func (p *pending) gone(number uint64) string {
	switch {
	case number == 0:
		return "it was not chosen by Next"
	case p.old(number):
		return fmt.Sprintf("%d more were chosen since", p.chosen-number)
	}
	return "it was observed already"
}

func (p *pending) old(number uint64) bool { return p.chosen-number >= remembered }

func (p *pending) at(number uint64) (word *uint64, bit uint64) {
	i := number % remembered
	return &p.bits[i/64], 1 << (i % 64)
}
