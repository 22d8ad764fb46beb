package collision

import "fmt"

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
		if err := (limit{"", share, least, 1}).check(least*slack, slack); err != nil {
			return fmt.Errorf("cover.%d%w", j, err)
		}
		least = share
	}
	if exact := float64(s.MaxFrequency) / float64(s.Updates); s.Sampled == nil {
		if err := (limit{"cover.0", s.Cover[0], exact, exact}).check(slack*exact, slack*exact); err != nil {
			return err
		}
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
	m, before := &s.Misses[i], s.missesBefore()
	lanes, least := before.LanesPerWarp, 0.0
	if i > 0 {
		before = s.Misses[i-1]
	}
	if s.Sampled == nil {
		least = lanes * (1 - s.Cover[coverOf(i)])
	}
	for _, l := range []limit{
		{"lanes_per_warp", m.LanesPerWarp, least, before.LanesPerWarp},
		{"distinct_per_warp", m.DistinctPerWarp, 0, min(m.LanesPerWarp, before.DistinctPerWarp)},
		{"highest_per_warp", m.HighestPerWarp, 0, min(m.LanesPerWarp, before.HighestPerWarp)},
		{"sectors_per_warp_8", m.SectorsPerWarp8, 0, min(m.DistinctPerWarp, before.SectorsPerWarp8)},
		{"sectors_per_warp_4", m.SectorsPerWarp4, 0, min(m.SectorsPerWarp8, before.SectorsPerWarp4)},
		{"max_frequency", float64(m.MaxFrequency), 0, float64(before.MaxFrequency)},
	} {
		if err := l.check(slack*lanes, slack*lanes); err != nil {
			return fmt.Errorf("misses.%d.%w", i, err)
		}
		if (l.value > 0) != (m.LanesPerWarp > 0) {
			return fmt.Errorf("misses.%d.%s %v where %v updates of a warp miss: %w", i, l.name, l.value, m.LanesPerWarp,
				ErrStats)
		}
	}
	return nil
}

// missesBefore are those of no table.
func (s *Stats) missesBefore() Miss {
	lanes := float64(s.Updates) / perWarp.number(s)
	return Miss{lanes, lanes, lanes, lanes, lanes, s.MaxFrequency}
}

// shiftHot moves Cover and Misses by so many half-widths: of hotter targets tables hold more.
func (s *Stats) shiftHot(by float64) {
	if !s.HotKnown() {
		return
	}
	h := &s.Sampled.HalfWidth
	for j := range s.Cover { // never to 0, which would say that they are not known
		s.Cover[j] = max(s.Cover[j]+by*h.Cover[j], 1/float64(s.Updates))
	}
	for i := range s.Misses {
		m, width := &s.Misses[i], &h.Misses[i]
		halves := width.means()
		for figure, mean := range m.means() {
			*mean += missMore[figure] * by * *halves[figure]
		}
		m.MaxFrequency = moved(m.MaxFrequency, by*width.MaxFrequency)
	}
}

// missMore is 1 for a figure that grows with collisions, -1 for one that falls.
var missMore = [missUpdates]float64{missLanes: -1, missDistinct: -1, missHighest: 1,
	missSectors4: -1, missSectors8: -1}

// coverOf returns the element of Cover that is of as many targets as a table has slots.
func coverOf(table int) int { return smallestBits + moreBits*table }
