package recordings

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/gzipped"
)

// encodeTable writes provenance, a row of column names and the rows.
func encodeTable(p Provenance, columns []string, rows [][]string) ([]byte, error) {
	head, err := p.lines()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(head)
	for _, row := range rows {
		if err := oneLine(row); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRecording, err)
		}
	}
	w := csv.NewWriter(b)
	if err := w.Write(columns); err != nil {
		return nil, err
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// table is a file's rows with the line on which each begins.
type table struct {
	name  string
	head  int // line of the columns' names
	rows  [][]string
	lines []int
}

// decodeTable reads comment lines, a row of exactly these columns, and rows.
func decodeTable(name string, data []byte, columns []string) (p Provenance, t table, err error) {
	t.name = name
	if data, err = Plain(name, data); err != nil {
		return p, t, err
	}
	data, begin, err := t.comments(&p, data)
	if err != nil {
		return p, t, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line := begin
			if bad := new(csv.ParseError); errors.As(err, &bad) {
				line, err = begin+bad.Line, bad.Err
			}
			return p, t, broken(name, line, "%v", err)
		}
		line, _ := r.FieldPos(0)
		if err := oneLine(row); err != nil {
			return p, t, broken(name, begin+line, "%v", err)
		}
		if len(t.rows) > 0 && len(row) != len(columns) {
			return p, t, broken(name, begin+line, "%d fields, want %d", len(row), len(columns))
		}
		t.rows, t.lines = append(t.rows, row), append(t.lines, begin+line)
	}
	if len(t.rows) == 0 || !slices.Equal(t.rows[0], columns) {
		return p, t, broken(name, begin+1, "the row of columns is not %s",
			strings.Join(columns, ","))
	}
	t.head, t.rows, t.lines = t.lines[0], t.rows[1:], t.lines[1:]
	return p, t, nil
}

// entry is a row of a table, which its key tells from all others.
type entry[K comparable] interface {
	validate() error
	key() K
	title() string
}

// encodeEntries writes a table with one row for each entry.
func encodeEntries[K comparable, E entry[K]](
	p Provenance, columns []string, all []E, row func(E) []string,
) ([]byte, error) {
	rows := make([][]string, len(all))
	seen := map[K]bool{}
	for i, e := range all {
		if err := e.validate(); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRecording, err)
		}
		if seen[e.key()] {
			return nil, fmt.Errorf("%w: %s stands twice", ErrRecording, e.title())
		}
		seen[e.key()] = true
		rows[i] = row(e)
	}
	return encodeTable(p, columns, rows)
}

// decodeEntries reads a table of at least one entry.
func decodeEntries[K comparable, E entry[K]](
	name string, data []byte, columns []string, decode func(*cells) E,
) (Provenance, []E, error) {
	p, t, err := decodeTable(name, data, columns)
	if err == nil && len(t.rows) == 0 {
		err = broken(name, t.head, "no row follows the names of the columns")
	}
	if err != nil {
		return Provenance{}, nil, err
	}
	all := make([]E, len(t.rows))
	seen := map[K]int{}
	for i, row := range t.rows {
		c := cells{row: row}
		e := decode(&c)
		if c.err == nil {
			c.err = e.validate()
		}
		if before := seen[e.key()]; c.err == nil && before > 0 {
			c.fail("%s stands on line %d too", e.title(), before)
		}
		if c.err != nil {
			return Provenance{}, nil, broken(name, t.lines[i], "%v", c.err)
		}
		seen[e.key()] = t.lines[i]
		all[i] = e
	}
	return p, all, nil
}

// oneLine reports a cell that holds a line break.
func oneLine(row []string) error {
	for _, cell := range row {
		if strings.ContainsAny(cell, "\n\r") {
			return fmt.Errorf("%q holds a line break", cell)
		}
	}
	return nil
}

// comments takes the comment lines off the beginning of data and returns the
// rest with the number of lines before it.
func (t *table) comments(p *Provenance, data []byte) ([]byte, int, error) {
	line := 0
	for ; len(data) > 0 && data[0] == '#'; line++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		note := strings.TrimSpace(string(text[1:]))
		if _, err := p.note(note); err != nil {
			return nil, line, broken(t.name, line+1, "%v", err)
		}
		data = rest
	}
	return data, line, nil
}

// cells reads one row from left to right and keeps the first error.
type cells struct {
	row []string
	at  int
	err error
}

func (c *cells) text() string {
	c.at++
	return c.row[c.at-1]
}

func (c *cells) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// name reads a word that is not empty.
func (c *cells) name(what string) string {
	s := c.text()
	if s == "" {
		c.fail("%s is empty", what)
	}
	return s
}

// number reads a finite number that is not negative.
func (c *cells) number(what string) float64 {
	s := c.text()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		c.fail("%s %q is no number from 0", what, s)
	}
	return v
}

// natural reads a whole number from least up to 2^62.
func (c *cells) natural(what string, least uint64) uint64 {
	s := c.text()
	n, err := strconv.ParseUint(s, 10, 62)
	if err != nil || n < least || strconv.FormatUint(n, 10) != s {
		c.fail("%s %q is no whole number from %d", what, s, least)
	}
	return n
}

// count reads a whole number of things that were done.
func (c *cells) count(what string, least uint64) int {
	n := c.natural(what, least)
	if n > 1<<31-1 {
		c.fail("%s %d is too large", what, n)
	}
	return int(n)
}

func parsed[T any](c *cells, parse func(string) (T, error)) T {
	v, err := parse(c.text())
	if err != nil {
		c.fail("%v", err)
	}
	return v
}

// exact writes a number such that it is read as the same one.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// mostBytes bounds a file's content after decompression.
const mostBytes = 1 << 30

// Compress returns data in gzip, the same bytes for the same data.
func Compress(data []byte) ([]byte, error) { return gzipped.Pack(data) }

// Plain returns data as it is, or what it holds where it is in gzip. Errors
// wrap ErrRecording and give the name.
func Plain(name string, data []byte) ([]byte, error) {
	plain, _, err := gzipped.Unpack(data, mostBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: unpacking: %v", ErrRecording, name, err)
	}
	return plain, nil
}
