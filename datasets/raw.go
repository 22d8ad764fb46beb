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
	limit uint64 // first index that is out of range
	done  uint64 // updates given
	buf   []byte
	block []uint64
}

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
	if d.kind == tensor.Uint32 && d.limit == MaxBins {
		n := len(raw) / 4
		for i := range to.buf[to.n : to.n+n] {
			to.buf[to.n+i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		to.n += n
		d.done += uint64(n)
		return
	}
	if d.block == nil {
		d.block = make([]uint64, blockValues)
	}
	for size := d.kind.Size; len(raw) >= size; {
		block := d.block[:min(len(d.block), len(raw)/size)]
		d.kind.Values(block, raw)
		d.give(to, block)
		raw = raw[len(block)*size:]
	}
}

// give adds indices to a chunk with room for them. Values are as tensor.Type.Values reads them.
func (d *numbers) give(to *chunk, values []uint64) {
	fractional := d.kind.Fractional()
	for _, v := range values {
		if fractional {
			v = d.whole(math.Float64frombits(v))
		}
		if v >= d.limit {
			panic(d.outside(v))
		}
		to.add(uint32(v))
		d.done++
	}
}

// outside is the fault of an index that is out of range.
func (d *numbers) outside(v uint64) error {
	value, negative := strconv.FormatUint(v, 10), d.kind.Kind != tensor.Uint && int64(v) < 0
	if negative {
		value = strconv.FormatInt(int64(v), 10)
	}
	return d.in.fail(ErrRange, "update %d: %s", d.done, rangeFault(value, negative, d.limit))
}

// whole returns a whole number of less than 2^53 in magnitude, beyond which floats leave some out.
func (d *numbers) whole(f float64) uint64 {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	switch {
	case f != math.Trunc(f) || math.IsInf(f, 0):
		panic(d.in.fail(ErrUnsupported, "update %d: %s is no whole number", d.done, text))
	case math.Abs(f) >= 1<<53:
		panic(d.in.fail(ErrRange, "update %d: %s", d.done, rangeFault(text, f < 0, MaxBins)))
	}
	return uint64(int64(f))
}

var (
	u32Format = rawFormat("u32", tensor.Uint32)
	u64Format = rawFormat("u64", tensor.Uint64)
)

func rawFormat(name string, kind tensor.Type) format {
	return format{
		name: name, extensions: []string{"." + name}, unmarked: true,
		open: func(in *input, opt Options) (decoder, uint64) {
			r := &raw{numbers{in: in, from: in.r, kind: kind, limit: opt.limit()}}
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

func (r *raw) next(to *chunk) bool {
	cut, end := r.read(to, len(to.buf)-to.n)
	r.multiple(r.done*uint64(r.kind.Size) + uint64(cut))
	return !end
}
