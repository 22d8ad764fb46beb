package datasets

import (
	"encoding/binary"
	"io"
	"strconv"
)

// chunkBytes is how much of a binary stream is read at once; a multiple of every element size.
const chunkBytes = 256 << 10

// integers reads fixed-size binary integers, the elements of raw streams and of npy arrays.
type integers struct {
	in     *input
	size   int // bytes of an element: 1, 2, 4 or 8
	signed bool
	order  binary.ByteOrder
	limit  uint64            // first index that is out of range
	keys   map[uint64]uint32 // indices of keys, which are sign-extended; nil for indices
	ignore ignored
	skips  bool // elements of the value skip are ignored, once buf is there
	skip   uint64
	done   uint64 // updates given
	buf    []byte
}

// newIntegers returns a reader of integers, to which size, sign and order are yet to be given.
func newIntegers(in *input, opt Options) integers {
	d := integers{in: in, order: binary.LittleEndian, limit: opt.limit(), ignore: newIgnored(opt)}
	if d.ignore.given() && !d.ignore.integer {
		panic(in.fail(ErrOptions, "--ignore %s is no integer, as indices here are", oneLine(opt.Ignore)))
	}
	if opt.Keys {
		d.keys = map[uint64]uint32{}
	}
	return d
}

// read gives up to n updates. At the end, cut are the bytes of an element that it cuts off.
func (d *integers) read(to *chunk, n int) (cut int, end bool) {
	if d.buf == nil {
		d.buf = make([]byte, chunkBytes)
		d.skip, d.skips = d.ignore.element(d.size, d.signed)
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
	if d.size == 4 && !d.signed && d.order == binary.LittleEndian && d.limit == MaxBins &&
		d.keys == nil && !d.skips {
		n := len(raw) / 4
		for i := range to.buf[to.n : to.n+n] {
			to.buf[to.n+i] = binary.LittleEndian.Uint32(raw[4*i:])
		}
		to.n += n
		d.done += uint64(n)
		return
	}
	for ; len(raw) >= d.size; raw = raw[d.size:] {
		if v := d.bits(raw); d.skips && v == d.skip {
			to.add(Inactive)
		} else {
			to.add(d.index(v))
		}
		d.done++
	}
}

// index returns the index that an element stands for.
func (d *integers) index(v uint64) uint32 {
	if d.keys == nil {
		if v >= d.limit {
			value, negative := d.text(v)
			panic(d.in.fail(ErrRange, "update %d: %s", d.done, rangeFault(value, negative, d.limit)))
		}
		return uint32(v)
	}
	id, known := d.keys[v]
	if known {
		return id
	}
	if id = uint32(len(d.keys)); uint64(len(d.keys)) >= d.limit {
		key, _ := d.text(v)
		panic(d.in.fail(ErrRange, "update %d: %s", d.done, keyFault(key, len(d.keys), d.limit)))
	}
	d.keys[v] = id
	return id
}

// text returns an element in decimal digits, and whether it is negative.
func (d *integers) text(v uint64) (digits string, negative bool) {
	if d.signed && int64(v) < 0 {
		return strconv.FormatInt(int64(v), 10), true
	}
	return strconv.FormatUint(v, 10), false
}

// bits reads one integer, sign-extended.
func (d *integers) bits(raw []byte) uint64 {
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
			r := &raw{newIntegers(in, opt)}
			r.size = size
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
