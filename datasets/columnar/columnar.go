// Package columnar adds tables of Apache Parquet and Apache Arrow to the formats of datasets:
//
//	r, err := datasets.Open("edges.parquet", datasets.Options{Further: columnar.Formats(),
//		Column: "source"})
//
// It stands apart so that only programs that ask for these formats link their decompressors.
package columnar

import (
	"bytes"
	"errors"
	"io"

	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/columnar/arrow"
	"github.com/atomtune/atomtune/datasets/columnar/parquet"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// Formats are the formats that this package adds.
func Formats() []datasets.Format {
	return []datasets.Format{
		{
			Name: "parquet", Extensions: []string{".parquet", ".pq"},
			Begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte(parquet.Magic)) },
			Open: func(content io.ReaderAt, size int64) (datasets.Table, error) {
				f, err := parquet.Open(content, size)
				return table[*parquet.Values]{f}, datasetsError(err)
			},
		},
		{
			Name: "arrow", Extensions: []string{".arrow", ".arrows", ".feather", ".ipc"},
			Begins: func(head []byte) bool {
				return bytes.HasPrefix(head, []byte(arrow.Magic+"\x00\x00")) || arrow.IsStream(head)
			},
			Open: func(content io.ReaderAt, size int64) (datasets.Table, error) {
				f, err := arrow.Open(content, size)
				return table[*arrow.Values]{f}, datasetsError(err)
			},
		},
	}
}

// file is what the packages of both formats open.
type file[V datasets.Values] interface {
	Len() int
	Column(i int) (name string, kind tensor.Type)
	Read(i int) (V, error)
}

// table is a file as datasets asks for it.
type table[V datasets.Values] struct{ file[V] }

func (t table[V]) Read(i int) (datasets.Values, error) {
	v, err := t.file.Read(i)
	return values{v}, datasetsError(err)
}

// values are values whose errors are those of datasets.
type values struct{ datasets.Values }

func (v values) Next(to []uint64) (int, error) {
	n, err := v.Values.Next(to)
	return n, datasetsError(err)
}

// datasetsError wraps an error by the sentinel of its kind.
func datasetsError(err error) error {
	for kind, own := range map[error]error{
		parquet.ErrMalformed: datasets.ErrFormat, arrow.ErrMalformed: datasets.ErrFormat,
		parquet.ErrTruncated: datasets.ErrTruncated, arrow.ErrTruncated: datasets.ErrTruncated,
		parquet.ErrUnsupported: datasets.ErrUnsupported,
		arrow.ErrUnsupported:   datasets.ErrUnsupported,
	} {
		if errors.Is(err, kind) {
			return tensor.Faultf(own, "%v", err)
		}
	}
	if errors.Is(err, parquet.ErrNull) || errors.Is(err, arrow.ErrNull) {
		return tensor.Faultf(datasets.ErrUnsupported, "%v: fill nulls with a number before, such as with one "+
			"that --ignore skips", err)
	}
	return err
}
