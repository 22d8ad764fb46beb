package datasets

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

var mtxFormat = format{
	name: "mtx", title: "Matrix Market", extensions: []string{".mtx"}, axis: true,
	begins: hasBanner, open: newMTX,
}

// mtx reads the entries of a Matrix Market coordinate file. Values are counted
// but not parsed.
type mtx struct {
	in       *input
	lines    *lines
	head     mtxHeader
	rowLimit uint64 // first row and column, from 0, that are out of range
	colLimit uint64
	bins     uint64 // Options.Bins, for the wording of errors
	triangle int    // of a symmetric kind: -1 lower, 1 upper, 0 none seen yet
}

// newMTX reads the header. The declared number of targets is that of rows or
// columns, by axis.
func newMTX(in *input, opt Options) (decoder, uint64, error) {
	m := &mtx{in: in, lines: newLines(in), bins: opt.Bins}
	var err error
	if m.head, err = readMTXHeader(in, m.lines); err != nil {
		return nil, 0, err
	}
	m.rowLimit, m.colLimit = m.head.rows, m.head.cols
	targets, limit := m.head.rows, &m.rowLimit
	if opt.Axis == AxisCol {
		targets, limit = m.head.cols, &m.colLimit
	}
	*limit = min(*limit, opt.limit())
	if m.head.symmetry != "general" {
		m.rowLimit, m.colLimit = *limit, *limit // the mirror of an entry swaps them
	}
	return newOrdered(in, opt.Axis, m.scan), targets, nil
}

// scan hands every entry, and its mirror where the matrix is symmetric, to the
// sink, and holds the number of entries against the header.
func (m *mtx) scan(to sink) error {
	read := uint64(0)
	for {
		line, err := m.lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if line = trim(line); len(line) == 0 || line[0] == '%' {
			if isBanner(line) {
				return m.fail(ErrFormat, "second %%%%MatrixMarket header")
			}
			continue
		}
		if read == m.head.entries {
			return m.fail(ErrTruncated, "one entry more than the %d that the header promises", read)
		}
		read++
		if err := m.entry(line, to); err != nil {
			return err
		}
	}
	if read < m.head.entries {
		return m.in.fail(ErrTruncated, "the header promises %d entries, the file holds %d",
			m.head.entries, read)
	}
	return nil
}

func (m *mtx) fail(kind error, format string, args ...any) error {
	return m.in.failLine(m.lines.number, kind, format, args...)
}

// entry reads one line and adds its one or two updates.
func (m *mtx) entry(line []byte, to sink) error {
	first, rest := blankWord(line)
	second, rest := blankWord(rest)
	words := countWords(rest)
	if len(second) == 0 || words != m.head.values() {
		return m.fail(ErrFormat, "%s is no %s entry of two indices and %d values", quote(line),
			m.head.field, m.head.values())
	}
	row, err := m.index("row", first, m.head.rows, m.rowLimit)
	if err != nil {
		return err
	}
	col, err := m.index("column", second, m.head.cols, m.colLimit)
	if err != nil {
		return err
	}
	if m.head.symmetry == "general" {
		return to.add(row, col)
	}
	return m.mirrored(row, col, to)
}

// mirrored adds an entry of a symmetric kind. Only one triangle may be
// stored: with both, every entry would count twice.
func (m *mtx) mirrored(row, col uint32, to sink) error {
	if row == col {
		if m.head.symmetry == "skew-symmetric" {
			return m.fail(ErrFormat, "entry (%d, %d) on the diagonal of a skew-symmetric matrix",
				row+1, col+1)
		}
		return to.add(row, col)
	}
	triangle := -1
	if col > row {
		triangle = 1
	}
	if m.triangle == -triangle {
		return m.fail(ErrFormat, "entry (%d, %d) of a %s matrix, whose entries so far are in the other triangle", uint64(row)+1, uint64(col)+1, m.head.symmetry)
	}
	m.triangle = triangle
	if err := to.add(row, col); err != nil {
		return err
	}
	return to.add(col, row)
}

// index reads a row or column, counted from 1 in the file and from 0 in the
// stream.
func (m *mtx) index(what string, word []byte, dimension, limit uint64) (uint32, error) {
	v, ok := decimal(word)
	if ok && v-1 < limit {
		return uint32(v - 1), nil
	}
	switch {
	case !isInteger(word):
		return 0, m.fail(ErrFormat, "%s index %s is no number", what, quote(word))
	case ok && v == 0:
		return 0, m.fail(ErrRange, "%s index 0, and Matrix Market counts from 1", what)
	case word[0] == '-':
		return 0, m.fail(ErrRange, "%s index %s is negative", what, cut(word))
	case ok && v <= dimension:
		return 0, m.fail(ErrRange, "%s index %d is outside of the %d bins", what, v, m.bins)
	}
	return 0, m.fail(ErrRange, "%s index %s is above the %d that the header declares", what,
		cut(word), dimension)
}

