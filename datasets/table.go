package datasets

import (
	"fmt"
	"io"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// Format is a format of tables that another package reads, for Options.Further.
type Format struct {
	Name       string
	Extensions []string // of files that are surely of this format, with their dots
	// Begins recognizes a file by its first bytes.
	Begins func(head []byte) bool
	// Open reads what says which columns there are. Its errors, and those of what it returns, wrap ErrFormat,
	// ErrUnsupported or ErrTruncated, or are errors of reading.
	Open func(content io.ReaderAt, size int64) (Table, error)
}

// Table is an open file of named columns.
type Table interface {
	// Len is the number of columns.
	Len() int
	// Column is the name of a column and the type of its values, Kind Other where they are not numbers.
	Column(i int) (name string, kind tensor.Type)
	// Read begins to read a column of numbers.
	Read(i int) (Values, error)
}

// Values are the values of a column, in the order of its rows.
type Values interface {
	// Next returns up to len(to) values: integers extended by their sign, floats as the bits of 64. An error,
	// io.EOF after the last, may come with values before it, and ends the reading; but ErrNull means that the next value
	// is null; the following call continues after it.
	Next(to []uint64) (n int, err error)
}

// ErrNull is the error of a null value.
var ErrNull = tensor.Faultf(tensor.ErrUnsupported, "null (--ignore null takes nulls for padding)")

func (f Format) format() format {
	return format{name: f.Name, extensions: f.Extensions, begins: f.Begins, takes: takesColumn | takesKeys,
		open: func(in *input, opt Options) (decoder, uint64) { return newColumn(in, f, opt), 0 }}
}

type column struct {
	numbers
	values Values
}

func newColumn(in *input, f Format, opt Options) *column {
	t, err := f.Open(in.whole())
	in.described(err)
	name := func(i int) string {
		name, _ := t.Column(i)
		return name
	}
	i := in.choose(0, "column", opt.Column, t.Len(), name, func(i int) string {
		name, kind := t.Column(i)
		return fmt.Sprintf("%d %s %s", i, quote([]byte(name)), kind.Name)
	})
	_, kind := t.Column(i)
	in.entry = "column " + quote([]byte(name(i))) + ": "
	if t.Len() > 1 {
		in.targets = "column " + shown(name(i), longestName)
	}
	if kind.Kind == tensor.Other {
		panic(in.fail(ErrUnsupported, "contains %s, but indices must be integers or whole floats", kind.Name))
	}
	values, err := t.Read(i)
	in.described(err)
	return &column{newNumbers(in, nil, kind, opt), values}
}

func (c *column) next(to *chunk) bool {
	n, err := c.values.Next(c.block[:min(len(to.buf)-to.n, len(c.block))])
	c.give(to, c.block[:n])
	if err == ErrNull && c.nulls {
		c.null(to) // there is room: fewer values than were asked for
		return true
	}
	if err != nil && err != io.EOF {
		c.in.entry += fmt.Sprintf("row %d: ", c.done)
		c.in.described(err)
	}
	return err == nil
}
