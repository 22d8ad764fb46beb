package parquet

import (
	"cmp"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

const mostPage = 64 << 20

type header struct {
	kind           int64
	length, stored int64 // bytes of the page, uncompressed and in the file
	checksum       int64 // of 32 bits; noChecksum: there is none
	values         int64
	encoding       int64
	definitions    int64 // bytes of the levels of a page of version 2
	repetitions    int64
	compressed     int64 // 0: a page of version 2 is not
}

const noChecksum = math.MaxInt64

func readHeader(t *thrift) header {
	h := header{checksum: noChecksum, compressed: 1}
	t.fields(fields{1: &h.kind, 2: &h.length, 3: &h.stored, 4: &h.checksum,
		5: nil, 0x501: &h.values, 0x502: &h.encoding, 7: nil, 0x701: &h.values, 0x702: &h.encoding,
		8: nil, 0x801: &h.values, 0x804: &h.encoding, 0x805: &h.definitions, 0x806: &h.repetitions,
		0x807: &h.compressed})
	if h.length < 0 || h.stored < 0 || h.values < 0 || h.definitions < 0 || h.repetitions < 0 {
		t.fail(errThrift)
	}
	return h
}

type pages struct {
	file    *File
	column  *column
	codec   codec.Codec
	at, end int64  // of the next page, and of the chunk
	left    int64  // values of the chunk, yet to come
	entries []byte // of the dictionary, nil before it was read
	inPage  int64  // values left in the page
	empty   int64  // lists without an element that were passed over
	levels  *hybrid
	values  values
}

func newPages(f *File, c *column, of chunk) (*pages, error) {
	codec, known := codecs[of.codec]
	if !known {
		return nil, tensor.Faultf(tensor.ErrUnsupported, "pages compressed with %s; save them with Zstandard or Snappy",
			cmp.Or(others[of.codec], unknown))
	}
	start := of.data
	if of.dict > 0 {
		start = min(start, of.dict)
	}
	if start > f.size || of.size > f.size-start {
		return nil, tensor.Faultf(tensor.ErrTruncated, "a column's pages reach to byte %d of %d",
			uint64(start)+uint64(of.size), f.size)
	}
	return &pages{file: f, column: c, codec: codec, at: start, end: start + of.size, left: of.values}, nil
}

// next returns values of the chunk; io.EOF after the last.
func (p *pages) next(to []uint64) (n int, err error) {
	for p.inPage == 0 {
		if p.left == 0 {
			return 0, io.EOF
		}
		if err := p.page(); err != nil {
			return 0, err
		}
	}
	for most := min(int64(len(to)), p.inPage); most > 0 && err == nil; most-- {
		to[n], err = p.value()
		if p.inPage, p.left = p.inPage-1, p.left-1; err == nil {
			n++
		} else if err == errEmpty {
			p.empty++
			err = nil
		}
	}
	p.column.kind.Widen(to[:n])
	return n, err
}

// errEmpty stands for a list that has no element.
var errEmpty = errors.New("empty list")

// value returns the bits of the next value of the page.
func (p *pages) value() (uint64, error) {
	if p.levels != nil {
		if level, err := p.levels.next(); err != nil {
			return 0, err
		} else if level < p.column.repeated {
			return 0, errEmpty
		} else if level != p.column.definition {
			return 0, datasets.ErrNull
		}
	}
	return p.values.next()
}

func (p *pages) page() error {
	h, data, err := p.read()
	if err != nil {
		return err
	}
	switch h.kind {
	case pageDictionary:
		return p.dictionary(h, data)
	case pageIndex:
		return nil
	case pageData, pageDataV2:
		if h.values > p.left {
			return tensor.Faultf(tensor.ErrMalformed, "pages hold more values than their column")
		}
		if h.values == 0 {
			return nil
		}
		if err := p.begin(h, data); err != nil {
			return err
		}
		p.inPage = h.values
		return nil
	}
	return tensor.Faultf(tensor.ErrUnsupported, "a page of the unknown kind %d", h.kind)
}

func (p *pages) read() (header, []byte, error) {
	h, err := p.header()
	if err != nil {
		return h, nil, err
	}
	if h.stored > p.end-p.at {
		return h, nil, tensor.Faultf(tensor.ErrTruncated, "a page of %d bytes in a column of %d", h.stored, p.end-p.at)
	}
	if h.stored > mostPage || h.length > mostPage {
		return h, nil, tensor.Faultf(tensor.ErrUnsupported, "a page of %d bytes, the most is %d; save it with smaller pages",
			max(h.stored, h.length), mostPage)
	}
	data := make([]byte, h.stored)
	if err := readAt(p.file.r, data, p.at); err != nil {
		return h, nil, err
	}
	p.at += h.stored
	if h.checksum != noChecksum && crc32.ChecksumIEEE(data) != uint32(h.checksum) {
		return h, nil, tensor.Faultf(tensor.ErrMalformed, "a page's checksum is wrong")
	}
	return h, data, nil
}

// header reads the header of the next page, whose length is not known before.
func (p *pages) header() (h header, err error) {
	const first, most = 256, 1 << 20
	for length := int64(first); ; length *= 16 {
		length = min(length, p.end-p.at)
		raw := make([]byte, length)
		if err := readAt(p.file.r, raw, p.at); err != nil {
			return h, err
		}
		t := &thrift{data: raw}
		h = readHeader(t)
		switch {
		case t.err == nil:
			p.at += int64(t.at)
			return h, nil
		case t.err == errShort && length == p.end-p.at:
			return h, tensor.Faultf(tensor.ErrTruncated, "a column's pages end early")
		case t.err != errShort || length >= most:
			return h, tensor.Faultf(tensor.ErrMalformed, "a page's header: %v", t.err)
		}
	}
}

func (p *pages) dictionary(h header, data []byte) error {
	if p.entries != nil {
		return tensor.Faultf(tensor.ErrMalformed, "a second dictionary in a group of rows")
	}
	raw, err := p.codec.Decode(data, int(h.length))
	if err != nil {
		return err
	}
	if h.values > int64(len(raw)/p.column.kind.Size) {
		return tensor.Faultf(tensor.ErrMalformed, "a dictionary of %d entries in %d bytes", h.values, len(raw))
	}
	p.entries = raw[:h.values*int64(p.column.kind.Size)]
	return nil
}

// begin finds the levels and the values of a page of data.
func (p *pages) begin(h header, data []byte) (err error) {
	p.levels = nil
	var levels []byte
	if h.kind == pageDataV2 {
		both := h.repetitions + h.definitions
		if both > h.length || both > int64(len(data)) {
			return errPage
		}
		levels, data = data[h.repetitions:both], data[both:]
		if h.length -= both; h.compressed != 0 {
			if data, err = p.codec.Decode(data, int(h.length)); err != nil {
				return err
			}
		}
	} else if data, err = p.codec.Decode(data, int(h.length)); err != nil {
		return err
	} else {
		if p.column.repeated > 0 {
			_, data, err = cutLevels(data)
		}
		if err == nil && p.column.definition > 0 {
			levels, data, err = cutLevels(data)
		}
		if err != nil {
			return err
		}
	}
	if p.column.definition > 0 {
		p.levels = &hybrid{data: levels, width: p.column.levelBits()}
	}
	p.values, err = p.encoded(h.encoding, data)
	return err
}

// cutLevels splits off levels, which follow their length.
func cutLevels(data []byte) (levels, rest []byte, err error) {
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return nil, nil, errPage
	}
	length := binary.LittleEndian.Uint32(data)
	return data[4:][:length], data[4+length:], nil
}

func (p *pages) encoded(encoding int64, data []byte) (values, error) {
	const byPlain, byDictionary, byRuns, byDelta, byDictionary2, bySplit = 0, 2, 3, 5, 8, 9
	flags := p.column.kind == tensor.Bool
	switch {
	case flags && encoding == byPlain:
		return &hybrid{left: math.MaxUint64, width: 1, packed: &packedBits{data: data}}, nil
	case flags && encoding == byRuns:
		runs, _, err := cutLevels(data)
		return &hybrid{data: runs, width: 1}, err
	}
	switch encoding {
	case byPlain:
		return &plain{data, p.column.kind.Size}, nil
	case byDictionary, byDictionary2:
		if len(data) == 0 { // a page of nulls
			return &plain{nil, p.column.kind.Size}, nil
		}
		return newDictionary(p.entries, p.column.kind.Size, data)
	case byDelta:
		return newDelta(data)
	case bySplit:
		return &split{data: data, size: p.column.kind.Size}, nil
	}
	return nil, tensor.Faultf(tensor.ErrUnsupported, "values in the encoding %d", encoding)
}
