package datasets

import (
	"bytes"
	"io"
)

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
