package machine

import "math/bits"

// Warp is a resident warp with its registers and its place in the program. What every event asks for
// comes first, side by side.
type Warp struct {
	prog      *Program
	block     *block
	unit      *sm
	mask      uint64 // active lanes
	id        int32
	pc        int32
	scheduler int32
	number    int32    // in its block
	request   *request // to shared memory, under way
	ready     []int64  // cycles: 0, then per register: vectors, scalars, predicates
	preds     []uint64
	Scalars   []uint64
	vectors
	room       *room // with the elements of vectors
	stack      []frame
	pending    uint64 // lanes of a global atomic loop that have not added yet
	iterations int    // of that loop
	swapped    int64  // cycles: when it learnt what the target holds
}

// frame is what structured control flow restores.
type frame struct{ saved, other uint64 }

func (w *Warp) start(p *Program, args []uint64) {
	w.prog, w.pc, w.pending, w.iterations, w.request = p, 0, 0, 0, nil
	w.stack = w.stack[:0]
	clear(w.ready)
	copy(w.Scalars[scalarArgs:], args)
}

func (w *Warp) operandsReady(at int64) int64 {
	waits, ready := &w.prog.Code[w.pc].waits, w.ready
	return max(at, ready[waits[0]], ready[waits[1]], ready[waits[2]], ready[waits[3]])
}

func (w *Warp) setReady(in *Instruction, at int64) {
	if r := in.waits[3]; r > 0 {
		for e := range int16(in.elements()) {
			w.ready[r-e] = at
		}
	}
}

func (w *Warp) Vec(o Operand, lanes int, tmp *[64]uint64) []uint64 {
	n, _ := w.line(o)
	return w.elements(o, n, tmp[:lanes])
}

// elements returns the operand as a vector: the line, if it is one, may be written into tmp.
func (w *Warp) elements(o Operand, n line, tmp []uint64) []uint64 {
	if o.kind == isVector && w.places[o.Reg] > 0 {
		return w.room.at(w.places[o.Reg], len(tmp))
	}
	n.fill(tmp)
	return tmp
}

// target returns the elements of a vector register of which some are to be written.
func (w *Warp) target(o Operand, lanes int) []uint64 {
	straight := w.places[o.Reg] <= 0
	out := w.overwritten(o, lanes)
	if straight {
		w.lines[o.Reg].fill(out)
	}
	return out
}

// overwritten returns the elements of a vector register of which all are to be written. Operands
// are to be asked for before.
func (w *Warp) overwritten(o Operand, lanes int) []uint64 {
	place := &w.places[o.Reg]
	switch {
	case *place == 0:
		*place = w.room.take(lanes)
	case *place < 0:
		*place = -*place
	}
	return w.room.at(*place, lanes)
}

// result returns the elements of a vector register of which the active lanes are to be written.
// Operands are to be asked for before.
func (w *Warp) result(o Operand, lanes int, full uint64) []uint64 {
	if w.mask == full {
		return w.overwritten(o, lanes)
	}
	return w.target(o, lanes)
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

func (w *Warp) write(dst Operand, v []uint64, full uint64) {
	d := w.result(dst, len(v), full)
	if w.mask == full {
		copy(d, v)
		return
	}
	for rest := w.mask; rest != 0; rest &= rest - 1 {
		l := bits.TrailingZeros64(rest)
		d[l] = v[l]
	}
}
