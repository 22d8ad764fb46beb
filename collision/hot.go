package collision

// hotCount says where one target occurs in a stretch of a stream.
type hotCount struct {
	updates  uint64 // its updates
	warps    uint64 // warps that hold it
	segments uint64 // maximal runs of it inside warps
}

func (c *hotCount) add(d hotCount) {
	c.updates += d.updates
	c.warps += d.warps
	c.segments += d.segments
}

// raise raises warps and segments to those of another target.
func (c *hotCount) raise(d hotCount) {
	c.warps = max(c.warps, d.warps)
	c.segments = max(c.segments, d.segments)
}

// countTarget counts one target in a stretch that begins at a warp border.
func (v *vectorKernel) countTarget(keys []uint32, warpSize int, target uint32) hotCount {
	c, done := v.countTargetWarps(keys, target)
	for rest := keys[done:]; len(rest) > 0; {
		warp := rest[:min(warpSize, len(rest))]
		rest = rest[len(warp):]
		var updates, segments, before uint64
		for _, key := range warp {
			var equal uint64
			if key == target {
				equal = 1
			}
			updates += equal
			segments += equal &^ before
			before = equal
		}
		c.updates += updates
		c.segments += segments
		c.warps += min(updates, 1)
	}
	return c
}

// hotTable counts all targets of a stretch in an open-addressed hash table
// with linear probing.
type hotTable struct {
	slots []hotSlot // a power of two, at least half of it empty
	shift uint
	warp  uint32 // the present warp, counted from 1, which is before the first
}

// hotSlot counts one target.
type hotSlot struct {
	target   uint32
	last     uint32 // the last warp that held the target; 0: the slot is empty
	warps    uint32
	segments uint32
}

// newHotTable has space for so many different targets.
func newHotTable(targets uint64) *hotTable {
	bits := uint(1)
	for uint64(1)<<bits < 2*targets {
		bits++
	}
	return &hotTable{slots: make([]hotSlot, 1<<bits), shift: 64 - bits, warp: 1}
}

// add counts a stretch that begins at a warp border.
func (t *hotTable) add(keys []uint32, warpSize int) {
	for len(keys) > 0 {
		warp := keys[:min(warpSize, len(keys))]
		keys = keys[len(warp):]
		t.warp++
		before := ^warp[0]
		for _, target := range warp {
			if target != before {
				t.count(target)
			}
			before = target
		}
	}
}

// count counts a run of one target in the present warp.
func (t *hotTable) count(target uint32) {
	s := t.find(target)
	if s.last == 0 {
		s.target = target
	}
	s.segments++
	if s.last != t.warp {
		s.last = t.warp
		s.warps++
	}
}

// find returns the slot of a target, or the empty one where it belongs.
func (t *hotTable) find(target uint32) *hotSlot {
	mask := uint64(len(t.slots) - 1)
	for i := hash(target, t.shift); ; i++ {
		s := &t.slots[i&mask]
		if s.last == 0 || s.target == target {
			return s
		}
	}
}

// hottest returns the slots with the most warps and with the most segments;
// of equal ones that of the lowest target.
func (t *hotTable) hottest() (byWarps, bySegments hotSlot) {
	for _, s := range t.slots {
		if s.last == 0 {
			continue
		}
		if s.warps > byWarps.warps || s.warps == byWarps.warps && s.target < byWarps.target {
			byWarps = s
		}
		if s.segments > bySegments.segments || s.segments == bySegments.segments &&
			s.target < bySegments.target {
			bySegments = s
		}
	}
	return byWarps, bySegments
}

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
