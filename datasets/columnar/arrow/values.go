package arrow

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

const (
	// mostEntries bounds a dictionary, of 8 bytes an entry.
	mostEntries = 8 << 20
	// mostUnpacked is how many entries all dictionaries of a column have for each byte of its file, besides one.
	mostUnpacked = 8
)

type values struct {
	file    *File
	field   *field
	index   int
	at      int64 // the next message of a stream
	block   int   // and of a file
	left    int64 // bytes that further messages of a file may have, no two of which share any
	entries []uint64
	spare   int64 // entries that further dictionaries may have
	part    *part // of the record batch that is read, nil for none
}

// Read begins to read a column.
func (f *File) Read(i int) (datasets.Values, error) {
	return &values{file: f, field: &f.fields[i], index: i, at: f.first, left: f.size,
		spare: mostEntries + mostUnpacked*f.size}, nil
}

func (v *values) Next(to []uint64) (n int, err error) {
	for n == 0 && err == nil {
		if v.part == nil {
			err = v.message()
			continue
		}
		if n, err = v.part.next(to); v.field.dictionary {
			n, err = v.decode(to[:n], err)
		}
		if err == io.EOF {
			v.part.close()
			v.part, err = nil, nil
		}
	}
	return n, err
}

func (v *values) decode(numbers []uint64, err error) (int, error) {
	for i, number := range numbers {
		if number >= uint64(len(v.entries)) {
			return i, tensor.Faultf(tensor.ErrMalformed, "entry %d of a dictionary of %d", number, len(v.entries))
		}
		numbers[i] = v.entries[number]
	}
	return len(numbers), err
}

func (v *values) message() error {
	m, err := v.next()
	if err != nil {
		return err
	}
	switch m.kind {
	case headerBatch:
		kind := v.field.elements().kind
		if v.field.dictionary {
			kind = v.field.indices
		}
		v.part, err = v.file.part(m, m.header, v.file.fields, v.index, kind)
	case headerDictionary:
		if v.field.dictionary && m.header.int64(0) == v.field.id {
			err = v.dictionary(m)
		}
	}
	if err == nil && m.flat.broken {
		err = errMetadata
	}
	return err
}

func (v *values) next() (m message, err error) {
	if !v.file.isFile {
		m, v.at, err = v.file.message(v.at)
		return m, err
	}
	if v.block == len(v.file.blocks) {
		return m, io.EOF
	}
	at := v.file.blocks[v.block]
	if at < 0 || at >= v.file.size {
		return m, tensor.Faultf(tensor.ErrTruncated, "a message at byte %d of %d", at, v.file.size)
	}
	m, _, err = v.file.message(at)
	v.block++
	if v.left -= m.bytes; err == nil && v.left < 0 {
		err = tensor.Faultf(tensor.ErrMalformed, "messages share bytes")
	} else if err == io.EOF {
		err = tensor.Faultf(tensor.ErrMalformed, "an empty message")
	}
	return m, err
}

func (v *values) dictionary(m message) error {
	values := []field{{kind: v.field.kind, typeID: v.field.typeID}}
	p, err := v.file.part(m, m.header.table(1), values, 0, v.field.kind)
	if err != nil {
		return fmt.Errorf("a dictionary: %w", err)
	}
	defer p.close()
	if delta := m.header.byte(2) != 0; !delta {
		v.entries = v.entries[:0]
	}
	for block := make([]uint64, len(p.raw)/p.kind.Size); ; {
		n, err := p.next(block)
		if v.entries = append(v.entries, block[:n]...); err == io.EOF {
			return nil
		}
		if err == nil && len(v.entries) > mostEntries {
			err = tensor.Faultf(tensor.ErrUnsupported, "more than %d entries", mostEntries)
		}
		if v.spare -= int64(n); err == nil && v.spare < 0 {
			err = tensor.Faultf(tensor.ErrUnsupported, "dictionaries of more than %d entries for each byte",
				mostUnpacked)
		}
		if err != nil {
			return fmt.Errorf("entry %d of a dictionary: %w", len(v.entries), err)
		}
	}
}

type part struct {
	kind    tensor.Type
	left    int64 // rows
	nulls   *bitmap
	values  io.Reader
	raw     []byte // a block of values
	closers []io.Closer
}

