package tuner

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
)

// blindness is what is known of streams of one size that nobody has looked at.
// Times are those of the closed forms alone: kinds are coarser than what trees
// correct.
type blindness struct {
	updates, bins uint64
	best          int     // place in the chooser's list of the blind choice
	gain          float64 // what looking gains in expectation, us per launch
	// Times of each implementation over the kinds, us; +Inf where it cannot run or
	// is not admitted. The ends, see span, are there for cautious choices alone.
	mean, low, high []float64
}

// blindly returns what is known without a look. The error wraps ErrNone.
func (c *Chooser) blindly(updates, bins uint64) (*blindness, error) {
	if b := c.blind.Load(); b != nil && b.updates == updates && b.bins == bins {
		return b, nil
	}
	b := &blindness{updates: updates, bins: bins, best: -1}
	b.mean = make([]float64, len(c.list))
	var s collision.Stats
	var us [maxCandidates]float64
	best := 0.0 // mean over the kinds of the least time
	for _, k := range kinds {
		k.stats(updates, bins, c.lanes, blockSize, &s)
		c.times(&s, &us)
		least := math.Inf(1)
		for i := range c.list {
			b.mean[i] += us[i] / float64(len(kinds))
			least = min(least, us[i])
		}
		best += least / float64(len(kinds))
	}
	b.best = c.first(b.mean)
	if c.cautious {
		b.low, b.high = c.span(updates, bins)
		b.best = c.first(b.high)
	}
	if b.best < 0 {
		return nil, fmt.Errorf("%w on a stream of %d targets that is not looked at", ErrNone, bins)
	}
	b.gain = max(0, b.mean[b.best]-best)
	c.blind.Store(b)
	return b, nil
}

// span returns the ends of the times of each implementation over the kinds, each
// time widened by the interval that its model or, without one, its closed form
// has on that kind; +Inf where it cannot run or is not admitted.
func (c *Chooser) span(updates, bins uint64) (low, high []float64) {
	low, high = make([]float64, len(c.list)), make([]float64, len(c.list))
	for i := range low {
		low[i] = math.Inf(1)
	}
	var s collision.Stats
	var us [maxCandidates]float64
	var closed [maxCandidates]float64
	var x vector
	for _, k := range kinds {
		k.stats(updates, bins, c.lanes, blockSize, &s)
		x.fill(&s, c.call)
		c.times(&s, &us)
		c.closed.US(&s, closed[:len(c.list)])
		for i := range c.list {
			if math.IsInf(us[i], 1) {
				high[i] = us[i]
				continue
			}
			least, most := c.list[i].ends(closed[i], real(updates), &x)
			low[i], high[i] = min(low[i], us[i], least), max(high[i], us[i], most)
		}
	}
	return low, high
}

// ends returns the interval of a prediction, in microseconds.
func (e *entry) ends(closed, updates float64, x *vector) (low, high float64) {
	factor, least, most := 1.0, 1.0/closedFormFactor, float64(closedFormFactor)
	if e.fix != nil {
		factor, least, most = e.fix.correct(x, closed, 1/updates)
	}
	host := e.hostUS * updates
	return total(closed*factor, least, host), total(closed*factor, most, host)
}

// blockSize is the number of updates of a block in statistics.
const blockSize = 256

// first returns the place of the least time, the first candidate of several;
// -1 where no time is finite.
func (c *Chooser) first(us []float64) int {
	best := -1
	for i, t := range us {
		if math.IsInf(t, 1) {
			continue
		}
		if best < 0 || t < us[best] || t == us[best] && c.list[i].before(&c.list[best]) {
			best = i
		}
	}
	return best
}

// times writes the closed form's time of each implementation; +Inf where it
// cannot run, is not admitted, or is right on grouped streams alone, which no
// one knows before all of a stream is seen.
func (c *Chooser) times(s *collision.Stats, us *[maxCandidates]float64) {
	var closed [maxCandidates]float64
	c.closed.US(s, closed[:len(c.list)])
	for i := range c.list {
		e := &c.list[i]
		us[i&(maxCandidates-1)] = math.Inf(1)
		if e.admitted && !e.grouped && s.Bins <= e.mostBins && c.fits(e, s) {
			us[i&(maxCandidates-1)] = closed[i] + e.hostUS*real(s.Updates)
		}
	}
}

// doubtful returns the gain that is expected, per launch, of knowing better than
// a sample: the time that the choice loses to the best
// one where the stream collides as the sample says (one half of the cases), more
// or less by half of its half-widths (one quarter each).
func (c *Chooser) doubtful(s *collision.Stats) float64 {
	var mid, other [maxCandidates]float64
	c.times(s, &mid)
	chosen := c.first(mid[:len(c.list)])
	if chosen < 0 {
		return 0
	}
	gain := 0.0
	for _, sign := range []float64{-1, 1} {
		moved := shifted(s, sign)
		c.times(&moved, &other)
		if best := c.first(other[:len(c.list)]); best >= 0 {
			gain += (other[chosen] - other[best]) / 4
		}
	}
	return max(0, gain)
}

// shifted returns the statistics of a stream that collides more, or less for a
// sign of -1, than a sample says, by half of each half-width, which is about
// one standard error. All statistics move together: streams that collide more
// in one respect do so in the others.
func shifted(s *collision.Stats, sign float64) collision.Stats {
	m, h := *s, s.Sampled.HalfWidth
	lanes, block := float64(s.WarpSize), float64(s.BlockSize)
	by := sign / 2
	m.WarpLevel = within(s.WarpLevel+by*h.WarpLevel, 1/lanes, 1)
	m.BlockLevel = within(s.BlockLevel+by*h.BlockLevel, 1/block, 1)
	m.ClusteredFraction = within(s.ClusteredFraction+by*h.ClusteredFraction, 0, 1)
	m.DistinctPerWarp = within(s.DistinctPerWarp-by*h.DistinctPerWarp, 1, lanes)
	m.DistinctPerBlock = within(s.DistinctPerBlock-by*h.DistinctPerBlock, 1, block)
	m.Sectors4 = within(s.Sectors4-by*h.Sectors4, 1, lanes)
	m.Sectors8 = within(s.Sectors8-by*h.Sectors8, 1, lanes)
	m.SectorPasses4 = within(s.SectorPasses4+by*h.SectorPasses4, 1, lanes)
	m.SectorPasses8 = within(s.SectorPasses8+by*h.SectorPasses8, 1, lanes)
	m.BankLanes = within(s.BankLanes+by*h.BankLanes, 1, lanes)
	m.MaxFrequency = moved(s.MaxFrequency, by*h.MaxFrequency, s.Sampled.MaxFrequencyLow, s.Updates)
	m.MaxChunkFrequency8 = moved(s.MaxChunkFrequency8, by*h.MaxChunkFrequency8, m.MaxFrequency, s.Updates)
	m.MaxChunkFrequency4 = moved(s.MaxChunkFrequency4, by*h.MaxChunkFrequency4, m.MaxChunkFrequency8, s.Updates)
	if s.HotWarps > 0 {
		m.HotWarps = within(s.HotWarps+by*h.HotWarps, 1/(real(s.Updates)+lanes), 1)
		m.HotSegments = max(m.HotWarps, s.HotSegments+by*h.HotSegments)
	}
	return m
}

func within(v, low, high float64) float64 { return min(max(v, min(low, high)), high) }

// moved adds to a count and keeps it within bounds, least being at least 1.
func moved(n uint64, by float64, least, most uint64) uint64 {
	return min(max(uint64(max(0, math.Round(real(n)+by))), least, 1), most)
}
