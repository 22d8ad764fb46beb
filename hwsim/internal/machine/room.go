package machine

// room holds the blocks of a launch that are resident at once, each in a place of its own, and their
// warps. What is alike lies side by side: a device has thousands of warps, and each event finds the
// registers of another one. A machine uses its room again for the next launch.
type room struct {
	blocks  []block
	warps   []Warp // those of the first place, then those of the next
	shared  []uint32
	ready   []int64
	singles []uint64 // scalars and predicates
	places  []int32  // of vectors
	lines   []line
	frames  []frame

	elements [][]uint64 // of vector registers, in pages; the first place is none
	taken    int32      // places
}

// pageVectors is the number of vectors in a page of elements.
const pageVectors = 64

func (r *room) open(k *launch, places, lanes int) {
	r.blocks, r.warps = sized(r.blocks, places), sized(r.warps, places*k.warpsPerBlock)
	words := int(k.SharedBytes) / 4
	r.shared = sized(r.shared, places*words)
	for i := range r.blocks {
		r.blocks[i].shared = part(r.shared, i, words)
	}
	p, n := k.prog, len(r.warps)
	scalars, vectors := p.registers[isScalar], p.registers[isVector]
	singles := scalars + p.registers[isPredicate]
	ready := 1 + vectors + singles
	r.ready, r.singles = sized(r.ready, n*ready), sized(r.singles, n*singles)
	r.places, r.lines = sized(r.places, n*vectors), sized(r.lines, n*vectors)
	r.frames = sized(r.frames, n*p.depth)
	clear(r.places)
	clear(r.lines)
	r.taken = 1
	for i := range r.warps {
		w, own := &r.warps[i], part(r.singles, i, singles)
		w.Scalars, w.preds = own[:scalars], own[scalars:]
		w.places, w.lines = part(r.places, i, vectors), part(r.lines, i, vectors)
		w.ready, w.stack, w.room = part(r.ready, i, ready), part(r.frames, i, p.depth), r
	}
}

func (r *room) take(lanes int) int32 {
	if int(r.taken) >= len(r.elements)*pageVectors {
		r.elements = append(r.elements, make([]uint64, pageVectors*lanes))
	}
	r.taken++
	return r.taken - 1
}

func (r *room) at(place int32, lanes int) []uint64 {
	n := int(uint32(place)%pageVectors) * lanes
	return r.elements[uint32(place)/pageVectors][n : n+lanes : n+lanes]
}

// sized returns n elements, those of s if they are as many. They may hold anything.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func part[T any](s []T, i, n int) []T { return s[i*n : (i+1)*n : (i+1)*n] }
