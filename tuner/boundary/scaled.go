package boundary

import (
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/internal/portable"
)

// bound brings counts that were scaled to what a stream of so many updates can have.
func bound(s *collision.Stats, grouped bool) {
	within := func(n *uint64, least, most uint64) { *n = max(least, min(*n, most)) }
	within(&s.Unique, 1, min(s.Bins, s.Updates))
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	within(&s.MaxFrequency, uint64(math.Ceil(s.AllLevel)), s.Updates-s.Unique+1)
	within(&s.MaxChunkFrequency8, s.MaxFrequency, s.Updates)
	within(&s.MaxChunkFrequency4, s.MaxChunkFrequency8, s.Updates)
	within(&s.Runs, s.Unique, s.Updates)
	switch {
	case grouped:
		s.Runs = s.Unique
	case s.Grouped() && s.Unique < s.Updates:
		s.Runs++
	}
	if s.HotKnown() {
		boundHot(s)
	}
}

// boundHot makes Cover and Misses agree with the counts.
func boundHot(s *collision.Stats) {
	least := float64(s.MaxFrequency) / float64(s.Updates)
	if s.Cover[0] = least; s.Unique == 1 {
		least = 1
	}
	for j := range s.Cover {
		s.Cover[j] = min(1, max(s.Cover[j], least))
		least = s.Cover[j]
	}
	warps := math.Ceil(float64(s.Updates) / float64(s.WarpSize))
	all := float64(s.Updates) / warps
	lanes, frequency := all, s.MaxFrequency
	for i := range s.Misses {
		m := &s.Misses[i]
		if m.Lanes == 0 {
			continue
		}
		covered := s.Cover[bits.Len(uint(collision.TableSlots(i)))-1]
		m.Lanes = min(max(m.Lanes, all*(1-covered)), lanes)
		m.Distinct, m.Highest = min(m.Distinct, m.Lanes), min(m.Highest, m.Lanes)
		m.Sectors8 = min(m.Sectors8, m.Distinct)
		m.Sectors4 = min(m.Sectors4, m.Sectors8)
		m.Frequency = max(1, min(m.Frequency, frequency))
		lanes, frequency = m.Lanes, m.Frequency
	}
}

// ofLength returns the statistics of a stream that is longer or shorter and else the same.
func ofLength(s collision.Stats, frequencies []collision.Frequency, updates uint64) collision.Stats {
	share, grouped := float64(updates)/float64(s.Updates), s.Grouped()
	s.Unique = uint64(math.Round(occurring(&s, frequencies, share)))
	s.Updates = updates
	counts := []*uint64{&s.Runs, &s.MaxFrequency, &s.MaxChunkFrequency8, &s.MaxChunkFrequency4}
	for i := range s.Misses {
		counts = append(counts, &s.Misses[i].Frequency)
	}
	for _, n := range counts {
		*n = uint64(math.Round(float64(*n) * share))
	}
	bound(&s, grouped)
	return s
}

// occurring returns how many targets are expected in a share of the stream. Where frequencies are
// not known, each target has their mean.
func occurring(s *collision.Stats, frequencies []collision.Frequency, share float64) (sum float64) {
	if share >= 1 {
		return float64(s.Unique)
	}
	chance := func(updates float64) float64 { return -portable.Expm1(updates * portable.Log1p(-share)) }
	if frequencies == nil {
		return float64(s.Unique) * chance(s.AllLevel)
	}
	for _, f := range frequencies {
		sum += float64(float64(f.Targets) * chance(float64(f.Updates)))
	}
	return sum
}
