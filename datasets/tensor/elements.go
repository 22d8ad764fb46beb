package tensor

import "io"

// HeldBytes is the largest span that is held in memory to put its elements into C order. Reading it
// takes twice as much for a moment.
const HeldBytes = 96 << 20

const blockBytes = 256 << 10

// Elements returns a reader of the elements' bytes in C order, one element behind the other, until
// the storage ends. It takes no more of the storage than up to the last element.
//
// Where C order goes forwards through the storage, as in rows, columns and steps, it is read in
// blocks. Where it goes back, as in Fortran order, the array's span is held in memory, up to
// HeldBytes. The array must have passed Check.
func (a *Array) Elements(storage io.Reader) (io.Reader, error) {
	span := a.Span()
	rest := &skipped{storage, a.Start}
	bytes := io.LimitReader(rest, int64(span))
	w := &walk{array: a, from: bytes, at: make([]uint64, len(a.Shape)), left: a.Count()}
	switch {
	case a.Contiguous():
		return bytes, nil
	case a.forwards():
		w.block = make([]byte, 0, blockBytes)
	case span > HeldBytes:
		return nil, Faultf(ErrUnsupported, "shape %s with strides %s is not in C order and takes "+
			"more than %d MiB to put there; save it contiguous", a.Dimensions(), tuple(a.Strides),
			HeldBytes>>20)
	default:
		w.hold = true
	}
	return w, nil
}

// Contiguous reports whether the elements are in C order without gaps.
func (a *Array) Contiguous() bool {
	next := uint64(1)
	for k := len(a.Shape) - 1; k >= 0; k-- {
		if a.Shape[k] > 1 && a.Strides[k] != next {
			return a.Count() == 0
		}
		next *= max(a.Shape[k], 1)
	}
	return true
}

// forwards reports whether each element stands behind the one before it in C order.
func (a *Array) forwards() bool {
	reach := uint64(0) // from the first to the last element of the inner dimensions
	for k := len(a.Shape) - 1; k >= 0; k-- {
		if a.Shape[k] > 1 && a.Strides[k] <= reach {
			return false
		}
		reach += (max(a.Shape[k], 1) - 1) * a.Strides[k]
	}
	return true
}

type skipped struct {
	r    io.Reader
	skip uint64
}

func (s *skipped) Read(p []byte) (int, error) {
	if s.skip > 0 {
		n, err := io.CopyN(io.Discard, s.r, int64(s.skip))
		if s.skip -= uint64(n); err != nil {
			return 0, err
		}
	}
	return s.r.Read(p)
}

type walk struct {
	array *Array
	from  io.Reader // the span
	hold  bool      // the whole of it
	base  uint64    // bytes of the span before the block
	block []byte
	at    []uint64 // the indices of the next element
	left  uint64   // elements yet to come
	rest  []byte   // of an element that did not fit
}

func (w *walk) Read(p []byte) (n int, err error) {
	if w.hold && w.block == nil {
		if w.block, err = io.ReadAll(w.from); err != nil {
			return 0, err
		}
	}
	n = copy(p, w.rest)
	w.rest = w.rest[n:]
	for n < len(p) && w.left > 0 {
		element, err := w.element(n > 0)
		if element == nil {
			return n, err
		}
		m := copy(p[n:], element)
		w.rest = element[m:]
		n += m
		w.step()
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// element returns the bytes of the next element, valid until the next call; io.EOF says that the
// storage ends before it does. It is nil where more of the storage must be read and others wait.
func (w *walk) element(others bool) ([]byte, error) {
	position, size := uint64(0), uint64(w.array.Type.Size)
	for k, i := range w.at {
		position += i * w.array.Strides[k]
	}
	position *= size
	for position+size > w.base+uint64(len(w.block)) {
		if others {
			return nil, nil
		}
		if w.hold {
			return nil, io.EOF
		}
		if err := w.advance(position); err != nil {
			return nil, err
		}
	}
	return w.block[position-w.base:][:size], nil
}

// advance reads the block that begins at a position behind all that was read before, or that keeps
// the bytes of the last block from there.
func (w *walk) advance(position uint64) error {
	end := w.base + uint64(len(w.block))
	kept := 0
	if position < end {
		kept = copy(w.block[:cap(w.block)], w.block[position-w.base:])
	} else if _, err := io.CopyN(io.Discard, w.from, int64(position-end)); err != nil {
		return err
	}
	n, err := io.ReadFull(w.from, w.block[kept:cap(w.block)])
	w.base, w.block = position, w.block[:kept+n]
	if err == io.ErrUnexpectedEOF && kept+n >= w.array.Type.Size {
		err = nil
	}
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return err
}

func (w *walk) step() {
	w.left--
	for k := len(w.at) - 1; k >= 0; k-- {
		if w.at[k]++; w.at[k] < w.array.Shape[k] {
			return
		}
		w.at[k] = 0
	}
}
