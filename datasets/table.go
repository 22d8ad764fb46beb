package datasets

import (
	"errors"
	"fmt"
	"io"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// Format is a format of tables that another package reads, for Options.Further.
type Format struct {
	Name       string
	Extensions []string // of files that are surely of this format, with their dots
	// Begins tells by the first bytes of a file.
	Begins func(head []byte) bool
	// Open reads what says which columns there are. Its errors, and those of what it returns, wrap the
	// sentinels of this package or errors of reading.
	Open func(content io.ReaderAt, size int64) (Table, error)
}

// Table is an open file of named columns.
type Table interface {
	// Len is the number of columns.
	Len() int
	// Column is the name of a column and the type of its values, Kind Other where they are no numbers.
	Column(i int) (name string, kind tensor.Type)
	// Read begins to read a column of numbers.
	Read(i int) (Values, error)
}

// Values are the values of a column, in the order of its rows.
type Values interface {
	// Next returns up to len(to) values: integers extended by their sign, floats as the bits of 64.
	// It returns either values or an error, io.EOF after the last.
	Next(to []uint64) (n int, err error)
}

// format is the registry's row of a format of tables.
func (f Format) format() format {
	return format{name: f.Name, extensions: f.Extensions, begins: f.Begins, column: true, keys: true,
		open: func(in *input, opt Options) (decoder, uint64) { return newColumn(in, f, opt), 0 }}
}

// column reads one column of a table.
type column struct {
	numbers
	values Values
}

func newColumn(in *input, f Format, opt Options) *column {
	t, err := f.Open(in.whole())
	in.table(err)
	i := chooseColumn(in, t, opt.Column)
	name, kind := t.Column(i)
	in.entry = "column " + quote([]byte(name)) + ": "
	if t.Len() > 1 {
		in.targets = "column " + shown(name, longestName)
	}
	if kind.Kind == tensor.Other {
		panic(in.fail(ErrUnsupported, "holds %s, indices are integers or whole floats", kind.Name))
	}
	values, err := t.Read(i)
	in.table(err)
	return &column{newNumbers(in, nil, kind, opt), values}
}

// table stops at a fault of a table.
func (in *input) table(err error) {
	for _, kind := range []error{ErrFormat, ErrUnsupported, ErrTruncated} {
		if errors.Is(err, kind) {
			panic(in.fail(kind, "%v", err))
		}
	}
	if err != nil {
		panic(in.broken(err))
	}
}

// chooseColumn finds a column by its name or by its number, counted from 0, or the only one.
func chooseColumn(in *input, t Table, column string) int {
	found := -1
	for i := range t.Len() {
		name, _ := t.Column(i)
		if name != column {
			continue
		}
		if found >= 0 {
			panic(in.fail(ErrOptions, "two columns are named %q: %s", column, listTable(t)))
		}
		found = i
	}
	number, isNumber := decimal([]byte(column))
	switch {
	case column == "" && t.Len() == 1:
		return 0
	case column == "" && t.Len() == 0:
		panic(in.fail(ErrEmpty, "holds no column"))
	case column == "":
		panic(in.fail(ErrOptions, "choose one column with --column, by its name or number: %s",
			listTable(t)))
	case found >= 0:
		return found
	case isNumber && number < uint64(t.Len()):
		return int(number)
	}
	panic(in.fail(ErrOptions, "there is no column %q, only %s", column, listTable(t)))
}

// listTable names the columns with their types.
func listTable(t Table) string {
	return listed(t.Len(), ", ", func(i int) string {
		name, kind := t.Column(i)
		return fmt.Sprintf("%d %s %s", i, quote([]byte(name)), kind.Name)
	})
}

func (c *column) next(to *chunk) bool {
	n, err := c.values.Next(c.block[:min(len(to.buf)-to.n, len(c.block))])
	c.give(to, c.block[:n])
	if err != nil && err != io.EOF {
		c.in.table(err)
	}
	return err == nil
}
