package collision

// reference computes every statistic from its definition with maps.
func reference(keys []uint32, warpSize, blockSize int, bins uint64) Stats {
	s := Stats{Updates: uint64(len(keys)), WarpSize: warpSize, BlockSize: blockSize, Bins: bins}
	frequency := frequencies(keys, 0)
	s.Unique = uint64(len(frequency))
	s.MaxFrequency = highestOf(frequency)
	s.MaxChunkFrequency4 = highestOf(frequencies(keys, 6))
	s.MaxChunkFrequency8 = highestOf(frequencies(keys, 5))
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	var clustered uint64
	for i, key := range keys {
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
	return s
}

func (s *Stats) addWarps(keys []uint32) {
	var n float64
	for lo := 0; lo < len(keys); lo += s.WarpSize {
		warp := keys[lo:min(lo+s.WarpSize, len(keys))]
		n++
		frequency := frequencies(warp, 0)
		s.WarpLevel += float64(highestOf(frequency)) / float64(len(warp))
		s.DistinctPerWarp += float64(len(frequency))
		s.Sectors4 += float64(len(frequencies(warp, 3)))
		s.Sectors8 += float64(len(frequencies(warp, 2)))
		s.SectorPasses4 += referencePasses(frequency, 8)
		s.SectorPasses8 += referencePasses(frequency, 4)
		words, lanes := map[uint32]uint64{}, map[uint32]uint64{}
		for key, f := range frequency {
			words[key%32]++
			lanes[key%32] += f
		}
		s.BankDegree += float64(highestOf(words))
		s.BankLanes += float64(highestOf(lanes))
	}
	for _, mean := range []*float64{&s.WarpLevel, &s.DistinctPerWarp, &s.Sectors4, &s.Sectors8,
		&s.SectorPasses4, &s.SectorPasses8, &s.BankDegree, &s.BankLanes} {
		*mean /= n
	}
}

func (s *Stats) addBlocks(keys []uint32) {
	var n float64
	for lo := 0; lo < len(keys); lo += s.BlockSize {
		block := keys[lo:min(lo+s.BlockSize, len(keys))]
		n++
		frequency := frequencies(block, 0)
		s.BlockLevel += float64(highestOf(frequency)) / float64(len(block))
		s.DistinctPerBlock += float64(len(frequency))
	}
	s.BlockLevel /= n
	s.DistinctPerBlock /= n
}

// addHot counts warps and segments of every target, whatever the length of the
// stream.
func (s *Stats) addHot(keys []uint32) {
	warps, segments := map[uint32]uint64{}, map[uint32]uint64{}
	n := 0.0
	for lo := 0; lo < len(keys); lo += s.WarpSize {
		warp := keys[lo:min(lo+s.WarpSize, len(keys))]
		n++
		for key := range frequencies(warp, 0) {
			warps[key]++
		}
		for i, key := range warp {
			if i == 0 || warp[i-1] != key {
				segments[key]++
			}
		}
	}
	s.HotWarps, s.HotSegments = float64(highestOf(warps))/n, float64(highestOf(segments))/n
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
