package machine

// room holds the blocks of a launch that are resident at once, each in a place of its own, and their
// warps. Registers and shared memory lie side by side: a device has thousands of warps, and each
// event finds those of another one. A machine uses its room again for the next launch.
type room struct {
	blocks  []block
	warps   []Warp // those of the first place, then those of the next
	shared  []uint32
	ready   []int64
	singles []uint64 // scalars and predicates
	vectors []uint64
	frames  []frame
}

// open makes room for so many blocks of a kernel.
func (r *room) open(k *Kernel, places, warpsPerBlock, lanes int) {
	r.blocks, r.warps = sized(r.blocks, places), sized(r.warps, places*warpsPerBlock)
	words := int(k.SharedBytes+3) / 4
	r.shared = sized(r.shared, places*words)
	for i := range r.blocks {
		r.blocks[i].shared = part(r.shared, i, words)
	}
	p, n := k.Prog, len(r.warps)
	scalars := p.registers[isScalar]
	singles, vectors := scalars+p.registers[isPredicate], p.registers[isVector]
	ready := 1 + vectors + singles
	r.ready, r.singles = sized(r.ready, n*ready), sized(r.singles, n*singles)
	r.vectors, r.frames = sized(r.vectors, n*vectors*lanes), sized(r.frames, n*p.depth)
	for i := range r.warps {
		w, own := &r.warps[i], part(r.singles, i, singles)
		w.Scalars, w.preds = own[:scalars], own[scalars:]
		w.vectors, w.ready = part(r.vectors, i, vectors*lanes), part(r.ready, i, ready)
		w.stack = part(r.frames, i, p.depth)
	}
}

// sized returns n elements, those of s if they are as many. They may hold anything.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// part returns the i-th part of n elements.
func part[T any](s []T, i, n int) []T { return s[i*n : (i+1)*n : (i+1)*n] }
