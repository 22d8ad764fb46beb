// Package parquet reads columns of numbers of Apache Parquet files, page by page, in bounded
// memory: one page and one dictionary at a time, of at most 64 MiB each. Pages may be uncompressed
// or compressed with Snappy, gzip, Zstandard or LZ4; values plain, by a dictionary, as differences
// or with their bytes split.
//
// https://github.com/apache/parquet-format
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// The kinds of faults that errors wrap, besides those of reading.
var (
	ErrMalformed   = errors.New("malformed parquet")
	ErrTruncated   = errors.New("truncated parquet")
	ErrUnsupported = errors.New("unsupported parquet")
	ErrNull        = errors.New("null")
)

// Magic begins and ends every file.
const Magic = "PAR1"

// mostFooter bounds the metadata at the end of a file.
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
		return nil, fmt.Errorf("%w: %d bytes", ErrTruncated, size)
	}
	var tail [8]byte
	if err := readAt(r, tail[:], size-8); err != nil {
		return nil, err
	}
	if magic := string(tail[4:]); magic == "PARE" {
		return nil, fmt.Errorf("%w: its metadata is encrypted", ErrUnsupported)
	} else if magic != Magic {
		return nil, fmt.Errorf("%w: it does not end with %s", ErrTruncated, Magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if length > size-ends || length > mostFooter {
		return nil, fmt.Errorf("%w: metadata of %d bytes", ErrMalformed, length)
	}
	footer := make([]byte, length)
	if err := readAt(r, footer, size-8-length); err != nil {
		return nil, err
	}
	f := &File{r: r, size: size}
	t := &thrift{data: footer}
	t.structure(func(id int64, kind byte) bool {
		switch {
		case id == 2 && kind == kindList:
			f.columns = readSchema(t)
		case id == 4 && kind == kindList:
			begin := t.at
			t.skip(kindList)
			f.groups = footer[begin:t.at]
		default:
			return false
		}
		return true
	})
	if t.err == nil && f.groups == nil {
		t.err = errThrift
	}
	if t.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, t.err)
	}
	return f, nil
}

// readAt fills p from a place of the file.
func readAt(r io.ReaderAt, p []byte, at int64) error {
	return codec.ReadAt(r, p, at, fmt.Errorf("%w: it ends within its pages", ErrTruncated))
}

// Len is the number of columns.
func (f *File) Len() int { return len(f.columns) }

// Column is the name of a column, names of groups joined by dots, and the type of its values,
// Kind Other where they are no numbers.
func (f *File) Column(i int) (name string, kind tensor.Type) {
	return f.columns[i].name, f.columns[i].kind
}

// Values are the values of one column, in the order of its rows.
type Values struct {
	file   *File
	column *column
	chunks []chunk
	pages  *pages // of the first of chunks, nil before it was begun
	row    uint64
	left   int64 // bytes that further chunks may have, no two of which share any
	spare  int64 // bytes that further dictionaries may unpack to
}

// mostUnpacked is how many times the bytes of its file the dictionaries of a column unpack to, besides one.
const mostUnpacked = 64

// Read begins to read a column.
func (f *File) Read(i int) (*Values, error) {
	c := &f.columns[i]
	if c.kind.Kind == tensor.Other {
		return nil, fmt.Errorf("%w: %s", ErrUnsupported, c.kind.Name)
	}
	if c.repeated {
		return nil, fmt.Errorf("%w: it holds lists", ErrUnsupported)
	}
	t := &thrift{data: f.groups}
	chunks := readChunks(t, i)
	if t.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, t.err)
	}
	return &Values{file: f, column: c, chunks: chunks, left: f.size, spare: mostPage + mostUnpacked*f.size}, nil
}

// Next returns up to len(to) values, integers extended by their sign and floats as the bits of 64,
// and io.EOF after the last. A null is an error that
// names its row, counted from 0.
func (v *Values) Next(to []uint64) (n int, err error) {
	for n == 0 && err == nil {
		if len(v.chunks) == 0 {
			return 0, io.EOF
		}
		if v.pages == nil {
			v.pages, err = newPages(v.file, v.column, v.chunks[0])
			if v.left -= v.chunks[0].size; err == nil && v.left < 0 {
				err = fmt.Errorf("%w: its groups of rows share pages", ErrMalformed)
			}
			if err != nil {
				break
			}
		}
		if n, err = v.pages.next(to); err == io.EOF {
			v.spare -= int64(len(v.pages.entries))
			v.pages, v.chunks, err = nil, v.chunks[1:], nil
		}
		if v.spare < 0 {
			err = fmt.Errorf("%w: its dictionaries unpack to more than %d times its bytes", ErrUnsupported, mostUnpacked)
		}
	}
	v.row += uint64(n)
	if err != nil {
		err = fmt.Errorf("row %d: %w", v.row, err)
	}
	return n, err
}
