package tuner

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner/model"
)

// prior is what is expected of streams of one size without statistics, by the closed forms
// alone: its components are coarser than what trees correct.
type prior struct {
	updates, bins uint64
	best          int     // place of the choice in Chooser.prices
	gain          float64 // what statistics gain in expectation, us per launch
	// Times of each implementation over the components, us; +Inf where it cannot run or is not
	// admitted. The ends hold the intervals of all components; they are of no use without intervals.
	mean, low, high []float64
}

// withoutStats returns what is expected without statistics. The error wraps ErrNone, or
// ErrOptions where launches are searched: each stream of the prior would take its own.
func (c *Chooser) withoutStats(updates, bins uint64) (*prior, error) {
	if c.opts.Searches() {
		return nil, fmt.Errorf("a search among launches takes statistics: %w", model.ErrOptions)
	}
	if e := c.prior.Load(); e != nil && e.updates == updates && e.bins == bins {
		return e, nil
	}
	n := len(c.prices.List)
	e := &prior{updates, bins, -1, 0, make([]float64, n), slices.Repeat([]float64{math.Inf(1)}, n),
		make([]float64, n)}
	p := c.buffers.Get().(*model.Predictions)
	p.Tell = false
	defer c.buffers.Put(p)
	var s collision.Stats
	best := 0.0 // mean over the components of the least time
	for _, k := range components {
		k.stats(updates, bins, c.lanes(), blockSize, &s)
		c.prices.Predict(&s, p)
		c.prices.Intervals(p)
		least := math.Inf(1)
		for i, r := range p.List {
			us := c.closedUS(i, &s, p)
			least = min(least, us)
			e.mean[i] += us / float64(len(components))
			e.high[i] = max(e.high[i], us)
			if !math.IsInf(us, 1) {
				e.low[i], e.high[i] = min(e.low[i], us, r.Low), max(e.high[i], r.High)
			}
		}
		best += least / float64(len(components))
	}
	for i, mean := range e.mean { // as rounded, it may lie above equal times
		e.high[i] = max(e.high[i], mean)
	}
	e.best = leastOf(e.mean)
	if c.opts.Cautious {
		e.best = leastOf(e.high)
	}
	if e.best < 0 {
		return nil, fmt.Errorf("%w on a stream of %d targets that is not sampled", model.ErrNone, bins)
	}
	e.gain = max(0, e.mean[e.best]-best)
	c.prior.Store(e)
	return e, nil
}

// leastOf returns the place of the least time, the first of several; -1 where none is finite.
func leastOf(us []float64) int {
	best, least := -1, math.Inf(1)
	for i, t := range us {
		if t < least {
			best, least = i, t
		}
	}
	return best
}

// closedUS returns the time by the closed form alone; +Inf where an implementation cannot run, is not
// admitted, or needs a stream that is grouped or has each target once, or to be told its frequent targets.
func (c *Chooser) closedUS(i int, s *collision.Stats, p *model.Predictions) float64 {
	v := c.prices.List[i]
	if c.Told(v) || c.barrier(v, nil, p.List[i].Launch, s.Positions(), s.Bins) != eligible {
		return math.Inf(1)
	}
	return p.List[i].Priced()
}

// gainOfMore returns the expected gain per launch of knowing better than a sample: what the
// choice loses to the best one where the stream collides as the sample says (one half of the
// cases), more or less by half of its half-widths, about one standard error (one quarter each).
func (c *Chooser) gainOfMore(s *collision.Stats) float64 {
	p := c.predict(s, false)
	defer c.buffers.Put(p)
	us := make([]float64, len(p.List))
	times := func(s *collision.Stats) []float64 {
		for i := range us {
			us[i] = c.closedUS(i, s, p)
		}
		return us
	}
	chosen := leastOf(times(s))
	if chosen < 0 {
		return 0
	}
	gain := 0.0
	for _, by := range []float64{-0.5, 0.5} {
		moved := s.Shifted(by)
		c.prices.Predict(&moved, p)
		if other := times(&moved); leastOf(other) >= 0 {
			gain += (other[chosen] - other[leastOf(other)]) / 4
		}
	}
	return max(0, gain)
}
