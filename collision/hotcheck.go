package collision

import (
	"fmt"
	"math"
)

// checkHot returns an error where no stream has such a Cover and Misses.
func (s *Stats) checkHot() error {
	if !s.HotKnown() {
		if s.Cover != (Cover{}) || s.Misses != (Misses{}) {
			return fmt.Errorf("cover.0 %v: want above 0, or all of cover and misses 0 where they are "+
				"not known: %w", s.Cover[0], ErrStats)
		}
		return nil
	}
	least := 0.0
	for j, share := range s.Cover {
		if !(share >= least*(1-slack) && share <= 1+slack) {
			return fmt.Errorf("cover.%d %v: want %v to 1: %w", j, share, least, ErrStats)
		}
		least = share
	}
	if exact := float64(s.MaxFrequency) / float64(s.Updates); s.Sampled == nil &&
		math.Abs(s.Cover[0]-exact) > slack*exact {
		return fmt.Errorf("cover.0 %v: want %v, of the most frequent target: %w", s.Cover[0], exact,
			ErrStats)
	}
	for i := range s.Misses {
		if err := s.checkMiss(i); err != nil {
			return err
		}
	}
	return nil
}

// checkMiss checks one table against the next smaller one and, where statistics are exact, Cover.
func (s *Stats) checkMiss(i int) error {
	m, lanes := &s.Misses[i], float64(s.Updates)/perWarp.number(s)
	before := Miss{lanes, lanes, lanes, lanes, lanes, s.MaxFrequency}
	if i > 0 {
		before = s.Misses[i-1]
	}
	least := 0.0
	if s.Sampled == nil {
		least = lanes * (1 - s.Cover[coverOf(i)])
	}
	for _, c := range []struct {
		name               string
		value, least, most float64
	}{
		{"lanes_per_warp", m.Lanes, least, before.Lanes},
		{"distinct_per_warp", m.Distinct, 0, min(m.Lanes, before.Distinct)},
		{"highest_per_warp", m.Highest, 0, min(m.Lanes, before.Highest)},
		{"sectors_per_warp_8", m.Sectors8, 0, min(m.Distinct, before.Sectors8)},
		{"sectors_per_warp_4", m.Sectors4, 0, min(m.Sectors8, before.Sectors4)},
		{"max_frequency", float64(m.Frequency), 0, float64(before.Frequency)},
	} {
		if off := float64(slack * lanes); !(c.value >= c.least-off && c.value <= c.most+off) {
			return fmt.Errorf("misses.%d.%s %v: want %v to %v: %w", i, c.name, c.value, c.least, c.most,
				ErrStats)
		}
		if (c.value > 0) != (m.Lanes > 0) {
			return fmt.Errorf("misses.%d.%s %v where %v updates of a warp miss: %w", i, c.name, c.value,
				m.Lanes, ErrStats)
		}
	}
	return nil
}

// shiftHot moves Cover and Misses by so many half-widths, once MaxFrequency is moved: where targets
// are hotter, tables hold more of the updates.
func (s *Stats) shiftHot(by float64) {
	if !s.HotKnown() {
		return
	}
	least, h := 1/float64(s.Updates), &s.Sampled.HalfWidth
	for j := range s.Cover {
		s.Cover[j] = min(max(s.Cover[j]+float64(by*h.Cover[j]), least), 1)
		least = s.Cover[j]
	}
	for i := range s.Misses {
		m, width := &s.Misses[i], &h.Misses[i]
		halves := width.means()
		for figure, mean := range m.means() {
			*mean = max(0, *mean+float64(missMore[figure]*by**halves[figure]))
		}
		m.Frequency = uint64(max(0, math.Round(float64(m.Frequency)+float64(by*width.Frequency))))
	}
	s.boundMisses()
}

// missMore is 1 for a figure that grows with collisions, -1 for one that falls.
var missMore = [missUpdates]float64{missLanes: -1, missDistinct: -1, missHighest: 1,
	missSectors4: -1, missSectors8: -1}

// coverOf returns the element of Cover that is of as many targets as a table has slots.
func coverOf(table int) int { return smallestBits + moreBits*table }
