package datasets

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// shaped is a decoder of an array.
type shaped interface{ shape() []uint64 }

func (d *array) shape() []uint64 { return d.part.Shape }

// batch gives each row of an array, which is its last axis, targets of its own.
type batch struct {
	decoder
	skips     bool
	row, bins uint64 // elements of a row, and targets
	done      uint64
}

func newBatch(in *input, of decoder, opt Options) (b *batch, bins uint64) {
	array, ok := of.(shaped)
	if !ok || len(array.shape()) < 2 {
		panic(in.fail(ErrOptions, "batch applies to arrays of two or more dimensions"))
	}
	shape := array.shape()
	b = &batch{decoder: of, skips: opt.Ignore != "", row: shape[len(shape)-1], bins: opt.Bins}
	rows, most := uint64(1), (Options{Ignore: opt.Ignore}).limit()
	for _, n := range shape[:len(shape)-1] {
		if rows *= n; rows > most/b.bins {
			panic(in.fail(ErrOptions, "more than %d targets: each row of the shape %v has %d", most, shape, b.bins))
		}
	}
	in.targets = fmt.Sprintf("rows with %d targets each", b.bins)
	return b, rows * b.bins
}

func (b *batch) next(to *chunk) bool {
	from := to.n
	more := b.decoder.next(to)
	for i, index := range to.buf[from:to.n] {
		if !b.skips || index != Inactive {
			to.buf[from+i] += uint32(b.done / b.row * b.bins)
		}
		b.done++
	}
	return more
}

// csr gives the row of each entry of a sparse matrix whose row r has the entries from pointers[r] to
// pointers[r+1].
type csr struct {
	in       *input
	pointers decoder
	read     chunk // pointers
	taken    int   // of these
	more     bool
	row      uint32
	at, end  uint32 // entries
}

const csrPointers = "indptr"

// newCSR returns the rows as targets, and their number.
func newCSR(in *input, of decoder, opt Options) (decoder, uint64) {
	array, ok := of.(shaped)
	if !ok || len(array.shape()) != 1 || array.shape()[0] < 2 {
		panic(in.fail(ErrOptions, "csr applies to one-dimensional arrays of two or more elements, such as indptr"))
	}
	rows := array.shape()[0] - 1
	if bins := cmp.Or(opt.Bins, MaxBins); rows > bins {
		panic(in.fail(ErrRange, "holds %d rows, more than the %d bins", rows, bins))
	}
	in.targets = "the rows of " + csrPointers
	return &csr{in: in, pointers: of, more: true, read: chunk{buf: make([]uint32, 1<<12)}}, rows
}

func (c *csr) next(to *chunk) bool {
	for to.free() {
		if c.at < c.end {
			c.at++
			to.add(c.row - 2) // a row ends with the second pointer
			continue
		}
		next, ok := c.pointer()
		switch {
		case !ok:
			return false
		case c.row == 0 && next != 0, next < c.end:
			panic(c.in.fail(ErrFormat, "element %d of %s is %d, after %d", c.row, csrPointers, next, c.end))
		}
		c.row, c.end = c.row+1, next
	}
	return true
}

func (c *csr) pointer() (p uint32, ok bool) {
	for c.taken == c.read.n && c.more {
		c.taken, c.read.n = 0, 0
		c.more = c.pointers.next(&c.read)
	}
	if c.taken == c.read.n {
		return 0, false
	}
	c.taken++
	return c.read.buf[c.taken-1], true
}

// checkRows refuses options that contradict Batch and CSR.
func (o Options) checkRows() error {
	switch part := o.Row + o.Column + o.Axis; {
	case (o.Batch || o.CSR) && (part != "" || o.Keys || o.sorts()), o.Batch && o.CSR:
		return fmt.Errorf("%w: batch and csr exclude each other, row, column, axis, keys and order", ErrOptions)
	case o.Batch && o.Bins == 0:
		return fmt.Errorf("%w: batch needs the number of targets of each row as bins", ErrOptions)
	case o.CSR && o.Ignore != "":
		return fmt.Errorf("%w: csr and ignore exclude each other", ErrOptions)
	}
	return nil
}

// isCSR reports whether arrays are those of a sparse matrix.
func isCSR(arrays []tensor.Array) bool {
	return slices.ContainsFunc(arrays, func(a tensor.Array) bool { return a.Name == csrPointers })
}

// Expanded returns the length of the rows of a two-dimensional array, once the Reader has read it, where the first
// ones are each one index repeated, as in an index that was expanded to rows of values; else 0.
func (r *Reader) Expanded() (length uint64) {
	d, ok := r.dec.(interface{ expanded(*Random) uint64 })
	if !ok {
		return 0
	}
	return d.expanded(r.random())
}

const mostCompared = 1 << 14 // indices

func (d *array) expanded(at *Random) uint64 {
	shape := d.part.Shape
	if len(shape) != 2 || shape[1] < 2 {
		return 0
	}
	if at != nil {
		first := make([]uint32, min(at.Len(), mostCompared))
		if at.Read(first, 0) != nil {
			return 0
		}
		d.compare(first)
	}
	if !d.repeats {
		return 0
	}
	return shape[1]
}

// compare says whether indices are rows of one index each, of which not all are the same.
func (d *array) compare(first []uint32) {
	row := d.part.Shape[1]
	first = first[:uint64(len(first))/row*row]
	d.repeats = len(first) > 0 && slices.Min(first) < slices.Max(first)
	for of := range slices.Chunk(first, int(row)) {
		d.repeats = d.repeats && slices.Min(of) == slices.Max(of)
	}
}
