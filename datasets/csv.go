package datasets

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

var csvFormat = format{
	name: "csv", title: "csv", extensions: []string{".csv"}, column: true, keys: true,
	line: func(line []byte, opt Options) bool {
		return opt.Column != "" || hasComma(line) && !looksLikeEdge(line, opt)
	},
	open: func(in *input, opt Options) (decoder, uint64, error) {
		dec, err := newCSV(in, opt)
		return dec, 0, err
	},
}

func hasComma(line []byte) bool { return bytes.IndexByte(line, ',') >= 0 }

// csv reads one column of a comma-separated file.
type csv struct {
	in      *input
	records *records
	x       *indexer
	column  int    // counted from 0
	columns int    // of every record
	first   []byte // the first value, if the first row is data
	pending bool   // first is yet to be given
}

// newCSV reads the first row, and finds the column and whether the row is a
// header.
func newCSV(in *input, opt Options) (*csv, error) {
	c := &csv{in: in, records: &records{in: in, lines: newLines(in)}, x: newIndexer(in, opt)}
	record, err := c.records.next()
	if err == io.EOF {
		return nil, in.fail(ErrEmpty, "holds no row")
	}
	if err != nil {
		return nil, err
	}
	fields, err := c.records.split(record)
	if err != nil {
		return nil, err
	}
	c.columns = len(fields)
	named, err := c.choose(fields, opt.Column)
	if err != nil {
		return nil, err
	}
	value := trim(fields[c.column])
	if !named && (opt.Keys || isInteger(value)) {
		c.first, c.pending = bytes.Clone(value), true
	}
	return c, nil
}

// choose finds the column in the first row; named says that it went by name.
func (c *csv) choose(fields [][]byte, column string) (named bool, err error) {
	if column == "" {
		if len(fields) == 1 {
			return false, nil
		}
		return false, c.fault("choose one column by its name or number: %s", listColumns(fields))
	}
	if number, ok := decimal([]byte(column)); ok {
		if number >= uint64(len(fields)) {
			return false, c.fault("there is no column %s, only %s", column, listColumns(fields))
		}
		c.column = int(number)
		return false, nil
	}
	c.column = -1
	for i, field := range fields {
		if string(trim(field)) != column {
			continue
		}
		if c.column >= 0 {
			return false, c.fault("two columns are named %q: %s", column, listColumns(fields))
		}
		c.column = i
	}
	if c.column < 0 {
		return false, c.fault("there is no column %q, only %s", column, listColumns(fields))
	}
	return true, nil
}

// fault is an error in the choice of the column. It wraps ErrOptions.
func (c *csv) fault(format string, args ...any) error {
	return c.in.failLine(c.records.line, ErrOptions, format, args...)
}

// listColumns names the columns by the first row.
func listColumns(fields [][]byte) string {
	const most = 20
	var names []string
	for i, field := range fields {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(fields)-most))
			break
		}
		names = append(names, fmt.Sprintf("%d %s", i, quote(field)))
	}
	return strings.Join(names, ", ")
}

func (c *csv) next(buf []uint32) (int, error) {
	for n := range buf {
		value, err := c.value()
		if err != nil {
			return n, err
		}
		if buf[n], err = c.x.index(value, c.records.line); err != nil {
			return n, err
		}
	}
	return len(buf), nil
}

// value returns the column's text in the next row.
func (c *csv) value() ([]byte, error) {
	if c.pending {
		c.pending = false
		return c.first, nil
	}
	record, err := c.records.next()
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(record, '"') < 0 {
		return c.plain(record)
	}
	fields, err := c.records.split(record)
	if err != nil {
		return nil, err
	}
	if len(fields) != c.columns {
		return nil, c.ragged(len(fields))
	}
	return trim(fields[c.column]), nil
}

