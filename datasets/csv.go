package datasets

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/internal/visible"
)

var csvFormat = format{
	name: "csv", extensions: []string{".csv"}, takes: takesColumn | takesOrder | takesKeys,
	line: func(line firstLines, opt Options) bool {
		return opt.Column != "" || bytes.ContainsAny(line.first, separators) && !looksLikeEdges(line, opt)
	},
	open: func(in *input, opt Options) (decoder, uint64) { return newCSV(in, opt).decoder(opt), 0 },
}

type table struct {
	in     *input
	x      *indexer
	other  *indexer // of the other one of two columns
	rows   *csv.Reader
	before uint64   // lines before the first row
	left   int      // bytes that the row may yet take
	column int      // counted from 0
	first  []string // the first row, if it is data; given once
}

func newCSV(in *input, opt Options) *table {
	in.toUTF8()
	in.refuseForeign()
	comma, before := separator(in.peek(peekBytes)), uint64(0)
	if said := excelSeparator.FindSubmatch(in.peek(7)); said != nil {
		comma, before = rune(said[1][0]), 1
		_, _ = in.r.Discard(len(said[0])) // cannot fail: the bytes are buffered
	}
	t := &table{in: in, before: before, x: newIndexer(in, opt), other: newIndexer(in, Options{Keys: opt.Keys})}
	t.rows = csv.NewReader(readerFunc(func(p []byte) (int, error) {
		if t.left <= 0 {
			return 0, errLongRow
		}
		n, err := in.r.Read(p)
		t.left -= n
		return n, err
	}))
	t.rows.Comma, t.rows.ReuseRecord = comma, true
	row, ok := t.row()
	if !ok {
		panic(in.fail(ErrEmpty, "holds no row"))
	}
	_, isNumber := decimal([]byte(opt.Column))
	named := opt.Column != "" && !isNumber
	shown := func(i int) string { return fmt.Sprintf("%d %s", i, quote([]byte(row[i]))) }
	t.column = in.choose(t.line(0), "column", opt.Column, len(row), func(i int) string {
		if isNumber {
			return ""
		}
		return strings.Trim(row[i], blanks)
	}, shown)
	if len(row) == 2 {
		in.groups = []string{OrderRow, OrderCol}[t.column]
	} else if opt.sorts() {
		panic(in.failLine(t.line(0), ErrOptions, "--order %s needs two columns, but there are %d, %s and so on",
			opt.Order, len(row), shown(0)))
	}
	if !named && (opt.Keys || t.isData(trim([]byte(row[t.column])))) {
		t.first = row
	}
	if len(row) > 1 {
		in.targets = "column " + t.name(row)
	}
	return t
}

// excelSeparator is the line that Excel writes before the first row, and reads.
var excelSeparator = regexp.MustCompile("^sep=([,;\t|])\r?\n")

// separators of cells; of several that fit the first that stands most often.
const separators = ",;\t|"

// separator recognizes it by the first two rows, which have as many cells.
func separator(head []byte) rune {
	best, most := rune(separators[0]), 0
	for _, c := range []byte(separators) {
		var counts []int
		quoted, n, blank := false, 0, true
		for i, b := range head {
			switch {
			case b == '"':
				quoted = !quoted
			case b == c && !quoted:
				n++
			}
			blank = blank && (b == '\r' || b == '\n')
			if end := b == '\n' && !quoted; (end || i == len(head)-1) && !blank {
				counts = append(counts, n)
				n, blank = 0, true
			}
			if len(counts) == 2 {
				break
			}
		}
		if len(counts) > 0 && counts[0] > most && counts[len(counts)-1] == counts[0] {
			best, most = rune(c), counts[0]
		}
	}
	return best
}

// isData says whether a cell of the first row is not a name of a column.
func (t *table) isData(cell []byte) bool {
	return isNumber(cell) || len(cell) > 0 && t.x.ignore.word(cell)
}

func (t *table) name(row []string) string {
	if t.first != nil {
		return strconv.Itoa(t.column)
	}
	return visible.Line(strings.Trim(row[t.column], blanks))
}

func (t *table) decoder(opt Options) decoder {
	if !opt.sorts() {
		return t
	}
	opt.Axis = t.in.groups
	return take(t.in, opt, t)
}

func (t *table) next(to *chunk) bool {
	for to.free() {
		row, ok := t.data()
		if !ok {
			return false
		}
		to.add(t.index(row, t.column))
	}
	return true
}

func (t *table) pair() (first, second uint32, ok bool) {
	row, ok := t.data()
	if !ok {
		return 0, 0, false
	}
	return t.index(row, 0), t.index(row, 1), true
}

// data returns the next row that is not the header; false after the last.
func (t *table) data() (row []string, ok bool) {
	if row = t.first; row != nil {
		t.first = nil
		return row, true
	}
	return t.row()
}

func (t *table) index(row []string, column int) uint32 {
	x := t.x
	if column != t.column {
		x = t.other
	}
	return x.index(trim([]byte(row[column])), t.line(column))
}

// row returns the next row, valid until the next call; false after the last.
func (t *table) row() ([]string, bool) {
	t.left, t.in.gap = lineBytes, 0 // a row has its own limit
	row, err := t.rows.Read()
	wrong, malformed := errors.AsType[*csv.ParseError](err)
	switch {
	case err == io.EOF:
		return nil, false
	case malformed && wrong.Err == csv.ErrFieldCount:
		panic(t.in.failLine(t.before+uint64(wrong.Line), ErrFormat, "%d fields, but the first row has %d",
			len(row), t.rows.FieldsPerRecord))
	case malformed:
		panic(t.in.failLine(t.before+uint64(wrong.StartLine), ErrFormat, "%v", wrong.Err))
	case err == errLongRow:
		panic(t.in.fail(ErrFormat, "a row of more than %d bytes; is a quote left open?", lineBytes))
	case err != nil:
		panic(t.in.broken(err))
	}
	return row, true
}

func (t *table) line(field int) uint64 {
	line, _ := t.rows.FieldPos(field)
	return t.before + uint64(line)
}

// errLongRow ends the reading of a row that a quote left open makes too long.
var errLongRow = errors.New("long row")
