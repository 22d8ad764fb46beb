package hwsim

// layout returns the order in which `ss` re-lays the updates, [egielski14]
// Algorithm 3: one set per target; in rounds, in ascending order of targets,
// each set that is not empty gives one update. With byWarp whole warps are
// moved, each standing for the target of its first lane; the last warp stays
// last if it is partial.
func layout(indices []uint32, bins uint64, lanes int, byWarp bool) []uint32 {
	if !byWarp {
		return roundRobin(indices, bins)
	}
	full := len(indices) / lanes
	labels := make([]uint32, full)
	for w := range labels {
		labels[w] = indices[w*lanes]
	}
	order := make([]uint32, 0, len(indices))
	for _, w := range roundRobin(labels, bins) {
		for l := range lanes {
			order = append(order, w*uint32(lanes)+uint32(l))
		}
	}
	for i := full * lanes; i < len(indices); i++ {
		order = append(order, uint32(i))
	}
	return order
}

// roundRobin groups positions by key with a counting sort and deals them out
// in rounds.
func roundRobin(keys []uint32, bins uint64) []uint32 {
	begin := make([]uint32, bins+1)
	for _, k := range keys {
		begin[k+1]++
	}
	var open []uint32
	for k := range bins {
		if begin[k+1] > 0 {
			open = append(open, uint32(k))
		}
		begin[k+1] += begin[k]
	}
	grouped := make([]uint32, len(keys))
	next := make([]uint32, bins)
	copy(next, begin[:bins])
	for i, k := range keys {
		grouped[next[k]] = uint32(i)
		next[k]++
	}
	copy(next, begin[:bins])
	order := make([]uint32, 0, len(keys))
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

// restore is the inverse of permute.
func restore(in []uint64, order []uint32) []uint64 {
	out := make([]uint64, len(in))
	for place, update := range order {
		out[update] = in[place]
	}
	return out
}

func permute[T any](in []T, order []uint32) []T {
	if in == nil {
		return nil
	}
	out := make([]T, len(in))
	for i, from := range order {
		out[i] = in[from]
	}
	return out
}
