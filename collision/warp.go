package collision

// banks is the number of shared-memory banks, each one 4-byte word wide.
const banks = 32

// sectorBits4 and sectorBits8 are the logarithms of the number of targets in a
// 32-byte sector, for elements of 4 and of 8 bytes.
const (
	sectorBits4 = 3
	sectorBits8 = 2
)

// measureWarp returns the statistics of one warp, whose targets are sorted.
func measureWarp(sorted []uint32) warpSums {
	var s warpSums
	s.highest, s.distinct = highestFrequency(sorted)
	s.sectors4, s.passes4 = sectorPasses(sorted, sectorBits4)
	s.sectors8, s.passes8 = sectorPasses(sorted, sectorBits8)
	s.bankDegree, s.bankLanes = bankConflicts(sorted)
	return s
}

// sectorPasses returns the number of sectors of 2^bits targets that a warp
// touches and the sum over them of the highest frequency of one target.
func sectorPasses(sorted []uint32, bits uint) (sectors, passes uint64) {
	var count, highest uint64
	for i, key := range sorted {
		if i == 0 || key != sorted[i-1] {
			count = 0
		}
		if i == 0 || key>>bits != sorted[i-1]>>bits {
			sectors++
			passes += highest
			highest = 0
		}
		count++
		highest = max(highest, count)
	}
	return sectors, passes + highest
}

// bankConflicts returns the largest number of different targets, and the
// largest number of lanes, in one bank.
func bankConflicts(sorted []uint32) (degree, most uint64) {
	var words, lanes [banks]uint64
	for i, key := range sorted {
		bank := key % banks
		lanes[bank]++
		if i == 0 || key != sorted[i-1] {
			words[bank]++
		}
	}
	for b := range lanes {
		degree = max(degree, words[b])
		most = max(most, lanes[b])
	}
	return degree, most
}
