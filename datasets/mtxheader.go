package datasets

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

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
