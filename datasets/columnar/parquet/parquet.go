// Package parquet reads columns of numbers of Apache Parquet files, page by page, in bounded
// memory: one page and one dictionary at a time, of at most 64 MiB each. Pages may be uncompressed
// or compressed with Snappy, gzip, Zstandard or LZ4; values plain, by a dictionary, as differences
// or with their bytes split. The elements of lists are one column of numbers, in their order.
//
// https://github.com/apache/parquet-format
package parquet

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
	Name: "parquet", Extensions: []string{".parquet", ".pq"},
	Begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte(Magic)) },
	Open:   func(r io.ReaderAt, size int64) (datasets.Table, error) { return Open(r, size) },
}

// Magic begins and ends every file.
const Magic = "PAR1"

const mostFooter = 64 << 20

// File is an open file.
type File struct {
	r       io.ReaderAt
	size    int64
	columns []column
	groups  []byte // the list of row groups, unread
}

// Open reads the schema of a file.
func Open(r io.ReaderAt, size int64) (*File, error) {
	const ends = 4 + 8
	if size < ends {
		return nil, tensor.Faultf(tensor.ErrTruncated, "%d bytes are not a parquet file", size)
	}
	var tail [8]byte
	if err := readAt(r, tail[:], size-8); err != nil {
		return nil, err
	}
	if magic := string(tail[4:]); magic == "PARE" {
		return nil, tensor.Faultf(tensor.ErrUnsupported, "its metadata is encrypted")
	} else if magic != Magic {
		return nil, tensor.Faultf(tensor.ErrTruncated, "does not end with %s", Magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-ends || length > mostFooter {
		return nil, tensor.Faultf(tensor.ErrMalformed, "metadata of %d bytes", length)
	}
	footer := make([]byte, length)
	if err := readAt(r, footer, size-8-length); err != nil {
		return nil, err
	}
	f := &File{r: r, size: size}
	t := &thrift{data: footer}
	t.fields(fields{2: func() { f.columns = readSchema(t) }, 4: func() {
		begin := t.at
		t.skip(kindList)
		f.groups = footer[begin:t.at]
	}})
	if t.err == nil && f.groups == nil {
		t.err = errThrift
	}
	return f, t.err
}

func readAt(r io.ReaderAt, p []byte, at int64) error {
	return codec.ReadAt(r, p, at, tensor.Faultf(tensor.ErrTruncated, "ends within its pages"))
}

// Len is the number of columns.
func (f *File) Len() int { return len(f.columns) }

// Column is the name of a column, names of groups joined by dots, and the type of its values,
// Kind Other where they are not numbers.
func (f *File) Column(i int) (name string, kind tensor.Type) {
	return f.columns[i].name, f.columns[i].kind
}

type columnValues struct {
	file   *File
	column *column
	chunks []chunk
	pages  *pages // of the first of chunks, nil before it was begun
	left   int64  // bytes that further chunks may have, no two of which share any
	spare  int64  // bytes that further dictionaries may unpack to, and further empty lists
}

// mostUnpacked is how many times the bytes of its file the dictionaries of a column unpack to, besides one.
const mostUnpacked = 64

// Read begins to read a column.
func (f *File) Read(i int) (datasets.Values, error) {
	c := &f.columns[i]
	if c.kind.Kind == tensor.Other {
		return nil, tensor.Faultf(tensor.ErrUnsupported, "holds %s", c.kind.Name)
	}
	t := &thrift{data: f.groups}
	chunks := readChunks(t, i)
	return &columnValues{file: f, column: c, chunks: chunks, left: f.size, spare: mostPage + mostUnpacked*f.size}, t.err
}

func (v *columnValues) Next(to []uint64) (n int, err error) {
	for n == 0 && err == nil {
		if len(v.chunks) == 0 {
			return 0, io.EOF
		}
		if v.pages == nil {
			if v.left -= v.chunks[0].size; v.left < 0 {
				return 0, tensor.Faultf(tensor.ErrMalformed, "groups of rows share pages")
			}
			if v.pages, err = newPages(v.file, v.column, v.chunks[0]); err != nil {
				return 0, err
			}
		}
		n, err = v.pages.next(to)
		v.spare, v.pages.empty = v.spare-v.pages.empty, 0
		if err == io.EOF {
			v.spare -= int64(len(v.pages.entries))
			v.pages, v.chunks, err = nil, v.chunks[1:], nil
		}
		if v.spare < 0 {
			err = tensor.Faultf(tensor.ErrUnsupported, "dictionaries and empty lists unpack to more than %d times its bytes",
				mostUnpacked)
		}
	}
	return n, err
}
