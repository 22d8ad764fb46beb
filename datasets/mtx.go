package datasets

import "io"

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
