package datasets

import (
	"encoding/binary"
	"io"
)

// chunkBytes is how much of a binary stream is read at once; a multiple of every element size.
const chunkBytes = 256 << 10

// integers reads fixed-size binary integers, the elements of raw streams and of npy arrays.
type integers struct {
	in     *input
	size   int // bytes of an element: 1, 2, 4 or 8
	signed bool
	order  binary.ByteOrder
	opt    Options
	to     elements // once buf is there
	done   uint64   // updates given
	buf    []byte
}

// read gives up to n updates. At the end, cut are the bytes of an element that it cuts off.
func (d *integers) read(to *chunk, n int) (cut int, end bool) {
	if d.buf == nil {
		d.buf = make([]byte, chunkBytes)
		d.to = newElements(d.in, d.opt, d.size, d.signed)
	}
	got, err := io.ReadFull(d.in.r, d.buf[:min(n*d.size, len(d.buf))])
	end = err == io.EOF || err == io.ErrUnexpectedEOF
	d.decode(to, d.buf[:got])
	if err != nil && !end {
		panic(d.in.broken(err))
	}
	return got % d.size, end
}

// decode turns whole elements into indices.
func (d *integers) decode(to *chunk, raw []byte) {
	if d.size == 4 && !d.signed && d.order == binary.LittleEndian && d.to.all() {
		n := len(raw) / 4
		for i := range to.buf[to.n : to.n+n] {
			to.buf[to.n+i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		to.n += n
		d.done += uint64(n)
		return
	}
	for ; len(raw) >= d.size; raw = raw[d.size:] {
		to.add(d.to.index(d.element(raw), d.done))
		d.done++
	}
}

// element reads one integer, sign-extended.
func (d *integers) element(raw []byte) uint64 {
	var v uint64
	switch d.size {
	case 1:
		v = uint64(raw[0])
	case 2:
		v = uint64(d.order.Uint16(raw))
	case 4:
		v = uint64(d.order.Uint32(raw))
	default:
		v = d.order.Uint64(raw)
	}
	if d.signed {
		unused := 64 - 8*d.size
		v = uint64(int64(v<<unused) >> unused)
	}
	return v
}

var (
	u32Format = rawFormat("u32", 4)
	u64Format = rawFormat("u64", 8)
)

func rawFormat(name string, size int) format {
	return format{
		name: name, extensions: []string{"." + name}, unmarked: true, keys: true,
		open: func(in *input, opt Options) (decoder, uint64) {
			r := &raw{integers{in: in, size: size, order: binary.LittleEndian, opt: opt}}
			r.whole(uint64(max(in.content, 0)))
			return r, 0
		},
	}
}

// raw reads a stream of little-endian integers up to its end.
type raw struct{ integers }

// whole demands a whole number of elements.
func (r *raw) whole(bytes uint64) {
	if bytes%uint64(r.size) != 0 {
		panic(r.in.fail(ErrTruncated, "%d bytes are no multiple of the %d of an index", bytes, r.size))
	}
}

func (r *raw) next(to *chunk) bool {
	cut, end := r.read(to, len(to.buf)-to.n)
	r.whole(r.done*uint64(r.size) + uint64(cut))
	return !end
}
