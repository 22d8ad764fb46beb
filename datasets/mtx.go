package datasets

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

var mtxFormat = format{
	name: "mtx", extensions: []string{".mtx"}, takes: takesAxis | takesOrder,
	begins: func(head []byte) bool {
		return isBanner(bytes.TrimLeft(head, " \t\r\n"))
	},
	open: newMTX,
}

const mtxBanner = "%%matrixmarket"

// isBanner says whether a line is a Matrix Market banner; case is ignored, as the format has it.
func isBanner(line []byte) bool {
	return len(line) >= len(mtxBanner) && strings.EqualFold(string(line[:len(mtxBanner)]), mtxBanner)
}

// mtx reads the entries of a Matrix Market coordinate file. Values are counted but not parsed.
type mtx struct {
	*lines
	field               string // real, integer, unsigned-integer, complex or pattern
	symmetry            string // general, symmetric, skew-symmetric or hermitian
	rows, cols, entries uint64
	values              int    // words that follow the two indices of an entry
	rowLimit, colLimit  uint64 // first row and column, from 0, that are out of range
	bins                uint64 // Options.Bins, for the wording of errors
	triangle            int    // of a symmetric kind: -1 lower, 1 upper, 0 none seen yet
	read                uint64 // entries so far
	mirror              bool   // the mirrored entry of row and col comes next
	row, col            uint32 // of the last entry
}

// newMTX reads the header. It declares as many targets as rows or columns, by axis.
func newMTX(in *input, opt Options) (decoder, uint64) {
	m := &mtx{lines: newLines(in, false), bins: opt.Bins}
	line, _ := m.next()
	if m.number = 1; !isBanner(line) {
		panic(m.fault(ErrFormat, "%s is not a %%%%MatrixMarket header", quote(line)))
	}
	m.banner(strings.Fields(strings.ToLower(string(line))))
	line, ok := m.line()
	if !ok {
		panic(in.fail(ErrTruncated, "ends before the line of the matrix's size"))
	}
	m.size(line)
	m.rowLimit, m.colLimit = m.rows, m.cols
	targets, limit := m.rows, &m.rowLimit
	if opt.Axis == AxisCol {
		targets, limit = m.cols, &m.colLimit
	}
	*limit = min(*limit, opt.limit())
	if in.mirrored = m.symmetry != "general"; in.mirrored {
		m.rowLimit, m.colLimit = *limit, *limit // the mirror of an entry swaps them
	}
	in.targets = "axis " + cmp.Or(opt.Axis, AxisRow)
	return take(in, opt, m), targets
}

func (m *mtx) fault(kind error, format string, args ...any) error {
	return m.in.failLine(m.number, kind, format, args...)
}

// line returns the next line that is neither blank nor a comment, trimmed.
func (m *mtx) line() ([]byte, bool) {
	for {
		line, ok := m.next()
		if line = trim(line); !ok || len(line) > 0 && line[0] != '%' {
			m.in.gap = 0
			return line, ok
		}
		if isBanner(line) {
			panic(m.fault(ErrFormat, "second %%%%MatrixMarket header"))
		}
	}
}

func (m *mtx) banner(words []string) {
	if len(words) != 5 || words[0] != mtxBanner {
		panic(m.fault(ErrFormat, "the header has %d words, not the five of "+
			"\"%%%%MatrixMarket matrix coordinate FIELD SYMMETRY\"", len(words)))
	}
	object, layout := words[1], words[2]
	m.field, m.symmetry = words[3], words[4]
	fields := []string{"pattern", "real", "complex", "integer"} // of 0, 1, 2 and 1 values
	m.values = slices.Index(fields, m.field)
	if m.field == "integer" || m.field == "unsigned-integer" { // the second is SciPy's
		m.values = 1
	}
	switch {
	case object != "matrix":
		panic(m.fault(ErrUnsupported, "holds a %q, not a matrix", object))
	case layout == "array":
		panic(m.fault(ErrUnsupported,
			"holds a dense matrix (array), which has no indices; only coordinate is read"))
	case layout != "coordinate":
		panic(m.fault(ErrFormat, "%q is not a Matrix Market layout", layout))
	case m.values < 0:
		panic(m.fault(ErrFormat, "%q is not a Matrix Market field", m.field))
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric", "hermitian"}, m.symmetry):
		panic(m.fault(ErrFormat, "%q is not a Matrix Market symmetry", m.symmetry))
	case m.symmetry == "hermitian" && m.field != "complex",
		m.symmetry == "skew-symmetric" && m.field == "pattern":
		panic(m.fault(ErrFormat, "a %s matrix cannot be %s", m.field, m.symmetry))
	}
}

