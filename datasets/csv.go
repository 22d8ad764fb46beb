package datasets

import (
	"bytes"
	"fmt"
	"strings"
)

var csvFormat = format{
	name: "csv", extensions: []string{".csv"}, column: true, keys: true,
	line: func(line []byte, opt Options) bool {
		return opt.Column != "" || hasComma(line) && !looksLikeEdge(line, opt)
	},
	open: func(in *input, opt Options) (decoder, uint64) { return newCSV(in, opt), 0 },
}

func hasComma(line []byte) bool { return bytes.IndexByte(line, ',') >= 0 }

// csv reads one column of a comma-separated file.
type csv struct {
	*records
	x       *indexer
	column  int    // counted from 0
	columns int    // of every record
	first   []byte // the first value, if the first row is data; given once
}

// newCSV reads the first row, and finds the column and whether the row is a header.
func newCSV(in *input, opt Options) *csv {
	c := &csv{records: &records{in: in, lines: newLines(in)}, x: newIndexer(in, opt)}
	record, ok := c.records.next()
	if !ok {
		panic(in.fail(ErrEmpty, "holds no row"))
	}
	fields := c.split(record)
	c.columns = len(fields)
	named := c.choose(fields, opt.Column)
	value := trim(fields[c.column])
	if !named && (opt.Keys || isInteger(value)) {
		c.first = append([]byte{}, value...)
	}
	return c
}

// choose finds the column in the first row; named says that it went by name. Its faults wrap
// ErrOptions.
func (c *csv) choose(fields [][]byte, column string) (named bool) {
	fault := func(format string, args ...any) {
		args = append(args, listColumns(fields))
		panic(c.in.failLine(c.line, ErrOptions, format+" %s", args...))
	}
	if column == "" {
		if len(fields) > 1 {
			fault("choose one column by its name or number:")
		}
		return false
	}
	if number, ok := decimal([]byte(column)); ok {
		if number >= uint64(len(fields)) {
			fault("there is no column %s, only", column)
		}
		c.column = int(number)
		return false
	}
	c.column = -1
	for i, field := range fields {
		if string(trim(field)) != column {
			continue
		}
		if c.column >= 0 {
			fault("two columns are named %q:", column)
		}
		c.column = i
	}
	if c.column < 0 {
		fault("there is no column %q, only", column)
	}
	return true
}

// listColumns names the columns by the first row.
func listColumns(fields [][]byte) string {
	const most = 20
	var names []string
	for i, field := range fields[:min(len(fields), most)] {
		names = append(names, fmt.Sprintf("%d %s", i, quote(field)))
	}
	if len(fields) > most {
		names = append(names, fmt.Sprintf("and %d more", len(fields)-most))
	}
	return strings.Join(names, ", ")
}

func (c *csv) next(to *chunk) bool {
	for to.free() {
		value, ok := c.value()
		if !ok {
			return false
		}
		to.add(c.x.index(value, c.line))
	}
	return true
}

// value returns the column's text in the next row.
func (c *csv) value() ([]byte, bool) {
	if first := c.first; first != nil {
		c.first = nil
		return first, true
	}
	record, ok := c.records.next()
	if !ok {
		return nil, false
	}
	if bytes.IndexByte(record, '"') < 0 {
		return c.plain(record), true
	}
	fields := c.split(record)
	c.count(len(fields))
	return trim(fields[c.column]), true
}

// plain cuts the column out of a record without quotes.
func (c *csv) plain(record []byte) []byte {
	c.count(bytes.Count(record, []byte{','}) + 1)
	for range c.column {
		record = record[bytes.IndexByte(record, ',')+1:]
	}
	if end := bytes.IndexByte(record, ','); end >= 0 {
		record = record[:end]
	}
	return trim(record)
}

// count holds the number of a row's fields against the first row.
func (c *csv) count(fields int) {
	if fields != c.columns {
		panic(c.in.failLine(c.line, ErrFormat, "%d fields, and the first row has %d", fields,
			c.columns))
	}
}

// records splits an input into CSV records (RFC 4180, with the reading that encoding/csv gives
// it): fields split by commas, quoted where they hold commas, quotes or line ends; blank lines are
// skipped. Unlike encoding/csv it bounds the length of a record, so that a quote left open cannot
// take in the whole file.
type records struct {
	in     *input
	lines  *lines
	line   uint64 // where the current record begins
	joined []byte // a record of several lines
	text   []byte // of the quoted fields of the current record
	fields [][]byte
}

// next returns the next record as it stands in the input; false after the last.
func (r *records) next() ([]byte, bool) {
	for {
		line, ok := r.lines.next()
		r.line = r.lines.number
		switch {
		case !ok || len(line) > 0 && !opensQuote(line):
			return line, ok
		case len(line) > 0:
			return r.join(line), true
		}
	}
}

// opensQuote tells whether a quote is left open at the end of a line, or closed in it.
func opensQuote(line []byte) bool { return bytes.Count(line, quoteMark)%2 == 1 }

var quoteMark = []byte{'"'}

// join appends lines until the quotes are even.
func (r *records) join(line []byte) []byte {
	r.joined = append(r.joined[:0], line...)
	for {
		line, ok := r.lines.next()
		if !ok {
			panic(r.fault("a quote is left open in %s", quote(r.joined)))
		}
		r.joined = append(append(r.joined, '\n'), line...)
		if len(r.joined) > lineBytes {
			panic(r.fault("a quoted field of more than %d bytes begins in %s", lineBytes,
				quote(r.joined)))
		}
		if opensQuote(line) {
			return r.joined
		}
	}
}

func (r *records) fault(format string, args ...any) error {
	return r.in.failLine(r.line, ErrFormat, format, args...)
}

// split returns the fields of a record, valid until the next call.
func (r *records) split(record []byte) [][]byte {
	r.fields, r.text = r.fields[:0], r.text[:0]
	for more := true; more; {
		var field []byte
		field, record, more = r.field(record)
		r.fields = append(r.fields, field)
	}
	return r.fields
}

// field reads the first field of a record; more says that a comma follows.
func (r *records) field(record []byte) (field, rest []byte, more bool) {
	if len(record) == 0 || record[0] != '"' {
		field, rest, more = bytes.Cut(record, []byte{','})
		if bytes.IndexByte(field, '"') >= 0 {
			panic(r.fault("a quote inside of the unquoted field %s", quote(field)))
		}
		return field, rest, more
	}
	start := len(r.text)
	for rest = record[1:]; ; rest = rest[1:] {
		part, behind, closed := bytes.Cut(rest, []byte{'"'})
		if !closed {
			panic(r.fault("a quote is left open in %s", quote(record)))
		}
		r.text = append(r.text, part...)
		if rest = behind; len(rest) == 0 || rest[0] != '"' {
			break
		}
		r.text = append(r.text, '"')
	}
	field = r.text[start:len(r.text):len(r.text)]
	if len(rest) == 0 {
		return field, nil, false
	}
	if rest[0] != ',' {
		panic(r.fault("%s after a closing quote", quote(rest)))
	}
	return field, rest[1:], true
}
