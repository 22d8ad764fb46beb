package arrow

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

const (
	// mostEntries bounds a dictionary, of 8 bytes an entry.
	mostEntries = 8 << 20
	// mostUnpacked is how many entries all dictionaries of a column have for each byte of its file, besides one.
	mostUnpacked = 8
)

// Values are the values of one column, in the order of its rows.
type Values struct {
	file    *File
	field   *field
	index   int
	at      int64 // the next message of a stream
	block   int   // and of a file
	left    int64 // bytes that further messages of a file may have, no two of which share any
	entries []uint64
	spare   int64 // entries that further dictionaries may have
	part    *part // of the record batch that is read, nil for none
	row     uint64
	fault   error
}

// Read begins to read a column.
func (f *File) Read(i int) (*Values, error) {
	return &Values{file: f, field: &f.fields[i], index: i, at: f.first, left: f.size,
		spare: mostEntries + mostUnpacked*f.size}, nil
}

// Next returns up to len(to) values, integers extended by their sign and floats as the bits of 64,
// and io.EOF after the last. A null is an error that names its row, counted from 0.
func (v *Values) Next(to []uint64) (n int, err error) {
	for n == 0 && v.fault == nil {
		if v.part == nil {
			v.fault = v.message()
			continue
		}
		n, err = v.part.next(to)
		if v.field.dictionary {
			n, err = v.decode(to[:n], err)
		}
		switch v.row += uint64(n); err {
		case nil:
		case io.EOF:
			v.part.close()
			v.part = nil
		default:
			v.fault = fmt.Errorf("row %d: %w", v.row, err)
		}
	}
	if n > 0 {
		return n, nil
	}
	return 0, v.fault
}

// decode puts entries of the dictionary for their numbers.
func (v *Values) decode(numbers []uint64, err error) (int, error) {
	for i, number := range numbers {
		if number >= uint64(len(v.entries)) {
			return i, fmt.Errorf("%w: entry %d of a dictionary of %d", ErrMalformed, number,
				len(v.entries))
		}
		numbers[i] = v.entries[number]
	}
	return len(numbers), err
}

// message takes the next message.
func (v *Values) message() error {
	m, err := v.next()
	if err != nil {
		return err
	}
	switch m.kind {
	case headerBatch:
		kind := v.field.kind
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
		err = fmt.Errorf("%w: a message's metadata", ErrMalformed)
	}
	return err
}

// next reads the metadata of the next message.
func (v *Values) next() (m message, err error) {
	if !v.file.isFile {
		m, v.at, err = v.file.message(v.at)
		return m, err
	}
	m, err = v.file.block(v.block)
	v.block++
	if v.left -= m.bytes; err == nil && v.left < 0 {
		err = fmt.Errorf("%w: its messages share bytes", ErrMalformed)
	}
	return m, err
}

// dictionary reads the entries of a dictionary, or adds to them.
func (v *Values) dictionary(m message) error {
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
			err = fmt.Errorf("%w: more than %d entries", ErrUnsupported, mostEntries)
		}
		if v.spare -= int64(n); err == nil && v.spare < 0 {
			err = fmt.Errorf("%w: dictionaries of more than %d entries for each byte", ErrUnsupported, mostUnpacked)
		}
		if err != nil {
			return fmt.Errorf("entry %d of a dictionary: %w", len(v.entries), err)
		}
	}
}

// part is one column of one record batch.
type part struct {
	kind    tensor.Type
	left    int64 // rows
	nulls   *bufio.Reader
	bits    byte // of the bitmap
	bit     int  // how many of them are left
	values  *bufio.Reader
	raw     []byte // a block of values
	closers []io.Closer
}

// part finds the buffers of a column in the body of a message.
func (f *File) part(m message, batch table, fields []field, index int, kind tensor.Type) (*part,
	error) {
	if kind.Kind == tensor.Other {
		return nil, fmt.Errorf("%w: %s", ErrUnsupported, kind.Name)
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
	if m.flat.broken || c.nodes >= countNodes || c.buffers+2 > countBuffers {
		return nil, fmt.Errorf("%w: a record batch lacks buffers of its columns", ErrMalformed)
	}
	length, nulls := m.flat.int64(nodes+16*c.nodes), m.flat.int64(nodes+16*c.nodes+8)
	if length < 0 || length != batch.int64(0) {
		return nil, fmt.Errorf("%w: a column of %d rows in a record batch of %d", ErrMalformed, length,
			batch.int64(0))
	}
	compression, err := compressionOf(batch)
	if err != nil {
		return nil, err
	}
	const block = 1 << 10
	p := &part{kind: kind, left: length, raw: make([]byte, block*kind.Size)}
	at := buffers + 16*c.buffers
	bitmap := span{m.flat.int64(at), m.flat.int64(at + 8)}
	data := span{m.flat.int64(at + 16), m.flat.int64(at + 24)}
	if nulls != 0 && bitmap.length > 0 {
		p.nulls, err = f.buffer(m, bitmap, compression, p)
	} else if nulls > 0 {
		err = fmt.Errorf("%w: nulls without a bitmap", ErrMalformed)
	}
	if err == nil && length > 0 {
		p.values, err = f.buffer(m, data, compression, p)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// cursor counts the nodes and buffers of columns.
type cursor struct {
	version                   int16
	nodes, buffers, variadics uint64
	variadic                  func(i uint64) uint64
}

// pass goes behind a field.
func (c *cursor) pass(f *field) {
	n, variadic, children := f.buffers(c.version)
	c.nodes++
	if c.buffers += n; variadic {
		c.buffers += min(c.variadic(c.variadics), math.MaxUint32)
		c.variadics++
	}
	if children {
		for i := range f.children {
			c.pass(&f.children[i])
		}
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
	return 0, fmt.Errorf("%w: buffers in an unknown compression", ErrUnsupported)
}

// span is a part of a body.
type span struct{ offset, length int64 }

// buffer opens a buffer of a message. A compressed one begins with its length, -1 where it is not
// compressed after all.
func (f *File) buffer(m message, s span, compression codec.Codec, p *part) (*bufio.Reader, error) {
	if s.offset < 0 || s.length < 0 || s.offset > m.length || s.length > m.length-s.offset {
		return nil, fmt.Errorf("%w: a buffer outside of its message", ErrMalformed)
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
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	p.closers = append(p.closers, r)
	return bufio.NewReaderSize(io.LimitReader(r, length), block), nil
}

// close closes the decompressors.
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
	raw := p.raw[:min(len(p.raw), len(to)*p.kind.Size)]
	got, err := io.ReadFull(p.values, raw)
	if err != nil {
		err = ended(err)
	}
	to = to[:got/p.kind.Size]
	p.kind.Values(to, raw)
	for n = range to {
		if present, err := p.present(); err != nil {
			return n, err
		} else if !present {
			return n, ErrNull
		}
	}
	p.left -= int64(len(to))
	return len(to), err
}

// present says whether the row is no null.
func (p *part) present() (bool, error) {
	if p.nulls == nil {
		return true, nil
	}
	if p.bit == 0 {
		var err error
		if p.bits, err = p.nulls.ReadByte(); err != nil {
			return false, ended(err)
		}
		p.bit = 8
	}
	present := p.bits&1 != 0
	p.bits, p.bit = p.bits>>1, p.bit-1
	return present, nil
}

// ended is the error of a buffer that ends early or does not decompress.
func ended(err error) error {
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: a buffer ends before its last row", ErrTruncated)
	}
	return fmt.Errorf("%w: a buffer: %w", ErrMalformed, err)
}
