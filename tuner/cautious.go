package tuner

import (
	"math"

	"github.com/atomtune/atomtune/collision"
)

// runCautious is run for Options.Cautious: it asks every implementation for its
// interval and takes the one whose upper end is least. It takes several times
// as long as run, which leaves most of them out.
func (c *Chooser) runCautious(s *collision.Stats, r *race) {
	c.closed.US(s, r.us[:len(c.list)])
	r.fill(s, c.call)
	picky := c.picky(s)
	least := math.Inf(1) // upper end of the best
	for i := range c.list {
		e := &c.list[i]
		if s.Bins > e.mostBins || picky && !c.fits(e, s) {
			continue
		}
		closed := r.us[i]
		if math.IsInf(closed, 1) {
			continue
		}
		us, high := e.interval(closed, r)
		if e.naive {
			r.naive = us
			if e.admitted {
				r.plain = closed
			}
		} else if e.global && closed >= r.plain {
			continue // see byCaution
		}
		if e.admitted && (high < least || high == least && e.before(r.best)) {
			r.best, r.least, least = e, us, high
		}
	}
}

// interval returns the predicted time and the upper end of its interval, as
// predictor.predict does.
func (e *entry) interval(closed float64, r *race) (us, high float64) {
	p := priced(closed, e.hostUS*r.updates, e.fix, r.x.stream(), r.perUpdate)
	return p.us, p.high
}