func (m *mtx) size(line []byte) {
	words := bytes.Fields(line)
	if len(words) != 3 {
		panic(m.fault(ErrFormat, "%s is not a size line of rows, columns and entries", quote(line)))
	}
	for i, to := range []*uint64{&m.rows, &m.cols, &m.entries} {
		v, ok := decimal(words[i])
		if !ok {
			panic(m.fault(ErrFormat, "size %s is not a count", quote(words[i])))
		}
		*to = v
	}
	if m.rows > MaxBins || m.cols > MaxBins {
		panic(m.fault(ErrRange, "%d rows and %d columns, the most is 4294967296", m.rows, m.cols))
	}
	if m.symmetry != "general" && m.rows != m.cols {
		panic(m.fault(ErrFormat, "a %s matrix cannot have %d rows and %d columns", m.symmetry,
			m.rows, m.cols))
	}
}

// pair gives every entry, a mirrored one of a symmetric kind right after its own, and holds their
// number against the header.
func (m *mtx) pair() (row, col uint32, ok bool) {
	if m.mirror {
		m.mirror = false
		return m.col, m.row, true
	}
	line, ok := m.line()
	switch {
	case ok && m.read == m.entries:
		panic(m.fault(ErrTruncated, "one entry more than the %d that the header promises", m.read))
	case ok:
		m.read++
		m.entry(line)
		return m.row, m.col, true
	case m.read < m.entries:
		panic(m.in.fail(ErrTruncated, "the header promises %d entries, but the file has %d",
			m.entries, m.read))
	}
	return 0, 0, false
}

// entry reads one line, and says whether it is mirrored. Only one triangle of a symmetric kind may
// be stored: with both, every entry would count twice.
func (m *mtx) entry(line []byte) {
	first, rest := blankWord(line)
	second, rest := blankWord(rest)
	values := 0
	for ; len(rest) > 0; values++ {
		_, rest = blankWord(rest)
	}
	if len(second) == 0 || values != m.values {
		panic(m.fault(ErrFormat, "%s is not a %s entry of two indices and %d values", quote(line),
			m.field, m.values))
	}
	row := m.index("row", first, m.rows, m.rowLimit)
	col := m.index("column", second, m.cols, m.colLimit)
	m.row, m.col = row, col
	if m.symmetry == "general" {
		return
	}
	if row == col {
		if m.symmetry == "skew-symmetric" {
			panic(m.fault(ErrFormat, "entry (%d, %d) on the diagonal of a skew-symmetric matrix",
				row+1, col+1))
		}
		return
	}
	triangle := -1
	if col > row {
		triangle = 1
	}
	if m.triangle == -triangle {
		panic(m.fault(ErrFormat, "entry (%d, %d) of a %s matrix, whose entries so far are in "+
			"the other triangle", uint64(row)+1, uint64(col)+1, m.symmetry))
	}
	m.triangle, m.mirror = triangle, true
}

// index reads a row or column, counted from 1 in the file and from 0 in the stream.
func (m *mtx) index(what string, word []byte, dimension, limit uint64) uint32 {
	v, ok := decimal(word)
	switch {
	case ok && v-1 < limit:
		return uint32(v - 1)
	case !isInteger(word):
		panic(m.fault(ErrFormat, "%s index %s is not a number", what, quote(word)))
	case ok && v == 0:
		panic(m.fault(ErrRange, "%s index 0, but Matrix Market counts from 1", what))
	case word[0] == '-':
		panic(m.fault(ErrRange, "%s index %s is negative", what, shown(string(word), longest)))
	case ok && v <= dimension:
		panic(m.fault(ErrRange, "%s index %d is outside of the %d bins", what, v, m.bins))
	}
	panic(m.fault(ErrRange, "%s index %s is above the %d that the header declares", what, shown(string(word), longest),
		dimension))
}

// blankWord splits the first word off a trimmed line of blank-separated words.
func blankWord(line []byte) (first, rest []byte) {
	end := 0
	for end < len(line) && !isBlank(line[end]) {
		end++
	}
	return line[:end], trimLeft(line[end:])
}
