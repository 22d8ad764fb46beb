package collision

import "math"

// Bound changes statistics that were estimated one by one so that one stream can have them all: Check
// accepts them, and no number exceeds what another one allows. Updates and Bins stay as they are.
func (s *Stats) Bound() {
	s.Unique = min(max(s.Unique, 1), s.Bins, s.Updates)
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	s.Runs = min(max(s.Runs, s.Unique), s.Updates)
	s.boundFrequencies()
	s.boundMeans()
	s.boundHotWarps()
	if s.HotKnown() {
		s.boundCover()
		s.boundMisses()
	}
}

// boundFrequencies raises the highest frequency of a target or chunk to what the larger chunk needs, because
// estimates of the highest tend to be too low.
func (s *Stats) boundFrequencies() {
	chunk4, chunk8, target := &s.MaxChunkFrequency4, &s.MaxChunkFrequency8, &s.MaxFrequency
	// most is what so many targets can have, where each of the others that occur has an update.
	most := func(targets uint64) uint64 { return s.Updates - s.Unique + min(targets, s.Unique) }
	*chunk4 = min(*chunk4, most(1<<chunkBits4))
	*chunk8 = min(max(*chunk8, (*chunk4+1)/2), most(1<<chunkBits8))
	*target = min(max(*target, (*chunk8+1<<chunkBits8-1)>>chunkBits8, uint64(math.Ceil(s.AllLevel))), most(1))
	*chunk8 = max(*chunk8, *target)
	*chunk4 = max(*chunk4, *chunk8)
}

func (s *Stats) boundMeans() {
	updates := float64(s.Updates)
	for i := range means {
		m := &means[i]
		least, most := m.bounds(s)
		if _, ofTwo := m.span(2); ofTwo > 1 { // a count
			most = min(most, updates/m.per.number(s))
		}
		bound(m.of(s), least, most)
	}
	// A target that occurs is in some block, what is in a block is in some warp, and the first lane of
	// a warp that holds a target repeats none.
	unique, blocks, warps := float64(s.Unique), perBlock.number(s), perWarp.number(s)
	bound(&s.DistinctPerBlock, unique/blocks, unique)
	bound(&s.DistinctPerWarp, s.DistinctPerBlock*blocks/warps, unique)
	bound(&s.ClusteredFraction, 0, max(0, 1-s.DistinctPerWarp*warps/updates))
}

// bound brings a mean between its bounds, unless it is there but for rounding.
func bound(mean *float64, least, most float64) {
	if (limit{"", *mean, least, most}).check(least*slack, most*slack) != nil {
		*mean = min(max(*mean, least), most)
	}
}

// boundHotWarps: a target with the most updates is in so many warps at least, and no target in more
// warps or segments than it has updates. Two segments of one target in a warp are at least a lane apart.
func (s *Stats) boundHotWarps() {
	n, most := perWarp.number(s), float64(s.MaxFrequency)
	s.HotWarps = min(max(s.HotWarps, most/float64(s.WarpSize)/n), most/n, 1)
	s.HotSegments = min(max(s.HotSegments, s.HotWarps), most/n, mostSegments(s.WarpSize))
}

// boundCover: no targets have fewer updates in the mean than all. How many a sample has not found may be far
// more than Unique, which tends to be too low.
func (s *Stats) boundCover() {
	least, unique := 0.0, s.Unique
	if s.Sampled != nil {
		unique = s.Sampled.UniqueHigh
	}
	for j := range s.Cover {
		least = max(least, min(1, math.Ldexp(1, j)/float64(unique)))
		s.Cover[j] = min(max(s.Cover[j], least), 1)
		least = s.Cover[j]
	}
}

// boundMisses makes Misses such as streams have, and those of a table no more than the next smaller one's.
func (s *Stats) boundMisses() {
	before, warps := s.missesBefore(), perWarp.number(s)
	for i := range s.Misses {
		m := &s.Misses[i]
		m.LanesPerWarp = min(m.LanesPerWarp, before.LanesPerWarp)
		if m.LanesPerWarp <= 0 {
			*m = Miss{}
		} else {
			least := m.LanesPerWarp / float64(s.WarpSize) // as a warp with misses has one of each
			m.DistinctPerWarp = min(max(m.DistinctPerWarp, least), m.LanesPerWarp, before.DistinctPerWarp)
			most := s.MaxFrequency
			if s.Sampled == nil {
				most = m.MaxFrequency // which is known
			}
			m.HighestPerWarp = min(max(m.HighestPerWarp, least), m.LanesPerWarp, before.HighestPerWarp, float64(most))
			m.SectorsPerWarp8 = min(max(m.SectorsPerWarp8, least), m.DistinctPerWarp, before.SectorsPerWarp8)
			m.SectorsPerWarp4 = min(max(m.SectorsPerWarp4, least), m.SectorsPerWarp8, before.SectorsPerWarp4)
			// The most updates of a target are no fewer than the mean, and no more than all that miss.
			all := m.LanesPerWarp * warps
			lowest := math.Ceil(max(all/float64(s.Unique), m.HighestPerWarp*(1-slack)))
			m.MaxFrequency = min(max(m.MaxFrequency, uint64(lowest)), uint64(math.Ceil(all)), before.MaxFrequency)
		}
		before = *m
	}
}