// plain cuts the column out of a record without quotes.
func (c *csv) plain(record []byte) ([]byte, error) {
	if commas := bytes.Count(record, []byte{','}); commas+1 != c.columns {
		return nil, c.ragged(commas + 1)
	}
	for range c.column {
		record = record[bytes.IndexByte(record, ',')+1:]
	}
	if end := bytes.IndexByte(record, ','); end >= 0 {
		record = record[:end]
	}
	return trim(record), nil
}

func (c *csv) ragged(fields int) error {
	return c.in.failLine(c.records.line, ErrFormat, "%d fields, and the first row has %d", fields,
		c.columns)
}

// records splits an input into CSV records (RFC 4180, with the reading that
// encoding/csv gives it): fields split by commas, quoted where they hold
// commas, quotes or line ends; blank lines are skipped. Unlike encoding/csv it
// bounds the length of a record, so that a quote left open cannot take in the
// whole file.
type records struct {
	in     *input
	lines  *lines
	line   uint64 // where the current record begins
	joined []byte // a record of several lines
	plain  []byte // the text of the quoted fields of the current record
	fields [][]byte
}

// next returns the next record as it stands in the input, or io.EOF.
func (r *records) next() ([]byte, error) {
	for {
		line, err := r.lines.next()
		if err != nil {
			return nil, err
		}
		r.line = r.lines.number
		if len(line) == 0 {
			continue
		}
		if bytes.Count(line, quoteMark)%2 == 0 {
			return line, nil
		}
		return r.join(line)
	}
}

var quoteMark = []byte{'"'}

// join appends lines until the quotes are even.
func (r *records) join(line []byte) ([]byte, error) {
	r.joined = append(r.joined[:0], line...)
	for {
		line, err := r.lines.next()
		if err == io.EOF {
			return nil, r.in.failLine(r.line, ErrFormat, "a quote is left open in %s",
				quote(r.joined))
		}
		if err != nil {
			return nil, err
		}
		r.joined = append(append(r.joined, '\n'), line...)
		if len(r.joined) > lineBytes {
			return nil, r.in.failLine(r.line, ErrFormat,
				"a quoted field of more than %d bytes begins in %s", lineBytes, quote(r.joined))
		}
		if bytes.Count(line, quoteMark)%2 == 1 {
			return r.joined, nil
		}
	}
}

// split returns the fields of a record, valid until the next call.
func (r *records) split(record []byte) ([][]byte, error) {
	r.fields, r.plain = r.fields[:0], r.plain[:0]
	for {
		field, rest, more, err := r.field(record)
		if err != nil {
			return nil, err
		}
		r.fields = append(r.fields, field)
		if !more {
			return r.fields, nil
		}
		record = rest
	}
}

// field reads the first field of a record; more says that a comma follows.
func (r *records) field(record []byte) (field, rest []byte, more bool, err error) {
	if len(record) == 0 || record[0] != '"' {
		field, rest, more = bytes.Cut(record, []byte{','})
		if bytes.IndexByte(field, '"') >= 0 {
			return nil, nil, false, r.in.failLine(r.line, ErrFormat,
				"a quote inside of the unquoted field %s", quote(field))
		}
		return field, rest, more, nil
	}
	start := len(r.plain)
	rest = record[1:]
	for {
		end := bytes.IndexByte(rest, '"')
		if end < 0 {
			return nil, nil, false, r.in.failLine(r.line, ErrFormat, "a quote is left open in %s",
				quote(record))
		}
		r.plain = append(r.plain, rest[:end]...)
		rest = rest[end+1:]
		if len(rest) == 0 || rest[0] != '"' {
			break
		}
		r.plain = append(r.plain, '"')
		rest = rest[1:]
	}
	field = r.plain[start:len(r.plain):len(r.plain)]
	if len(rest) == 0 {
		return field, nil, false, nil
	}
	if rest[0] != ',' {
		return nil, nil, false, r.in.failLine(r.line, ErrFormat, "%s after a closing quote",
			quote(rest))
	}
	return field, rest[1:], true, nil
}
