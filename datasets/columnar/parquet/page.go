package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// The kinds of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

// mostPage bounds a page, compressed and not.
const mostPage = 64 << 20

// header is a PageHeader.
type header struct {
	kind           int64
	length, stored int64 // bytes of the page, uncompressed and in the file
	checksum       int64
	hasChecksum    bool
	values         int64
	encoding       int64
	definitions    int64 // bytes of the levels of a page of version 2
	repetitions    int64
	uncompressed   bool
}

// readHeader reads a PageHeader.
func readHeader(t *thrift) (h header) {
	numbers := func(fields map[int64]*int64) func(int64, byte) bool {
		return func(id int64, kind byte) bool {
			if id == 7 && kind == kindFalse {
				h.uncompressed = true
			}
			to := fields[id]
			if to == nil || kind != kindI32 {
				return false
			}
			*to = t.integer()
			return true
		}
	}
	top := numbers(map[int64]*int64{1: &h.kind, 2: &h.length, 3: &h.stored, 4: &h.checksum})
	v1 := numbers(map[int64]*int64{1: &h.values, 2: &h.encoding})
	v2 := numbers(map[int64]*int64{1: &h.values, 4: &h.encoding, 5: &h.definitions, 6: &h.repetitions})
	t.structure(func(id int64, kind byte) bool {
		switch {
		case (id == 5 || id == 7) && kind == kindStruct:
			t.structure(v1)
			return true
		case id == 8 && kind == kindStruct:
			t.structure(v2)
			return true
		case id > 4:
			return false
		}
		h.hasChecksum = h.hasChecksum || id == 4
		return top(id, kind)
	})
	if h.length < 0 || h.stored < 0 || h.values < 0 || h.definitions < 0 || h.repetitions < 0 {
		t.fail(errThrift)
	}
	return h
}

// pages reads the pages of one chunk.
type pages struct {
	file    *File
	column  *column
	codec   codec.Codec
	at, end int64  // of the next page, and of the chunk
	left    int64  // values of the chunk, yet to come
	entries []byte // of the dictionary, nil before it was read
	inPage  int64  // values left in the page
	levels  *hybrid
	values  values
	fault   error // what ended the reading, and ends each further one
}

func newPages(f *File, c *column, of chunk) (*pages, error) {
	codec, err := of.codecOf()
	if err != nil {
		return nil, err
	}
	start := of.start()
	if start > f.size || of.size > f.size-start {
		return nil, fmt.Errorf("%w: a column's pages reach to byte %d of %d", ErrTruncated,
			uint64(start)+uint64(of.size), f.size)
	}
	return &pages{file: f, column: c, codec: codec, at: start, end: start + of.size,
		left: of.values}, nil
}

// next returns values of the chunk; io.EOF after the last.
func (p *pages) next(to []uint64) (n int, err error) {
	for p.inPage == 0 && p.fault == nil {
		if p.left == 0 {
			return 0, io.EOF
		}
		if err := p.page(); err != nil {
			return 0, err
		}
	}
	for ; n < len(to) && p.inPage > 0 && p.fault == nil; n++ {
		to[n], p.fault = p.value()
	}
	if p.fault != nil && n > 0 {
		n-- // the value that failed
	}
	if n > 0 {
		return n, nil
	}
	return 0, p.fault
}

// value returns the next value of the page.
func (p *pages) value() (uint64, error) {
	err := p.present()
	var v uint64
	if err == nil {
		v, err = p.values.next()
	}
	if err == errPage {
		err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	p.inPage--
	p.left--
	return widen(p.column.kind, v), err
}

// present checks that the next value is no null.
func (p *pages) present() error {
	if p.levels == nil {
		return nil
	}
	level, err := p.levels.next()
	if err == nil && level != p.column.definition {
		return ErrNull
	}
	return err
}

// widen extends a value of 32 bits by its sign, and turns a float into one of 64 bits.
func widen(kind tensor.Type, bits uint64) uint64 {
	switch kind {
	case tensor.Int32:
		return uint64(int64(int32(bits)))
	case tensor.Uint32:
		return uint64(uint32(bits))
	case tensor.Float32:
		return math.Float64bits(float64(math.Float32frombits(uint32(bits))))
	}
	return bits
}

// page reads the next page.
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
			return fmt.Errorf("%w: pages hold more values than their column", ErrMalformed)
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
	return fmt.Errorf("%w: a page of the unknown kind %d", ErrUnsupported, h.kind)
}

// read reads a page and its header.
func (p *pages) read() (header, []byte, error) {
	h, err := p.header()
	if err != nil {
		return h, nil, err
	}
	if h.stored > p.end-p.at {
		return h, nil, fmt.Errorf("%w: a page of %d bytes in a column of %d", ErrTruncated, h.stored,
			p.end-p.at)
	}
	if h.stored > mostPage || h.length > mostPage {
		return h, nil, fmt.Errorf("%w: a page of %d bytes, the most is %d; save it with smaller pages",
			ErrUnsupported, max(h.stored, h.length), mostPage)
	}
	data := make([]byte, h.stored)
	if err := readAt(p.file.r, data, p.at); err != nil {
		return h, nil, err
	}
	p.at += h.stored
	if h.hasChecksum && crc32.ChecksumIEEE(data) != uint32(h.checksum) {
		return h, nil, fmt.Errorf("%w: a page's checksum is wrong", ErrMalformed)
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
			return h, fmt.Errorf("%w: a column's pages end early", ErrTruncated)
		case t.err != errShort || length >= most:
			return h, fmt.Errorf("%w: a page's header: %w", ErrMalformed, t.err)
		}
	}
}

// decode decompresses what a page holds.
func (p *pages) decode(data []byte, length int64) ([]byte, error) {
	raw, err := p.codec.Decode(data, int(length))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return raw, nil
}

// dictionary reads the entries.
func (p *pages) dictionary(h header, data []byte) error {
	if p.entries != nil {
		return fmt.Errorf("%w: a second dictionary in a group of rows", ErrMalformed)
	}
	raw, err := p.decode(data, h.length)
	if err != nil {
		return err
	}
	if h.values > int64(len(raw)/p.column.kind.Size) {
		return fmt.Errorf("%w: a dictionary of %d entries in %d bytes", ErrMalformed, h.values, len(raw))
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
			return fmt.Errorf("%w: %w", ErrMalformed, errPage)
		}
		levels, data = data[h.repetitions:both], data[both:]
		if h.length -= both; !h.uncompressed {
			if data, err = p.decode(data, h.length); err != nil {
				return err
			}
		}
	} else if data, err = p.decode(data, h.length); err != nil {
		return err
	} else if p.column.definition > 0 {
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return fmt.Errorf("%w: %w", ErrMalformed, errPage)
		}
		length := binary.LittleEndian.Uint32(data)
		levels, data = data[4:][:length], data[4+length:]
	}
	if p.column.definition > 0 {
		p.levels = &hybrid{data: levels, width: p.column.levelBits()}
	}
	p.values, err = p.encoded(h.encoding, data)
	if errors.Is(err, errPage) {
		err = fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return err
}

// encoded returns the values of a page.
func (p *pages) encoded(encoding int64, data []byte) (values, error) {
	const byPlain, byDictionary, byDelta, byDictionary2, bySplit = 0, 2, 5, 8, 9
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
	return nil, fmt.Errorf("%w: values in the encoding %d", ErrUnsupported, encoding)
}
