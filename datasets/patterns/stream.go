package patterns

// FromStream cuts an index stream into the patterns of its warps: lane i of
// warp w has index lanes·w + i, and a last partial warp has inactive lanes. Of
// a stream with more than most warps, stretches of so many warps as one block
// has are taken, evenly spread. Indices lie below 2^31.
func FromStream(indices []uint32, lanes, warpsPerBlock, most int) []Pattern {
	blockLanes := lanes * warpsPerBlock
	blocks := (len(indices) + blockLanes - 1) / blockLanes
	taken := max(1, min(blocks, most/warpsPerBlock))
	var all []Pattern
	for k := range taken {
		first := k * blocks / taken * blockLanes
		for from := first; from < min(first+blockLanes, len(indices)); from += lanes {
			p := make(Pattern, lanes)
			for l := range p {
				p[l] = Inactive
				if from+l < len(indices) {
					p[l] = int32(indices[from+l])
				}
			}
			all = append(all, p)
		}
	}
	return all
}
