package datasets

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// chunkBytes is how much of a binary stream is read at once; a multiple of every element size.
const chunkBytes = 256 << 10

// blockValues is how many numbers are turned into indices at once.
const blockValues = 1 << 10

// numbers reads fixed-size binary numbers, the elements of raw streams and of arrays.
type numbers struct {
	in    *input
	from  io.Reader
	kind  tensor.Type
	to    elements
	done  uint64 // updates given
	buf   []byte
	block []uint64
}

func newNumbers(in *input, from io.Reader, kind tensor.Type, opt Options) numbers {
	to := newElements(in, opt, kind.Size, kind.Kind == tensor.Int)
	if kind.Fractional() {
		to = newElements(in, opt, wholeBytes, true)
	}
	return numbers{in: in, from: from, kind: kind, to: to, block: make([]uint64, blockValues)}
}

// wholeBytes is the size of the integers that whole floats become.
const wholeBytes = 8

// read gives up to n updates. At the end, cut are the bytes of an element that it cuts off.
func (d *numbers) read(to *chunk, n int) (cut int, end bool) {
	if d.buf == nil {
		d.buf = make([]byte, chunkBytes)
	}
	size := d.kind.Size
	got, err := io.ReadFull(d.from, d.buf[:min(n, len(d.buf)/size)*size])
	end = err == io.EOF || err == io.ErrUnexpectedEOF
	d.decode(to, d.buf[:got])
	if err != nil && !end {
		panic(d.in.broken(err))
	}
	return got % size, end
}

// decode turns whole elements into indices.
func (d *numbers) decode(to *chunk, raw []byte) {
	for size := d.kind.Size; len(raw) >= size; {
		n := min(blockValues, len(raw)/size)
		if into := to.buf[to.n : to.n+n]; d.to.plain() && d.copies(into, raw) {
			to.n += n
			d.done += uint64(n)
		} else {
			if d.block == nil {
				d.block = make([]uint64, blockValues)
			}
			d.kind.Values(d.block[:n], raw)
			d.give(to, d.block[:n])
		}
		raw = raw[n*size:]
	}
}

// copies turns little-endian integers of 32 and 64 bits into indices where each is its own; else it
// returns false.
func (d *numbers) copies(into []uint32, raw []byte) bool {
	highest := uint64(0)
	switch d.kind {
	case tensor.Uint32:
		for i := range into {
			into[i] = binary.LittleEndian.Uint32(raw[4*i:])
			highest = max(highest, uint64(into[i]))
		}
	case tensor.Int64, tensor.Uint64:
		for i := range into {
			v := binary.LittleEndian.Uint64(raw[8*i:])
			into[i], highest = uint32(v), max(highest, v) // a negative one is above all
		}
	default:
		return false
	}
	return highest < d.to.limit
}

// give adds indices to a chunk with room for them. Values are as tensor.Type.Values reads them.
func (d *numbers) give(to *chunk, values []uint64) {
	fractional := d.kind.Fractional()
	for _, v := range values {
		if fractional {
			v = d.whole(math.Float64frombits(v))
		}
		to.add(d.to.index(v, d.done))
		d.done++
	}
}

// whole returns a whole number of less than 2^53 in magnitude, beyond which floats leave some out.
func (d *numbers) whole(f float64) uint64 {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	switch {
	case f != math.Trunc(f) || math.IsInf(f, 0):
		panic(d.in.fail(ErrUnsupported, "update %d: %s is no whole number", d.done, text))
	case math.Abs(f) >= 1<<53:
		panic(d.in.fail(ErrRange, "update %d: %s is beyond 2^53, where floats leave out whole numbers",
			d.done, text))
	}
	return uint64(int64(f))
}

var (
	u32Format = rawFormat("u32", tensor.Uint32)
	u64Format = rawFormat("u64", tensor.Uint64)
)

func rawFormat(name string, kind tensor.Type) format {
	return format{
		name: name, extensions: []string{"." + name}, unmarked: true, keys: true,
		open: func(in *input, opt Options) (decoder, uint64) {
			r := &raw{newNumbers(in, in.r, kind, opt)}
			r.multiple(uint64(max(in.content, 0)))
			return r, 0
		},
	}
}

// raw reads a stream of little-endian integers up to its end.
type raw struct{ numbers }

// multiple demands a whole number of elements.
func (r *raw) multiple(bytes uint64) {
	if bytes%uint64(r.kind.Size) != 0 {
		panic(r.in.fail(ErrTruncated, "%d bytes are no multiple of the %d of an index", bytes,
			r.kind.Size))
	}
}

func (r *raw) location() (of *numbers, start, count uint64, ok bool) {
	return &r.numbers, 0, uint64(max(r.in.content, 0)) / uint64(r.kind.Size), true
}

func (r *raw) next(to *chunk) bool {
	cut, end := r.read(to, len(to.buf)-to.n)
	r.multiple(r.done*uint64(r.kind.Size) + uint64(cut))
	return !end
}