// part finds the buffers of a column in the body of a message.
func (f *File) part(m message, batch table, fields []field, index int, kind tensor.Type) (*part,
	error) {
	if kind.Kind == tensor.Other {
		return nil, tensor.Faultf(tensor.ErrUnsupported, "holds %s", kind.Name)
	}
	c := &cursor{version: m.version}
	variadicAt, variadics := batch.vector(4, 8)
	c.variadic = func(i uint64) uint64 {
		if i >= variadics {
			m.flat.broken = true
			return 0
		}
		return uint64(m.flat.int64(variadicAt + 8*i))
	}
	for i := range index {
		c.pass(&fields[i])
	}
	nodes, countNodes := batch.vector(1, 16)
	buffers, countBuffers := batch.vector(2, 16)
	compression, err := compressionOf(batch)
	if err != nil {
		return nil, err
	}
	rows, one := batch.int64(0), &fields[index]
	for lists := one; ; lists = &lists.children[0] {
		if m.flat.broken || c.nodes >= countNodes || c.buffers+2 > countBuffers {
			return nil, tensor.Faultf(tensor.ErrMalformed, "a record batch lacks buffers of its columns")
		}
		node, at := nodes+16*c.nodes, buffers+16*c.buffers
		length, nulls := m.flat.int64(node), m.flat.int64(node+8)
		if length < rows || rows < 0 || lists == one && length != rows { // lists may leave out elements at the end
			return nil, tensor.Faultf(tensor.ErrMalformed, "a column of %d rows in a record batch of %d", length, rows)
		}
		bitmap := span{m.flat.int64(at), m.flat.int64(at + 8)}
		data := span{m.flat.int64(at + 16), m.flat.int64(at + 24)}
		if !lists.isList() {
			return f.open(m, kind, rows, nulls, bitmap, data, compression)
		}
		if lists.typeID == typeFixed {
			if high, low := bits.Mul64(uint64(rows), uint64(lists.size)); high > 0 || low > math.MaxInt64 || nulls != 0 {
				return nil, errScattered
			}
			rows *= lists.size
			c.nodes, c.buffers = c.nodes+1, c.buffers+1
			continue
		}
		offsets := tensor.Int32
		if lists.typeID == typeLarge {
			offsets = tensor.Int64
		}
		if rows, err = f.elements(m, offsets, rows, nulls, bitmap, data, compression); err != nil {
			return nil, err
		}
		c.nodes, c.buffers = c.nodes+1, c.buffers+2
	}
}

