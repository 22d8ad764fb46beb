//go:build amd64 && !purego

package collision

// sortPair sorts the warps of the two blocks at the front of keys into sorted
// and returns the statistics of each block. It does nothing and returns false
// unless these are as many warps as the kernel sorts at once.
func (v *vectorKernel) sortPair(sorted, keys []uint32, block int, s *[2]warpSums) bool {
	if !v.warps || 2*block != groupWarps*vectorWarp || len(keys) < 2*block {
		return false
	}
	var lanes [8][groupWarps]uint32 // one lane a warp
	warpGroupsAVX512(&sorted[0], &keys[0], 1, &v.scratch[0], &lanes)
	for i := range s {
		var total [len(lanes)]uint64
		for statistic := range lanes {
			for _, x := range lanes[statistic][i*groupWarps/2 : (i+1)*groupWarps/2] {
				total[statistic] += uint64(x)
			}
		}
		s[i] = warpSums{
			highest: total[0], distinct: total[1], sectors4: total[2], sectors8: total[3],
			passes4: total[4], passes8: total[5], bankDegree: total[6], bankLanes: total[7],
		}
	}
	return true
}
