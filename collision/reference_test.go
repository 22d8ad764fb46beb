package collision

import (
	"maps"
	"slices"
)

// reference computes every statistic from its definition with maps.
func reference(keys []uint32, warpSize, blockSize int, bins uint64) Stats {
	return padded(keys, func(uint32) bool { return false }, warpSize, blockSize, bins)
}

// positions are a stream of which some are not updates.
type positions struct {
	Stats
	ignored func(key uint32) bool
}

// active are the updates among some positions.
func (s *positions) active(keys []uint32) []uint32 {
	return slices.DeleteFunc(slices.Clone(keys), s.ignored)
}

// padded is reference for a stream with padding.
func padded(keys []uint32, ignored func(uint32) bool, warpSize, blockSize int, bins uint64) Stats {
	s := positions{Stats{WarpSize: warpSize, BlockSize: blockSize, Bins: bins}, ignored}
	updates := s.active(keys)
	s.Updates, s.Ignored = uint64(len(updates)), uint64(len(keys)-len(updates))
	frequency := frequencies(updates, 0)
	s.Unique = uint64(len(frequency))
	s.MaxFrequency = highestOf(frequency)
	s.MaxChunkFrequency4 = highestOf(frequencies(updates, 6))
	s.MaxChunkFrequency8 = highestOf(frequencies(updates, 5))
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	var clustered uint64
	for i, key := range keys {
		if ignored(key) {
			continue
		}
		if bins == 0 {
			s.Bins = max(s.Bins, uint64(key)+1)
		}
		if i == 0 || keys[i-1] != key {
			s.Runs++
		} else if i%warpSize != 0 {
			clustered++
		}
	}
	s.ClusteredFraction = float64(clustered) / float64(s.Updates)
	s.addWarps(keys)
	s.addBlocks(keys)
	s.addHot(keys)
	s.addCover(frequency)
	for table := range s.Misses {
		s.addMisses(table, keys, frequency)
	}
	return s.Stats
}

func (s *positions) addWarps(keys []uint32) {
	var n float64
	for lo := 0; lo < len(keys); lo += s.WarpSize {
		warp := keys[lo:min(lo+s.WarpSize, len(keys))]
		n++
		frequency := frequencies(s.active(warp), 0)
		s.WarpLevel += float64(highestOf(frequency)) / float64(len(warp))
		s.DistinctPerWarp += float64(len(frequency))
		s.SectorsPerWarp4 += float64(len(frequencies(s.active(warp), 3)))
		s.SectorsPerWarp8 += float64(len(frequencies(s.active(warp), 2)))
		s.SectorPassesPerWarp4 += referencePasses(frequency, 8)
		s.SectorPassesPerWarp8 += referencePasses(frequency, 4)
		words, lanes := map[uint32]uint64{}, map[uint32]uint64{}
		for key, f := range frequency {
			words[key%32]++
			lanes[key%32] += f
		}
		s.BankDegree += float64(highestOf(words))
		s.BankLanes += float64(highestOf(lanes))
	}
	for _, mean := range []*float64{&s.WarpLevel, &s.DistinctPerWarp, &s.SectorsPerWarp4, &s.SectorsPerWarp8,
		&s.SectorPassesPerWarp4, &s.SectorPassesPerWarp8, &s.BankDegree, &s.BankLanes} {
		*mean /= n
	}
}

func (s *positions) addBlocks(keys []uint32) {
	var n float64
	for lo := 0; lo < len(keys); lo += s.BlockSize {
		block := keys[lo:min(lo+s.BlockSize, len(keys))]
		n++
		frequency := frequencies(s.active(block), 0)
		s.BlockLevel += float64(highestOf(frequency)) / float64(len(block))
		s.DistinctPerBlock += float64(len(frequency))
	}
	s.BlockLevel /= n
	s.DistinctPerBlock /= n
}

// addHot counts warps and segments of every target, whatever the length of the
// stream.
func (s *positions) addHot(keys []uint32) {
	warps, segments := map[uint32]uint64{}, map[uint32]uint64{}
	n := 0.0
	for lo := 0; lo < len(keys); lo += s.WarpSize {
		warp := keys[lo:min(lo+s.WarpSize, len(keys))]
		n++
		for key := range frequencies(s.active(warp), 0) {
			warps[key]++
		}
		for i, key := range warp {
			if !s.ignored(key) && (i == 0 || warp[i-1] != key) {
				segments[key]++
			}
		}
	}
	s.HotWarps, s.HotSegments = float64(highestOf(warps))/n, float64(highestOf(segments))/n
}

func (s *positions) addCover(frequency map[uint32]uint64) {
	sorted := slices.Sorted(maps.Values(frequency))
	slices.Reverse(sorted)
	for j := range s.Cover {
		var sum uint64
		for _, n := range sorted[:min(len(sorted), 1<<j)] {
			sum += n
		}
		s.Cover[j] = float64(sum) / float64(s.Updates)
	}
}

// addMisses fills a table of 2^bits slots and looks every update up in it.
func (s *positions) addMisses(table int, keys []uint32, frequency map[uint32]uint64) {
	bits := []int{4, 6, 8, 10, 12, 14}[table]
	slot := func(target uint32) uint64 {
		return uint64(target) * 2654435761 % (1 << 32) / (1 << (32 - bits))
	}
	holder := map[uint64]uint32{}
	for _, target := range slices.Sorted(maps.Keys(frequency)) {
		if h, taken := holder[slot(target)]; !taken || frequency[target] > frequency[h] {
			holder[slot(target)] = target
		}
	}
	m, warps := &s.Misses[table], 0.0
	for warp := range slices.Chunk(keys, s.WarpSize) {
		warps++
		missing := frequencies(slices.DeleteFunc(s.active(warp),
			func(target uint32) bool { return holder[slot(target)] == target }), 0)
		sectors4, sectors8 := map[uint32]bool{}, map[uint32]bool{}
		for target, n := range missing {
			m.LanesPerWarp += float64(n)
			m.MaxFrequency = max(m.MaxFrequency, frequency[target])
			sectors4[target/8], sectors8[target/4] = true, true
		}
		m.DistinctPerWarp += float64(len(missing))
		m.HighestPerWarp += float64(highestOf(missing))
		m.SectorsPerWarp4 += float64(len(sectors4))
		m.SectorsPerWarp8 += float64(len(sectors8))
	}
	for _, mean := range []*float64{&m.LanesPerWarp, &m.DistinctPerWarp, &m.HighestPerWarp, &m.SectorsPerWarp4, &m.SectorsPerWarp8} {
		*mean /= warps
	}
}

func frequencies(keys []uint32, bits uint) map[uint32]uint64 {
	f := map[uint32]uint64{}
	for _, key := range keys {
		f[key>>bits]++
	}
	return f
}

func highestOf(frequency map[uint32]uint64) uint64 {
	var highest uint64
	for _, f := range frequency {
		highest = max(highest, f)
	}
	return highest
}

// referencePasses adds up, over sectors of so many targets, the highest
// frequency of one target.
func referencePasses(frequency map[uint32]uint64, targets uint32) float64 {
	worst := map[uint32]uint64{}
	var sum uint64
	for key, f := range frequency {
		worst[key/targets] = max(worst[key/targets], f)
	}
	for _, f := range worst {
		sum += f
	}
	return float64(sum)
}
