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
	"github.com/atomtune/atomtune/internal/wholefile"
	"github.com/atomtune/atomtune/variant"
)

// row is a row of a table on its way. The cells method of a type hands it each field in turn, to
// be written or read.
type row struct {
	reading bool
	older   bool     // of a table that lacks the columns added later
	names   []string // of the columns, as they are written
	cells   []string // written, or still to be read
	err     error    // the first

	variants map[string]variant.Variant // read so far, by their text
}

// record is a pointer to what a row of a table holds.
type record[T any] interface {
	*T
	cells(r *row)
}

// columns lists the names of a table's columns.
func columns[T any, P record[T]]() []string { return columnsOf[T, P](false) }

// columnsOf lists those of an older table, or of one that is written now.
func columnsOf[T any, P record[T]](older bool) []string {
	r := row{older: older}
	P(new(T)).cells(&r)
	return r.names
}

// field is a cell of a value that has a text.
func field[V any](r *row, name string, v *V, format func(V) string, parse func(string) (V, error)) {
	if !r.reading {
		r.names, r.cells = append(r.names, name), append(r.cells, format(*v))
		return
	}
	cell := r.cells[0]
	if r.cells = r.cells[1:]; r.err == nil {
		*v, r.err = parse(cell)
	}
}

func same(text string) string { return text }

func (r *row) text(name string, v *string) {
	field(r, name, v, same, func(cell string) (string, error) { return cell, nil })
}

// word is a text that is not empty.
func (r *row) word(name string, v *string) {
	field(r, name, v, same, func(cell string) (string, error) {
		if cell == "" {
			return "", fmt.Errorf("%s is empty", name)
		}
		return cell, nil
	})
}

// number is a finite number that is not negative.
func (r *row) number(name string, v *float64) {
	field(r, name, v, exact, func(cell string) (float64, error) {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || !(v >= 0) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("%s %q is no number from 0", name, cell)
		}
		return v, nil
	})
}

// whole is a whole number from least that is below 2^bits.
func whole[V int | uint64](r *row, name string, least uint64, bits int, v *V) {
	format := func(n V) string { return strconv.FormatUint(uint64(n), 10) }
	field(r, name, v, format, func(cell string) (V, error) {
		n, err := strconv.ParseUint(cell, 10, bits)
		if err != nil || n < least || cell[0] == '0' && len(cell) > 1 {
			return 0, fmt.Errorf("%s %q is no whole number from %d below 2^%d", name, cell, least, bits)
		}
		return V(n), nil
	})
}

func (r *row) natural(name string, least uint64, v *uint64) { whole(r, name, least, 62, v) }
func (r *row) count(name string, least uint64, v *int)      { whole(r, name, least, 31, v) }

func (r *row) bit(name string, v *bool) {
	field(r, name, v, func(set bool) string {
		if set {
			return "1"
		}
		return "0"
	}, func(cell string) (bool, error) {
		if cell != "0" && cell != "1" {
			return false, fmt.Errorf("%s %q is neither 0 nor 1", name, cell)
		}
		return cell == "1", nil
	})
}

// implementation is a variant. A table names few of them, each in many rows.
func (r *row) implementation(name string, v *variant.Variant) {
	field(r, name, v, variant.Variant.String, func(cell string) (variant.Variant, error) {
		if known, ok := r.variants[cell]; ok {
			return known, nil
		}
		read, err := variant.Parse(cell)
		if err == nil {
			r.variants[cell] = read
		}
		return read, err
	})
}

// exact writes a number such that it is read as the same one.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// oneLine reports a cell that holds a line break.
func oneLine(cells []string) error {
	for _, cell := range cells {
		if strings.IndexByte(cell, '\n') >= 0 || strings.IndexByte(cell, '\r') >= 0 {
			return fmt.Errorf("%q holds a line break", cell)
		}
	}
	return nil
}

// encodeTable writes provenance, a row of column names and the rows.
func encodeTable[T any, P record[T]](p Provenance, all []T) ([]byte, error) {
	head, err := p.lines()
	if err != nil {
		return nil, err
	}
	b := bytes.NewBufferString(head)
	w := csv.NewWriter(b)
	_ = w.Write(columns[T, P]()) // errors stick, and a buffer has none
	var r row
	for i := range all {
		r.names, r.cells = r.names[:0], r.cells[:0]
		P(&all[i]).cells(&r)
		if err := oneLine(r.cells); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrRecording, err)
		}
		_ = w.Write(r.cells)
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// decodeTable reads comment lines, a row of exactly T's columns, now or before, and rows, each of
// which it hands out with its line. An error of take is one of that line. It returns the line of
// the columns. data is not compressed.
func decodeTable[T any, P record[T]](
	name string, data []byte, take func(line int, row T) error,
) (p Provenance, head int, err error) {
	data, line, err := p.comments(name, data)
	if err != nil {
		return p, 0, err
	}
	names, begin := columns[T, P](), line
	reading := row{reading: true, variants: map[string]variant.Variant{}}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	for err == nil {
		var cells []string
		cells, err = r.Read()
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			line, err = begin+bad.Line, bad.Err
		} else if err == nil {
			line, _ = r.FieldPos(0)
			line += begin
		}
		if head == 0 {
			if before := columnsOf[T, P](true); slices.Equal(cells, before) {
				names, reading.older = before, len(before) < len(names)
			}
		}
		switch {
		case head > 0 && err == nil:
			err = takeRow[T, P](&reading, cells, len(names), line, take)
		case head == 0 && (err == io.EOF || err == nil && !slices.Equal(cells, names)):
			line, err = begin+1, fmt.Errorf("the row of columns is not %s", strings.Join(names, ","))
		case head == 0:
			head = line
		}
	}
	if err != io.EOF {
		return p, 0, broken(name, line, "%v", err)
	}
	return p, head, nil
}

// takeRow reads the cells of a row from left to right.
func takeRow[T any, P record[T]](r *row, cells []string, n int, line int,
	take func(int, T) error) error {
	if err := oneLine(cells); err != nil {
		return err
	}
	if len(cells) != n {
		return fmt.Errorf("%d fields, want %d", len(cells), n)
	}
	var t T
	r.cells = cells
	if P(&t).cells(r); r.err != nil {
		return r.err
	}
	return take(line, t)
}

// Plain returns data as it is, or what it holds where it is in gzip. Errors wrap ErrRecording
// and give the name.
func Plain(name string, data []byte) ([]byte, error) {
	plain, _, err := gzipped.Unpack(data, wholefile.Most)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: unpacking: %v", ErrRecording, name, err)
	}
	return plain, nil
}
