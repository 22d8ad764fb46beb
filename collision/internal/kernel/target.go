package kernel

import "slices"

// TargetCount says where one target occurs in a stretch of a stream.
type TargetCount struct {
	Updates  uint64 // its updates
	Warps    uint64 // warps that hold it
	Segments uint64 // maximal runs of it inside warps
}

// Add adds the counts of another stretch.
func (c *TargetCount) Add(d TargetCount) {
	c.Updates += d.Updates
	c.Warps += d.Warps
	c.Segments += d.Segments
}

// CountTarget counts one target in a stretch that begins at a warp border.
func (k *Kernel) CountTarget(keys []uint32, target uint32) TargetCount {
	var c TargetCount
	for warp := range slices.Chunk(keys, k.warpSize) {
		var updates, segments, before uint64
		for _, key := range warp {
			equal := IsZero(uint64(key ^ target))
			updates += equal
			segments += equal &^ before
			before = equal
		}
		c.Updates += updates
		c.Segments += segments
		c.Warps += min(updates, 1)
	}
	return c
}
