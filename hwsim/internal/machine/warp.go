package machine

// Warp is a resident warp with its registers and its place in the program.
type Warp struct {
	id        int32
	scheduler int
	number    int // in its block
	block     *block
	prog      *Program
	pc        int32
	mask      uint64 // active lanes
	vectors   []uint64
	Scalars   []uint64
	preds     []uint64
	ready     []int64 // cycles: 0, then per register: vectors, scalars, predicates
	stack     []frame
	pending   uint64   // lanes of a global atomic loop that have not added yet
	turns     int      // of that loop
	swapped   int64    // cycles: when it learnt what the target holds
	request   *request // to shared memory, under way
}

// frame is what structured control flow restores.
type frame struct{ saved, other uint64 }

// start puts the warp at the beginning of a program.
func (w *Warp) start(p *Program, args []uint64) {
	w.prog, w.pc, w.pending, w.turns, w.request = p, 0, 0, 0, nil
	w.stack = w.stack[:0]
	clear(w.ready)
	copy(w.Scalars[scalarArgs:], args)
}

// operandsReady returns the cycle from which the next instruction may issue.
func (w *Warp) operandsReady(at int64) int64 {
	waits, ready := &w.prog.Code[w.pc].waits, w.ready
	return max(at, ready[waits[0]], ready[waits[1]], ready[waits[2]], ready[waits[3]])
}

// setReady notes the cycle in which the instruction's result is there.
func (w *Warp) setReady(in *Instruction, at int64) {
	if r := in.waits[3]; r > 0 {
		for e := range int16(in.elements()) {
			w.ready[r-e] = at
		}
	}
}

// Vec returns the operand as a vector, spreading scalars into tmp.
func (w *Warp) Vec(o Operand, lanes int, tmp *[64]uint64) []uint64 {
	if o.kind == isVector {
		return w.target(o, lanes)
	}
	v := w.uni(o)
	out := tmp[:lanes]
	for i := range out {
		out[i] = v
	}
	return out
}

// target returns the elements of a vector register.
func (w *Warp) target(o Operand, lanes int) []uint64 {
	return w.vectors[int(o.Reg)*lanes : (int(o.Reg)+1)*lanes]
}

func (w *Warp) uni(o Operand) uint64 {
	switch o.kind {
	case isScalar:
		return w.Scalars[o.Reg]
	case isImmediate:
		return o.imm
	}
	return 0
}

// write stores the active lanes of v.
func (w *Warp) write(dst Operand, v []uint64, full uint64) {
	d := w.target(dst, len(v))
	if w.mask == full {
		copy(d, v)
		return
	}
	for l := range lanesOf(w.mask) {
		d[l] = v[l]
	}
}