// open opens the values of a field and, where there are nulls, the bitmap of nulls.
func (f *File) open(m message, kind tensor.Type, length, nulls int64, present, data span, by codec.Codec) (p *part, err error) {
	const block = 1 << 10
	p = &part{kind: kind, left: length, raw: make([]byte, block*kind.Size)}
	if nulls != 0 && present.length > 0 {
		var from io.ByteReader
		from, err = f.buffer(m, present, by, p)
		p.nulls = &bitmap{from: from}
	} else if nulls > 0 {
		err = tensor.Faultf(tensor.ErrMalformed, "nulls without a bitmap")
	}
	if err == nil && length > 0 {
		var from *bufio.Reader
		if from, err = f.buffer(m, data, by, p); kind.Name == tensor.Bool.Name {
			p.values = &bitmap{from: from}
		} else {
			p.values = from
		}
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

var errScattered = tensor.Faultf(tensor.ErrUnsupported,
	"lists whose elements do not follow each other; write the table anew")

// elements counts what is in lists. They must take elements from the first on, each once and in order, nulls none.
func (f *File) elements(m message, kind tensor.Type, length, nulls int64, bitmap, offsets span, by codec.Codec) (n int64,
	err error) {
	if length == 0 {
		return 0, nil
	}
	if length > mostEntries+mostUnpacked*f.size {
		return 0, tensor.Faultf(tensor.ErrUnsupported, "more than %d lists for each byte", mostUnpacked)
	}
	p, err := f.open(m, kind, length, nulls, bitmap, offsets, by)
	if err != nil {
		return 0, err
	}
	defer p.close()
	present := *p
	p.nulls, p.left = nil, length+1
	block, last := make([]uint64, 1<<10), int64(-1)
	for {
		got, err := p.next(block)
		for _, offset := range block[:got] {
			to := int64(offset)
			if last < 0 {
				if last = to; to != 0 {
					return 0, errScattered
				}
				continue
			}
			absent := present.present()
			if absent != nil && absent != datasets.ErrNull {
				return 0, absent
			}
			if to < last || absent != nil && to != last {
				return 0, errScattered
			}
			last = to
		}
		if err == io.EOF {
			return last, nil
		} else if err != nil {
			return 0, err
		}
	}
}

type cursor struct {
	version                   int16
	nodes, buffers, variadics uint64
	variadic                  func(i uint64) uint64
}

func (c *cursor) pass(f *field) {
	c.nodes++
	if f.dictionary {
		c.buffers += 2
		return
	}
	t := types[f.typeID]
	if c.buffers += t.buffers; t.variadic {
		c.buffers += min(c.variadic(c.variadics), math.MaxUint32)
		c.variadics++
	}
	if f.typeID == typeUnion && f.dense {
		c.buffers++
	}
	if f.typeID == typeUnion && c.version < versionFive {
		c.buffers++ // the bitmap of older versions
	}
	for i := range f.children {
		c.pass(&f.children[i])
	}
}

// compressionOf is the codec of a record batch.
func compressionOf(batch table) (codec.Codec, error) {
	if batch.place(3) == 0 {
		return codec.None, nil
	}
	switch by := batch.table(3); {
	case by.byte(1) != 0:
	case by.byte(0) == 0:
		return codec.LZ4Frame, nil
	case by.byte(0) == 1:
		return codec.Zstd, nil
	}
	return 0, tensor.Faultf(tensor.ErrUnsupported, "buffers in an unknown compression")
}

type span struct{ offset, length int64 }

// buffer opens a buffer of a message. A compressed one begins with its length, -1: it is not after all.
func (f *File) buffer(m message, s span, compression codec.Codec, p *part) (*bufio.Reader, error) {
	if s.offset < 0 || s.length < 0 || s.offset > m.length || s.length > m.length-s.offset {
		return nil, tensor.Faultf(tensor.ErrMalformed, "a buffer outside of its message")
	}
	section := io.NewSectionReader(f.r, m.body+s.offset, s.length)
	const block = 64 << 10
	if compression == codec.None {
		return bufio.NewReaderSize(section, block), nil
	}
	var prefix [8]byte
	if _, err := io.ReadFull(section, prefix[:]); err != nil {
		return nil, ended(err)
	}
	length := int64(binary.LittleEndian.Uint64(prefix[:]))
	if length < 0 {
		return bufio.NewReaderSize(section, block), nil
	}
	r, err := compression.Reader(section)
	if err != nil {
		return nil, ended(err)
	}
	p.closers = append(p.closers, r)
	return bufio.NewReaderSize(io.LimitReader(r, length), block), nil
}

func (p *part) close() {
	for _, c := range p.closers {
		_ = c.Close() // they were only read
	}
}

// next returns up to len(to) values; io.EOF after the last row. What it returns before a fault is
// sound.
func (p *part) next(to []uint64) (n int, err error) {
	to = to[:min(int64(len(to)), p.left)]
	if len(to) == 0 {
		return 0, io.EOF
	}
	to = to[:min(len(to), len(p.raw)/p.kind.Size)]
	for ; n < len(to) && err == nil; n++ {
		err = p.present()
	}
	raw := p.raw[:n*p.kind.Size]
	got, short := io.ReadFull(p.values, raw)
	if p.left -= int64(n); short != nil {
		n, err = got/p.kind.Size, ended(short)
	} else if err != nil {
		n-- // the null
	}
	p.kind.Values(to[:n], raw)
	return n, err
}

// present returns ErrNull where the next value is none.
func (p *part) present() error {
	if p.nulls == nil {
		return nil
	}
	present, err := p.nulls.next()
	if err != nil {
		return ended(err)
	}
	if present == 0 {
		return datasets.ErrNull
	}
	return nil
}

// bitmap gives each bit as a byte of 0 or 1.
type bitmap struct {
	from io.ByteReader
	bits byte
	left int // bits
}

func (b *bitmap) next() (bit byte, err error) {
	if b.left == 0 {
		if b.bits, err = b.from.ReadByte(); err != nil {
			return 0, err
		}
		b.left = 8
	}
	bit = b.bits & 1
	b.bits, b.left = b.bits>>1, b.left-1
	return bit, nil
}

func (b *bitmap) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if p[n], err = b.next(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// ended is the error of a buffer that ends early or does not decompress.
func ended(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return tensor.Faultf(tensor.ErrTruncated, "a buffer ends before its last row")
	}
	return tensor.Faultf(tensor.ErrMalformed, "a buffer: %v", err)
}
