package collision

// HotTargets estimates how many targets are as frequent as the hottest, from what
// repeats within warps, the mean of which has so many updates. A target with share f of
// the updates has lanes·f of them in a warp, in HotWarps of the warps, so it repeats
// lanes·f - HotWarps times; all targets together repeat lanes - DistinctPerWarp times:
//
//	(lanes - DistinctPerWarp) / (lanes·f - HotWarps), at least 1
//
// It is 1 where the hottest target repeats in no warp, or HotWarps is not known.
func (s *Stats) HotTargets(lanes float64) float64 {
	held := lanes * float64(int64(s.MaxFrequency)) / float64(int64(s.Updates))
	own := held - s.HotWarps
	if s.HotWarps == 0 || own <= noRepeat*held {
		return 1
	}
	return max(1, (lanes-s.DistinctPerWarp)/own)
}

// noRepeat is the part of a target's updates that the rounding of statistics may show.
const noRepeat = 1e-6
