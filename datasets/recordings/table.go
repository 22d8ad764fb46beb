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
func encodeTable[T any](p Provenance, columns []column[T], all []T) ([]byte, error) {
	head, err := p.lines()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(head)
	w := csv.NewWriter(b)
	_ = w.Write(names(columns)) // errors stick, and a buffer has none
	row := make([]string, len(columns))
	for i := range all {
		for k, c := range columns {
			row[k] = c.write(&all[i])
		}
		if err := oneLine(row); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRecording, err)
		}
		_ = w.Write(row)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// decodeTable reads comment lines, a row of exactly these columns, and rows, each of which it
// hands out with its line. An error of take is one of that line. It returns the line of the
// columns' names.
func decodeTable[T any](
	name string, data []byte, columns []column[T], take func(line int, row T) error,
) (p Provenance, head int, err error) {
	if data, err = Plain(name, data); err != nil {
		return p, 0, err
	}
	data, begin, err := p.comments(name, data)
	if err != nil {
		return p, 0, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	for {
		cells, err := r.Read()
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			return p, 0, broken(name, begin+bad.Line, "%v", bad.Err)
		}
		if err == nil && head > 0 {
			line, _ := r.FieldPos(0)
			if err := takeRow(columns, cells, begin+line, take); err != nil {
				return p, 0, broken(name, begin+line, "%v", err)
			}
			continue
		}
		switch {
		case head > 0 && err == io.EOF:
			return p, head, nil
		case err != nil && err != io.EOF:
			return p, 0, broken(name, begin, "%v", err)
		case !slices.Equal(cells, names(columns)):
			return p, 0, broken(name, begin+1, "the row of columns is not %s",
				strings.Join(names(columns), ","))
		}
		head, _ = r.FieldPos(0)
		head += begin
	}
}

// takeRow reads the cells of a row from left to right.
func takeRow[T any](columns []column[T], cells []string, line int, take func(int, T) error) error {
	if err := oneLine(cells); err != nil {
		return err
	}
	if len(cells) != len(columns) {
		return fmt.Errorf("%d fields, want %d", len(cells), len(columns))
	}
	var row T
	for k, c := range columns {
		if err := c.read(&row, cells[k]); err != nil {
			return err
		}
	}
	return take(line, row)
}

// entry is a row of a file, which its key tells from all others.
type entry[K comparable] interface {
	validate() error
	key() K
	title() string
}

// unique checks entries and keeps the line of each by its key; 0 where they have no lines.
type unique[K comparable, E entry[K]] map[K]int

func (u unique[K, E]) add(line int, e E) error {
	if err := e.validate(); err != nil {
		return err
	}
	before, twice := u[e.key()]
	u[e.key()] = line
	switch {
	case !twice:
		return nil
	case before == 0:
		return fmt.Errorf("%s stands twice", e.title())
	}
	return fmt.Errorf("%s stands on line %d too", e.title(), before)
}

// checkEntries reports the first entry that cannot be written.
func checkEntries[K comparable, E entry[K]](all []E) error {
	seen := unique[K, E]{}
	for _, e := range all {
		if err := seen.add(0, e); err != nil {
			return fmt.Errorf("%w: %v", ErrRecording, err)
		}
	}
	return nil
}

// encodeEntries writes a table with one row for each entry.
func encodeEntries[K comparable, E entry[K]](
	p Provenance, columns []column[E], all []E,
) ([]byte, error) {
	if err := checkEntries(all); err != nil {
		return nil, err
	}
	return encodeTable(p, columns, all)
}

// decodeEntries reads a table of at least one entry.
func decodeEntries[K comparable, E entry[K]](
	name string, data []byte, columns []column[E],
) (Provenance, []E, error) {
	var all []E
	seen := unique[K, E]{}
	p, head, err := decodeTable(name, data, columns, func(line int, e E) error {
		all = append(all, e)
		return seen.add(line, e)
	})
	if err == nil && len(all) == 0 {
		err = broken(name, head, "no row follows the names of the columns")
	}
	if err != nil {
		return Provenance{}, nil, err
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

// mostBytes bounds a file's content after decompression.
const mostBytes = 1 << 30

// Compress returns data in gzip, the same bytes for the same data.
func Compress(data []byte) ([]byte, error) { return gzipped.Pack(data) }

// Plain returns data as it is, or what it holds where it is in gzip. Errors wrap ErrRecording
// and give the name.
func Plain(name string, data []byte) ([]byte, error) {
	plain, _, err := gzipped.Unpack(data, mostBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: unpacking: %v", ErrRecording, name, err)
	}
	return plain, nil
}

// column is one column of a table whose rows are of the type T.
type column[T any] struct {
	name  string
	write func(*T) string
	read  func(*T, string) error
}

// names lists what the first row of a table holds.
func names[T any](columns []column[T]) []string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.name
	}
	return all
}

// parsed is a column of values that have a text.
func parsed[T, V any](
	name string, at func(*T) *V, format func(V) string, parse func(string) (V, error),
) column[T] {
	return column[T]{name, func(row *T) string { return format(*at(row)) },
		func(row *T, cell string) (err error) {
			*at(row), err = parse(cell)
			return err
		}}
}

// text is a column of any text.
func text[T any](name string, at func(*T) *string) column[T] {
	return column[T]{name, func(row *T) string { return *at(row) },
		func(row *T, cell string) error { *at(row) = cell; return nil }}
}

// word is a column of text that is not empty.
func word[T any](name string, at func(*T) *string) column[T] {
	c := text(name, at)
	c.read = func(row *T, cell string) error {
		if *at(row) = cell; cell == "" {
			return fmt.Errorf("%s is empty", name)
		}
		return nil
	}
	return c
}

// number is a column of finite numbers that are not negative.
func number[T any](name string, at func(*T) *float64) column[T] {
	return parsed(name, at, exact, func(cell string) (float64, error) {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("%s %q is no number from 0", name, cell)
		}
		return v, nil
	})
}

// natural is a column of whole numbers from least up to 2^62.
func natural[T any](name string, least uint64, at func(*T) *uint64) column[T] {
	return parsed(name, at, formatNatural, func(cell string) (uint64, error) {
		return parseNatural(name, cell, least)
	})
}

// count is a column of whole numbers of things that were done.
func count[T any](name string, least uint64, at func(*T) *int) column[T] {
	return parsed(name, at, strconv.Itoa, func(cell string) (int, error) {
		n, err := parseNatural(name, cell, least)
		if err == nil && n > math.MaxInt32 {
			err = fmt.Errorf("%s %d is too large", name, n)
		}
		return int(n), err
	})
}

func formatNatural(n uint64) string { return strconv.FormatUint(n, 10) }

func parseNatural(name, cell string, least uint64) (uint64, error) {
	n, err := strconv.ParseUint(cell, 10, 62)
	if err != nil || n < least || formatNatural(n) != cell {
		return 0, fmt.Errorf("%s %q is no whole number from %d", name, cell, least)
	}
	return n, nil
}

func formatBit(set bool) string {
	if set {
		return "1"
	}
	return "0"
}

func parseBit(cell string) (bool, error) {
	if cell != "0" && cell != "1" {
		return false, fmt.Errorf("%q is neither 0 nor 1", cell)
	}
	return cell == "1", nil
}

// exact writes a number such that it is read as the same one.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
