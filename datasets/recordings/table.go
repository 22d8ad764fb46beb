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

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// row is a row of a table on its way: the cells method of a type hands it each field, written or read.
type row struct {
	reading bool
	older   bool     // of a table that lacks the columns added later
	names   []string // of the columns, as they are written
	cells   []string // written, or still to be read
	line    int      // of the file that is read
	err     error    // the first

	implementations map[string]impl.Spec // read so far, by their text
}

// record is a pointer to what a row of a table holds.
type record[T any] interface {
	*T
	cells(r *row)
}

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
			return 0, fmt.Errorf("%s %q is not a number from 0", name, cell)
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
			return 0, fmt.Errorf("%s %q is not a whole number from %d below 2^%d", name, cell, least, bits)
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

// implementation is an implementation. A table names few of them, each in many rows.
func (r *row) implementation(name string, v *impl.Spec) {
	field(r, name, v, impl.Spec.String, func(cell string) (impl.Spec, error) {
		if known, ok := r.implementations[cell]; ok {
			return known, nil
		}
		read, err := impl.Parse(cell)
		if err == nil {
			r.implementations[cell] = read
		}
		return read, err
	})
}

func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func oneLine(cells []string) error {
	for _, cell := range cells {
		if strings.IndexByte(cell, '\n') >= 0 || strings.IndexByte(cell, '\r') >= 0 {
			return fmt.Errorf("%q holds a line break", cell)
		}
	}
	return nil
}

// entry is a row of a file, which its key distinguishes from all others.
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
	key := e.key()
	before, twice := u[key]
	u[key] = line
	switch {
	case !twice:
		return nil
	case before == 0:
		return fmt.Errorf("%s is given twice", e.title())
	}
	return fmt.Errorf("%s is on line %d too", e.title(), before)
}

func checkEntries[K comparable, E entry[K]](all []E) error {
	seen := unique[K, E]{}
	for _, e := range all {
		if err := seen.add(0, e); err != nil {
			return fmt.Errorf("%w: %v", ErrRecording, err)
		}
	}
	return nil
}

// encodeTable writes provenance, a row of column names and the rows, no two of which have one key.
func encodeTable[K comparable, T entry[K], P record[T]](p Provenance, all []T) ([]byte, error) {
	if err := checkEntries(all); err != nil {
		return nil, err
	}
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

// decodeTable reads what encodeTable wrote, through gzip where data is so packed, and returns the line of the
// columns, which are T's, now or before.
func decodeTable[K comparable, T entry[K], P record[T]](name string, data []byte) (p Provenance, all []T, head int,
	err error) {
	line := 0
	if data, err = Plain(name, data); err == nil {
		data, line, err = p.comments(name, data)
	}
	if err != nil {
		return p, nil, 0, err
	}
	reading := row{reading: true, implementations: map[string]impl.Spec{}}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	names, before, begin := columns[T, P](), columnsOf[T, P](true), line
	cells, _ := r.Read() // none are not columns
	if slices.Equal(cells, before) {
		names, reading.older = before, len(before) < len(names)
	} else if !slices.Equal(cells, names) {
		return p, nil, 0, broken(name, begin+1, "the row of columns is not %s", strings.Join(names, ","))
	}
	head, _ = r.FieldPos(0)
	// no row is shorter than its separators
	most := min(bytes.Count(data, []byte("\n")), len(data)/len(names))
	all, seen := make([]T, 0, most), make(unique[K, T], most)
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return p, all, begin + head, nil
		}
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			line, err = begin+bad.Line, bad.Err
		} else {
			line, _ = r.FieldPos(0)
			line += begin
		}
		var t T
		if reading.line = line; err == nil {
			err = takeRow(&reading, cells, len(names), P(&t))
		}
		if err == nil {
			err = seen.add(line, t)
		}
		if err != nil {
			return p, nil, 0, broken(name, line, "%v", err)
		}
		all = append(all, t)
	}
}

func decodeEntries[K comparable, T entry[K], P record[T]](name string, data []byte) (Provenance, []T, error) {
	p, all, head, err := decodeTable[K, T, P](name, data)
	if err == nil && len(all) == 0 {
		err = broken(name, head, "no row follows the names of the columns")
	}
	if err != nil {
		return Provenance{}, nil, err
	}
	return p, all, nil
}

func takeRow(r *row, cells []string, n int, to interface{ cells(r *row) }) error {
	if err := oneLine(cells); err != nil {
		return err
	}
	if len(cells) != n {
		return fmt.Errorf("%d fields, want %d", len(cells), n)
	}
	r.cells = cells
	to.cells(r)
	return r.err
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
