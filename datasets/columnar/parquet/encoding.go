package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// errPage says that a page's values are broken or too few.
var errPage = tensor.Faultf(tensor.ErrMalformed, "its values are malformed or too few")

// values gives the values of a page, one by one, as their bits.
type values interface {
	next() (uint64, error)
}

// plain is the encoding PLAIN of numbers.
type plain struct {
	data []byte
	size int // bytes of a value
}

func (p *plain) next() (uint64, error) {
	if len(p.data) < p.size {
		return 0, errPage
	}
	v := number(p.data, p.size)
	p.data = p.data[p.size:]
	return v, nil
}

// number is the plain value of 1, 2, 4 or 8 bytes that data begins with.
func number(data []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(data))
	case 4:
		return uint64(binary.LittleEndian.Uint32(data))
	}
	return binary.LittleEndian.Uint64(data)
}

// split is the encoding BYTE_STREAM_SPLIT: the first bytes of all values, then the second ones.
type split struct {
	data []byte
	size int
	at   int
}

func (s *split) next() (uint64, error) {
	n := len(s.data) / s.size
	if s.at >= n {
		return 0, errPage
	}
	var v uint64
	for i := range s.size {
		v |= uint64(s.data[i*n+s.at]) << (8 * i)
	}
	s.at++
	return v, nil
}

// packedBits reads numbers of a width of up to 64 bits, the least significant bits first.
type packedBits struct {
	data []byte
	bit  uint64 // the next bit
}

func (p *packedBits) next(width int) (uint64, error) {
	if p.bit+uint64(width) > 8*uint64(len(p.data)) {
		return 0, errPage
	}
	var v uint64
	for got := 0; got < width; {
		in := int(p.bit % 8)
		n := min(8-in, width-got)
		v |= uint64(p.data[p.bit/8]) >> in & (1<<n - 1) << got
		got += n
		p.bit += uint64(n)
	}
	return v, nil
}

// hybrid is the encoding of levels and numbers of entries: runs of one value and groups of 8 packed ones.
type hybrid struct {
	data   []byte
	width  int    // bits of a value, up to 32
	left   uint64 // values of the run
	value  uint64 // of a run of one value
	packed *packedBits
}

func (h *hybrid) next() (uint64, error) {
	for h.left == 0 {
		if err := h.run(); err != nil {
			return 0, err
		}
	}
	h.left--
	if h.packed == nil {
		return h.value, nil
	}
	return h.packed.next(h.width)
}

func (h *hybrid) run() error {
	head, n := binary.Uvarint(h.data)
	if n <= 0 {
		return errPage
	}
	h.data = h.data[n:]
	h.left, h.packed = head>>1, nil
	bytes := uint64(h.width+7) / 8
	if head&1 != 0 { // so many groups of 8
		groups := head >> 1
		if groups > uint64(len(h.data)) && h.width > 0 {
			groups = uint64(len(h.data)) // the last group may be cut off
		}
		h.left = min(groups, 1<<60) * 8
		bytes = min(groups*uint64(h.width), uint64(len(h.data)))
		h.packed = &packedBits{data: h.data[:bytes]}
	} else if bytes > uint64(len(h.data)) {
		return errPage
	} else {
		var raw [8]byte
		copy(raw[:], h.data[:bytes])
		h.value = binary.LittleEndian.Uint64(raw[:])
	}
	h.data = h.data[bytes:]
	return nil
}

type dictionary struct {
	entries []byte
	size    int // bytes of an entry
	numbers hybrid
}

func (d *dictionary) next() (uint64, error) {
	i, err := d.numbers.next()
	if err != nil || i >= uint64(len(d.entries)/d.size) {
		return 0, errPage
	}
	return number(d.entries[i*uint64(d.size):], d.size), nil
}

func newDictionary(entries []byte, size int, data []byte) (*dictionary, error) {
	const mostWidth = 32
	if len(data) == 0 || data[0] > mostWidth {
		return nil, errPage
	}
	return &dictionary{entries, size, hybrid{data: data[1:], width: int(data[0])}}, nil
}

// delta is the encoding DELTA_BINARY_PACKED: differences, in blocks whose least difference is
// taken off, in miniblocks of one width each.
type delta struct {
	data      []byte
	miniblock uint64 // values of a miniblock
	perBlock  int    // miniblocks
	left      uint64 // values yet to come
	first     bool   // the next value is the first
	value     uint64
	least     uint64 // difference of the block
	widths    []byte // of the miniblocks to come
	packed    packedBits
	width     int
	inMini    uint64 // values left in the miniblock
}

func newDelta(data []byte) (*delta, error) {
	t := &thrift{data: data} // whose numbers these are
	block, perBlock, total, value := t.uvarint(), t.uvarint(), t.uvarint(), t.integer()
	const mostBlock = 1 << 20
	if t.err != nil || block == 0 || block > mostBlock || perBlock == 0 || perBlock > block ||
		block%perBlock != 0 || block/perBlock%8 != 0 {
		return nil, errPage
	}
	return &delta{data: data[t.at:], miniblock: block / perBlock, perBlock: int(perBlock), left: total, first: true,
		value: uint64(value)}, nil
}

func (d *delta) next() (uint64, error) {
	if d.left == 0 {
		return 0, errPage
	}
	d.left--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.inMini == 0 {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	d.inMini--
	v, err := d.packed.next(d.width)
	d.value += d.least + v
	return d.value, err
}

func (d *delta) begin() error {
	if len(d.widths) == 0 {
		t := &thrift{data: d.data}
		d.least, d.widths = uint64(t.integer()), t.take(uint64(d.perBlock))
		if d.data = d.data[t.at:]; t.err != nil {
			return errPage
		}
	}
	d.width, d.widths = int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errPage
	}
	_, bytes := bits.Mul64(d.miniblock/8, uint64(d.width))
	bytes = min(bytes, uint64(len(d.data))) // the last miniblock may be cut off
	d.packed = packedBits{data: d.data[:bytes]}
	d.data, d.inMini = d.data[bytes:], d.miniblock
	return nil
}
