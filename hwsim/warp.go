package hwsim

import "math/bits"

// warp is a resident warp with its registers and its place in the program.
type warp struct {
	id        int32
	scheduler int
	number    int // in its block
	block     *block
	prog      *program
	pc        int32
	mask      uint64 // active lanes
	vectors   []uint64
	scalars   []uint64
	preds     []uint64
	ready     []int64 // cycles, per register: vectors, scalars, predicates
	stack     []frame
	pending   uint64   // lanes of a global atomic loop that have not added yet
	turns     int      // of that loop
	request   *request // to shared memory, under way
}

// frame is what structured control flow restores.
type frame struct{ saved, other uint64 }

// start puts the warp at the beginning of a program.
func (w *warp) start(p *program, lanes int, args []uint64) {
	w.prog, w.pc, w.pending, w.turns, w.request = p, 0, 0, 0, nil
	w.vectors = sized(w.vectors, p.vectors*lanes)
	w.scalars = sized(w.scalars, p.scalars)
	w.preds = sized(w.preds, p.preds)
	w.ready = sized(w.ready, p.vectors+p.scalars+p.preds)
	clear(w.ready)
	w.stack = w.stack[:0]
	copy(w.scalars[scalarArgs:], args)
}

func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// readyAt returns the register's slot in w.ready.
func (w *warp) readyAt(o operand) *int64 {
	switch o.kind {
	case isVector:
		return &w.ready[o.reg]
	case isScalar:
		return &w.ready[w.prog.vectors+int(o.reg)]
	case isPredicate:
		return &w.ready[w.prog.vectors+w.prog.scalars+int(o.reg)]
	}
	return nil
}

// operandsReady returns the cycle from which the next instruction may issue.
func (w *warp) operandsReady(at int64) int64 {
	in := &w.prog.code[w.pc]
	for _, o := range [...]operand{in.a, in.b, in.pred, in.dst} {
		if r := w.readyAt(o); r != nil && *r > at {
			at = *r
		}
	}
	return at
}

func (w *warp) setReady(o operand, at int64) {
	if r := w.readyAt(o); r != nil {
		*r = at
	}
}

// vec returns the operand as a vector, spreading scalars into tmp.
func (w *warp) vec(o operand, lanes int, tmp *[64]uint64) []uint64 {
	if o.kind == isVector {
		return w.vectors[int(o.reg)*lanes : (int(o.reg)+1)*lanes]
	}
	v := w.uni(o)
	out := tmp[:lanes]
	for i := range out {
		out[i] = v
	}
	return out
}

func (w *warp) uni(o operand) uint64 {
	switch o.kind {
	case isScalar:
		return w.scalars[o.reg]
	case isImmediate:
		return o.imm
	}
	return 0
}

// write stores the active lanes of v.
func (w *warp) write(dst operand, v []uint64, full uint64) {
	d := w.vectors[int(dst.reg)*len(v) : (int(dst.reg)+1)*len(v)]
	if w.mask == full {
		copy(d, v)
		return
	}
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		d[l] = v[l]
	}
}
