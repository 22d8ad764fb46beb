package datasets

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/visible"
)

// chunkBytes is how much of a binary stream is read at once; a multiple of every element size.
const chunkBytes = 256 << 10

// blockValues is how many numbers are turned into indices at once.
const blockValues = 1 << 10

// numbers reads fixed-size binary numbers, the elements of raw streams, arrays and tables, and turns them into
// indices: each is its own, or with Keys the number of its key, and what Ignore says is Inactive.
type numbers struct {
	in    *input
	from  io.Reader
	kind  tensor.Type
	limit uint64            // first index that is out of range
	keys  map[uint64]uint32 // nil where integers are indices
	skips bool              // the integer skip is ignored
	skip  uint64
	nulls bool   // are ignored, and NaN
	done  uint64 // updates given
	buf   []byte
	block []uint64
}

// newNumbers panics where Ignore names neither an integer nor nulls.
func newNumbers(in *input, from io.Reader, kind tensor.Type, opt Options) numbers {
	d := numbers{in: in, from: from, kind: kind, limit: opt.limit(), block: make([]uint64, blockValues)}
	ignore := newIgnored(opt)
	if d.nulls = opt.Ignore == IgnoreNull; ignore.given() && !ignore.integer && !d.nulls {
		panic(in.fail(ErrOptions, "--ignore %s is not an integer, as indices here are", visible.Line(opt.Ignore)))
	}
	bytes := kind.Size
	if kind.Fractional() {
		bytes = 8 // of the whole numbers that floats become
	}
	d.skip, d.skips = ignore.element(bytes, d.signed())
	if opt.Keys {
		d.keys = map[uint64]uint32{}
	}
	return d
}

func (d *numbers) signed() bool { return d.kind.Kind != tensor.Uint }

func (d *numbers) element() tensor.Type {
	if d.keys != nil || d.kind.Fractional() {
		return tensor.Uint32
	}
	return d.kind
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

func (d *numbers) decode(to *chunk, raw []byte) {
	for size := d.kind.Size; len(raw) >= size; {
		n := min(blockValues, len(raw)/size)
		if into := to.buf[to.n : to.n+n]; d.keys == nil && !d.skips && d.copies(into, raw) {
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

// copies turns integers of 32 and 64 bits into indices where each is its own; else it returns false.
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
	return highest < d.limit
}

// give adds indices to a chunk with room for them. Values are as tensor.Type.Values reads them.
func (d *numbers) give(to *chunk, values []uint64) {
	fractional := d.kind.Fractional()
	for _, v := range values {
		if f := math.Float64frombits(v); fractional && d.nulls && math.IsNaN(f) {
			d.null(to)
			continue
		} else if fractional {
			v = d.whole(f)
		}
		to.add(d.index(v))
		d.done++
	}
}

func (d *numbers) null(to *chunk) {
	to.add(Inactive)
	d.done++
}

func (d *numbers) index(v uint64) uint32 {
	switch {
	case d.skips && v == d.skip:
		return Inactive
	case d.keys != nil:
		return d.key(v)
	case v >= d.limit:
		value, negative := d.text(v)
		panic(d.in.fail(ErrRange, "update %d: %s", d.done, rangeFault(value, negative, d.limit)))
	}
	return uint32(v)
}

const integerKeyBytes = 50 // about the memory of one

func (d *numbers) key(v uint64) uint32 {
	if id, known := d.keys[v]; known {
		return id
	}
	id := len(d.keys)
	if uint64(id) >= d.limit {
		key, _ := d.text(v)
		panic(d.in.fail(ErrRange, "update %d: %s", d.done, keyFault(key, id, d.limit)))
	}
	d.in.hold(integerKeyBytes, "distinct keys")
	d.keys[v] = uint32(id)
	return uint32(id)
}

func (d *numbers) text(v uint64) (digits string, negative bool) {
	if d.signed() && int64(v) < 0 {
		return strconv.FormatInt(int64(v), 10), true
	}
	return strconv.FormatUint(v, 10), false
}

// whole returns a whole number of less than 2^53 in magnitude, beyond which floats leave some out.
func (d *numbers) whole(f float64) uint64 {
	whole, beyond := wholeFloat(f)
	text := strconv.FormatFloat(f, 'g', -1, 64)
	switch {
	case beyond:
		panic(d.in.fail(ErrRange, "update %d: %s%s", d.done, text, beyondFault))
	case math.IsNaN(f):
		panic(d.in.fail(ErrUnsupported, "update %d: NaN is not a whole number (--ignore null treats it as padding)", d.done))
	case float64(whole) != f:
		panic(d.in.fail(ErrUnsupported, "update %d: %s is not a whole number", d.done, text))
	}
	return uint64(whole)
}

const beyondFault = " is beyond 2^53, where floats skip whole numbers"

// wholeFloat returns the whole part of a float; beyond says that it is too large to be exact.
func wholeFloat(f float64) (whole int64, beyond bool) {
	if math.Abs(f) >= 1<<53 {
		return 0, !math.IsInf(f, 0)
	}
	return int64(f), false
}

var (
	u32Format = rawFormat("u32", tensor.Uint32)
	u64Format = rawFormat("u64", tensor.Uint64)
)

func rawFormat(name string, kind tensor.Type) format {
	return format{
		name: name, extensions: []string{"." + name}, unmarked: true, takes: takesKeys,
		open: func(in *input, opt Options) (decoder, uint64) {
			in.refuseForeign()
			if kind.Size == tensor.Uint32.Size && looksWide(in.peek(peekBytes), surelyWide) {
				panic(in.fail(ErrFormat, "every second index is 0, as in 64-bit indices: use --format u64 "+
					"(32-bit indices with such zeros can be saved as npy)"))
			}
			r := &raw{newNumbers(in, in.r, kind, opt)}
			r.multiple(uint64(max(in.content, 0)))
			return r, 0
		},
	}
}

// surelyWide is how many pairs of 32-bit indices, the second 0, are taken for 64-bit ones.
const surelyWide = 16

type raw struct{ numbers }

func (r *raw) multiple(bytes uint64) {
	if bytes%uint64(r.kind.Size) != 0 {
		panic(r.in.fail(ErrTruncated, "%d bytes are not a multiple of the %d of an index", bytes,
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
