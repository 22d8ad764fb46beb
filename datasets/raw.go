package datasets

import (
	"encoding/binary"
	"io"
	"strconv"
)

// chunkBytes is how much of a binary stream is read at once; a multiple of
// every element size.
const chunkBytes = 256 << 10

// integers reads fixed-size binary integers, the elements of raw streams and
// of npy arrays.
type integers struct {
	in     *input
	size   int // bytes of an element: 1, 2, 4 or 8
	signed bool
	order  binary.ByteOrder
	limit  uint64 // first index that is out of range
	done   uint64 // updates given
	buf    []byte
}

// chunk reads the bytes of up to n elements, fewer only at the end of the
// input.
func (d *integers) chunk(n int) ([]byte, error) {
	if d.buf == nil {
		d.buf = make([]byte, chunkBytes)
	}
	got, err := io.ReadFull(d.in.r, d.buf[:min(n*d.size, len(d.buf))])
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if err != nil && err != io.EOF {
		err = d.in.broken(err)
	}
	return d.buf[:got], err
}

// decode turns whole elements into indices.
func (d *integers) decode(buf []uint32, raw []byte) (int, error) {
	if d.size == 4 && !d.signed && d.order == binary.LittleEndian && d.limit == MaxBins {
		n := len(raw) / 4
		for i := range buf[:n] {
			buf[i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		d.done += uint64(n)
		return n, nil
	}
	n := 0
	for ; len(raw) >= d.size; raw = raw[d.size:] {
		v := d.element(raw)
		if v >= d.limit {
			return n, d.fault(v)
		}
		buf[n] = uint32(v)
		n++
		d.done++
	}
	return n, nil
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

// fault says why the next update is out of range.
func (d *integers) fault(v uint64) error {
	value, negative := strconv.FormatUint(v, 10), false
	if d.signed && int64(v) < 0 {
		value, negative = strconv.FormatInt(int64(v), 10), true
	}
	return d.in.fail(ErrRange, "update %d: %s", d.done, rangeFault(value, negative, d.limit))
}

var (
	u32Format = rawFormat("u32", 4)
	u64Format = rawFormat("u64", 8)
)

func rawFormat(name string, size int) format {
	return format{
		name: name, title: "raw " + name, extensions: []string{"." + name}, unmarked: true,
		open: func(in *input, opt Options) (decoder, uint64, error) {
			dec, err := newRaw(in, size, opt)
			return dec, 0, err
		},
	}
}

// raw reads a stream of little-endian integers up to its end.
type raw struct {
	integers
}

func newRaw(in *input, size int, opt Options) (*raw, error) {
	r := &raw{integers{in: in, size: size, order: binary.LittleEndian, limit: opt.limit()}}
	if in.content > 0 && in.content%int64(r.size) != 0 {
		return nil, r.ragged(uint64(in.content))
	}
	return r, nil
}

func (r *raw) ragged(bytes uint64) error {
	return r.in.fail(ErrTruncated, "%d bytes are no multiple of the %d of an index", bytes, r.size)
}

func (r *raw) next(buf []uint32) (int, error) {
	bytes, readErr := r.chunk(len(buf))
	n, err := r.decode(buf, bytes)
	if err == nil && len(bytes)%r.size != 0 {
		err = r.ragged(r.done*uint64(r.size) + uint64(len(bytes)%r.size))
	}
	if err == nil {
		err = readErr
	}
	return n, err
}
