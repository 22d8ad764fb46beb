// Package arrow reads columns of numbers of Apache Arrow's IPC files (Feather version 2) and
// streams, buffer by buffer, in bounded memory: the metadata of one message, of at most 16 MiB, and
// the numbers of a dictionary, of at most 64 MiB, are held. Buffers may be uncompressed or
// compressed with LZ4 or Zstandard. The elements of lists are one column of numbers, in their order.
//
// https://arrow.apache.org/docs/format/Columnar.html
package arrow

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// Format is the format as datasets asks for it.
var Format = datasets.Format{
	Name: "arrow", Extensions: []string{".arrow", ".arrows", ".feather", ".ipc"},
	Begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte(Magic+"\x00\x00")) || isStream(head) },
	Open:   func(r io.ReaderAt, size int64) (datasets.Table, error) { return Open(r, size) },
}

var (
	errMetadata = tensor.Faultf(tensor.ErrMalformed, "the metadata of a message is malformed")
	errEnds     = tensor.Faultf(tensor.ErrTruncated, "ends within a message")
)

const (
	// Magic begins and ends a file, with two zeros behind it at the beginning.
	Magic = "ARROW1"
	// continuation stands before each message of a stream since Arrow 0.15.
	continuation = 0xffffffff
	// mostMetadata bounds the metadata of a message.
	mostMetadata = 16 << 20
)

// isStream recognizes a stream by its first bytes: the length of the schema's metadata.
func isStream(head []byte) bool {
	return len(head) > 8 && binary.LittleEndian.Uint32(head) == continuation &&
		binary.LittleEndian.Uint32(head[4:])-1 < mostMetadata && head[4]%8 == 0
}

const (
	headerSchema     = 1
	headerDictionary = 2
	headerBatch      = 3
)

type message struct {
	flat    *flat
	version int16
	kind    byte
	header  table
	body    int64 // where it begins
	length  int64
	bytes   int64 // of the metadata and the body
}

// File is an open file or stream.
type File struct {
	r      io.ReaderAt
	size   int64
	fields []field
	first  int64   // of a stream, the message behind the schema
	blocks []int64 // of a file, where its messages begin, those of dictionaries first
	isFile bool
}

// Open reads the schema.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r, size: size}
	head := make([]byte, min(size, 8))
	if err := f.read(head, 0); err != nil {
		return nil, err
	}
	if len(head) == 8 && string(head[:6]) == Magic {
		f.isFile = true
		return f, f.footer()
	}
	m, next, err := f.message(0)
	if err == io.EOF || err == nil && m.kind != headerSchema {
		return nil, tensor.Faultf(tensor.ErrMalformed, "does not begin with a schema")
	}
	if err != nil {
		return nil, err
	}
	f.first = next
	f.fields, err = readSchema(m.header)
	return f, err
}

func (f *File) footer() error {
	const tailBytes, blockBytes = 10, 24
	tail := make([]byte, tailBytes)
	if err := f.read(tail, max(f.size-tailBytes, 0)); err != nil {
		return err
	}
	if string(tail[4:]) != Magic {
		return tensor.Faultf(tensor.ErrTruncated, "does not end with %s", Magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if length > f.size-tailBytes || length > mostMetadata {
		return tensor.Faultf(tensor.ErrMalformed, "a footer of %d bytes", length)
	}
	footer := &flat{data: make([]byte, length)}
	if err := f.read(footer.data, f.size-tailBytes-length); err != nil {
		return err
	}
	root := footer.root()
	for _, list := range []uint64{2, 3} {
		at, n := root.vector(list, blockBytes)
		for ; n > 0; n-- {
			f.blocks = append(f.blocks, footer.int64(at))
			at += blockBytes
		}
	}
	if footer.broken {
		return tensor.Faultf(tensor.ErrMalformed, "its footer is malformed")
	}
	var err error
	f.fields, err = readSchema(root.table(1))
	return err
}

func (f *File) read(p []byte, at int64) error {
	return codec.ReadAt(f.r, p, at, errEnds)
}

// message reads the metadata of the message at a place; next is the place behind it. io.EOF: there is none.
func (f *File) message(at int64) (m message, next int64, err error) {
	if at == f.size {
		return m, at, io.EOF
	}
	prefix, length := make([]byte, 4), uint32(continuation)
	for i := 0; i < 2 && length == continuation; i++ {
		if err := f.read(prefix, at); err != nil {
			return m, at, err
		}
		length = binary.LittleEndian.Uint32(prefix)
		at += 4
	}
	switch {
	case length == 0:
		return m, at, io.EOF
	case length > mostMetadata:
		return m, at, tensor.Faultf(tensor.ErrMalformed, "a message with %d bytes of metadata", length)
	case int64(length) > f.size-at:
		return m, at, errEnds
	}
	data := make([]byte, length)
	if err := f.read(data, at); err != nil {
		return m, at, err
	}
	m.flat = &flat{data: data}
	root := m.flat.root()
	m.version, m.kind, m.header = root.int16(0), root.byte(1), root.table(2)
	m.body, m.length = at+int64(length), root.int64(3)
	m.bytes = int64(length) + m.length
	switch {
	case m.flat.broken || m.length < 0:
		return m, at, errMetadata
	case m.length > f.size-m.body:
		return m, at, tensor.Faultf(tensor.ErrTruncated, "a message of %d bytes, %d are left", m.length, f.size-m.body)
	}
	return m, m.body + m.length, nil
}

// Len is the number of columns.
func (f *File) Len() int { return len(f.fields) }

// Column is the name of a column and the type of its values, of a dictionary's or a list's where it has one;
// Kind Other where they are not numbers.
func (f *File) Column(i int) (name string, kind tensor.Type) {
	one, elements := &f.fields[i], f.fields[i].elements()
	kind = elements.kind
	switch {
	case one.dictionary:
		kind.Name = "dictionary of " + kind.Name
	case elements.dictionary:
		kind = tensor.Type{Name: "list of dictionary"}
	case one.isList():
		kind.Name = "list of " + kind.Name
	}
	return one.name, kind
}
