// Package relayout is the host's part of the implementation ss: the order in which updates are
// laid anew, so that equal targets come to stand far apart and the lanes of one warp seldom meet.
//
// References:
//
//	[egielski14] I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for
//	             Massive Parallelism on GPUs. ISMM 2014. Algorithm 3.
package relayout

// Order returns the places of the updates in the order of [egielski14]
// Algorithm 3: one set per target; in rounds, in ascending order of targets,
// each set that is not empty gives one update. Every index lies below bins. The
// indices are not modified. It takes time in proportion to the updates and bins.
func Order(indices []uint32, bins uint64) []uint32 {
	begin, open := group(indices, bins)
	grouped := make([]uint32, len(indices))
	next := make([]uint32, bins)
	copy(next, begin[:bins])
	for i, k := range indices {
		grouped[next[k]] = uint32(i)
		next[k]++
	}
	copy(next, begin[:bins])
	order := make([]uint32, 0, len(indices))
	for len(open) > 0 {
		left := open[:0]
		for _, k := range open {
			order = append(order, grouped[next[k]])
			next[k]++
			if next[k] < begin[k+1] {
				left = append(left, k)
			}
		}
		open = left
	}
	return order
}

// group returns where each target's set begins among all updates, the sets in
// ascending order of targets, and the targets whose set is not empty.
func group(indices []uint32, bins uint64) (begin, open []uint32) {
	begin = make([]uint32, bins+1)
	for _, k := range indices {
		begin[k+1]++
	}
	for k := range bins {
		if begin[k+1] > 0 {
			open = append(open, uint32(k))
		}
		begin[k+1] += begin[k]
	}
	return begin, open
}

// Warps is Labelled by each warp's first lane, [egielski14]'s label where equal targets stand side
// by side.
func Warps(indices []uint32, bins uint64, lanes int) []uint32 {
	return Labelled(indices, bins, lanes, func(int) int { return 0 })
}

// Labelled is Order for whole warps of so many lanes, which keep the order within the warp: each
// warp stands for the target of one of its lanes. Where equal targets are scattered, that of a
// sampled lane is most likely the warp's most frequent one, [egielski14] section 3.2. The last warp
// stays last if it is partial.
func Labelled(indices []uint32, bins uint64, lanes int, laneOf func(warp int) int) []uint32 {
	full := len(indices) / lanes
	labels := make([]uint32, full)
	for w := range labels {
		labels[w] = indices[w*lanes+laneOf(w)]
	}
	order := make([]uint32, 0, len(indices))
	for _, w := range Order(labels, bins) {
		for l := range lanes {
			order = append(order, w*uint32(lanes)+uint32(l))
		}
	}
	for i := full * lanes; i < len(indices); i++ {
		order = append(order, uint32(i))
	}
	return order
}