// blankWord splits the first word off a trimmed line of blank-separated words.
func blankWord(line []byte) (first, rest []byte) {
	i := 0
	for i < len(line) && !isBlank(line[i]) {
		i++
	}
	first = line[:i]
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	return first, line[i:]
}

// countWords counts blank-separated words.
func countWords(line []byte) int {
	words, inside := 0, false
	for _, c := range line {
		blank := isBlank(c)
		if !blank && !inside {
			words++
		}
		inside = !blank
	}
	return words
}

// mtxHeader is what a Matrix Market file says before its entries.
type mtxHeader struct {
	field    string // real, integer, complex or pattern
	symmetry string // general, symmetric, skew-symmetric or hermitian
	rows     uint64
	cols     uint64
	entries  uint64
}

// values is the number of words that follow the two indices of an entry.
func (h mtxHeader) values() int {
	switch h.field {
	case "pattern":
		return 0
	case "complex":
		return 2
	}
	return 1
}

const mtxBanner = "%%matrixmarket"

// isBanner says whether a line is a Matrix Market banner; case is ignored, as
// the format has it.
func isBanner(line []byte) bool {
	return len(line) >= len(mtxBanner) && strings.EqualFold(string(line[:len(mtxBanner)]),
		mtxBanner)
}

// readMTXHeader reads the banner, the comments and the size line.
func readMTXHeader(in *input, l *lines) (mtxHeader, error) {
	var h mtxHeader
	line, err := l.next()
	if err != nil && err != io.EOF {
		return h, err
	}
	if !isBanner(line) {
		return h, in.failLine(1, ErrFormat, "%s is no %%%%MatrixMarket header", quote(line))
	}
	if err := h.banner(in, strings.Fields(strings.ToLower(string(line)))); err != nil {
		return h, err
	}
	for {
		line, err := l.next()
		if err == io.EOF {
			return h, in.fail(ErrTruncated, "ends before the line of the matrix's size")
		}
		if err != nil {
			return h, err
		}
		if isBanner(line) {
			return h, in.failLine(l.number, ErrFormat, "second %%%%MatrixMarket header")
		}
		if line = trim(line); len(line) > 0 && line[0] != '%' {
			return h, h.size(in, l.number, line)
		}
	}
}

// banner checks the words of the first line.
func (h *mtxHeader) banner(in *input, words []string) error {
	if len(words) != 5 || words[0] != mtxBanner {
		return in.failLine(1, ErrFormat, "the header has %d words, not the five of \"%%%%MatrixMarket matrix coordinate FIELD SYMMETRY\"", len(words))
	}
	object, layout := words[1], words[2]
	h.field, h.symmetry = words[3], words[4]
	switch {
	case object != "matrix":
		return in.failLine(1, ErrUnsupported, "holds a %q, not a matrix", object)
	case layout == "array":
		return in.failLine(1, ErrUnsupported,
			"holds a dense matrix (array), which has no indices; only coordinate is read")
	case layout != "coordinate":
		return in.failLine(1, ErrFormat, "%q is no Matrix Market layout", layout)
	case !slices.Contains([]string{"real", "integer", "complex", "pattern"}, h.field):
		return in.failLine(1, ErrFormat, "%q is no Matrix Market field", h.field)
	case !slices.Contains([]string{"general", "symmetric", "skew-symmetric", "hermitian"},
		h.symmetry):
		return in.failLine(1, ErrFormat, "%q is no Matrix Market symmetry", h.symmetry)
	case h.symmetry == "hermitian" && h.field != "complex",
		h.symmetry == "skew-symmetric" && h.field == "pattern":
		return in.failLine(1, ErrFormat, "a %s matrix cannot be %s", h.field, h.symmetry)
	}
	return nil
}

// size reads the line of rows, columns and entries.
func (h *mtxHeader) size(in *input, number uint64, line []byte) error {
	words := bytes.Fields(line)
	if len(words) != 3 {
		return in.failLine(number, ErrFormat, "%s is no size line of rows, columns and entries",
			quote(line))
	}
	for i, to := range []*uint64{&h.rows, &h.cols, &h.entries} {
		v, ok := decimal(words[i])
		if !ok {
			return in.failLine(number, ErrFormat, "size %s is no count", quote(words[i]))
		}
		*to = v
	}
	if h.rows > MaxBins || h.cols > MaxBins {
		return in.failLine(number, ErrRange, "%d rows and %d columns, the most is 4294967296",
			h.rows, h.cols)
	}
	if h.symmetry != "general" && h.rows != h.cols {
		return in.failLine(number, ErrFormat, "a %s matrix cannot have %d rows and %d columns",
			h.symmetry, h.rows, h.cols)
	}
	return nil
}

// hasBanner looks for the Matrix Market banner, which is the first thing in its
// file but for blank lines, in any case.
func hasBanner(head []byte) bool {
	return isBanner(bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n"))
}
