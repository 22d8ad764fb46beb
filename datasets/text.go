package datasets

import (
	"bytes"
	"io"
	"strconv"
)

var textFormat = format{
	name: "text", title: "text", keys: true,
	line: func(line []byte, opt Options) bool {
		_, rest := word(line)
		return opt.Column == "" && len(rest) == 0 && !hasComma(line)
	},
	open: func(in *input, opt Options) (decoder, uint64, error) { return newText(in, opt), 0, nil },
}

// text reads one index or key a line.
type text struct {
	lines *lines
	x     *indexer
}

func newText(in *input, opt Options) *text {
	return &text{lines: newLines(in), x: newIndexer(in, opt)}
}

func (t *text) next(buf []uint32) (int, error) {
	for n := range buf {
		line, err := t.lines.data()
		if err != nil {
			return n, err
		}
		if buf[n], err = t.x.index(line, t.lines.number); err != nil {
			return n, err
		}
	}
	return len(buf), nil
}

const (
	// lineBytes is the length of the longest line that is read.
	lineBytes = 1 << 20
	// byteOrderMark may stand before UTF-8 text.
	byteOrderMark = "\xef\xbb\xbf"
)

// lines splits an input into lines without copying them.
type lines struct {
	in         *input
	buf        []byte
	start, end int    // the unread part of buf
	number     uint64 // of the line that next returned, from 1
	done       bool   // the input is at its end
}

func newLines(in *input) *lines {
	if head, _ := in.r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = in.r.Discard(len(byteOrderMark)) // cannot fail: the bytes are buffered
	}
	return &lines{in: in, buf: make([]byte, lineBytes)}
}

// next returns the next line without its end, valid until the next call, or
// io.EOF after the last line.
func (l *lines) next() ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.start:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+i]
			l.start += i + 1
			l.number++
			return withoutReturn(line), nil
		}
		if l.done {
			return l.last()
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// last returns what stands after the last line end.
func (l *lines) last() ([]byte, error) {
	if l.start == l.end {
		return nil, io.EOF
	}
	line := l.buf[l.start:l.end]
	l.start = l.end
	l.number++
	return withoutReturn(line), nil
}

// fill moves the unread part to the front and reads on behind it.
func (l *lines) fill() error {
	l.end = copy(l.buf, l.buf[l.start:l.end])
	l.start = 0
	if l.end == len(l.buf) {
		return l.in.failLine(l.number+1, ErrFormat, "line of more than %d bytes", lineBytes)
	}
	n, err := l.in.r.Read(l.buf[l.end:])
	l.end += n
	if err == io.EOF {
		l.done = true
		return nil
	}
	if err != nil {
		return l.in.broken(err)
	}
	return nil
}

// data returns the next line that is neither blank nor a comment, trimmed.
func (l *lines) data() ([]byte, error) {
	for {
		line, err := l.next()
		if err != nil {
			return nil, err
		}
		if line = trim(line); !isComment(line) {
			return line, nil
		}
	}
}

func withoutReturn(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1]
	}
	return line
}

// word splits the first word off a trimmed line of words that blanks or one
// comma (with blanks around it) separate. A trailing comma leaves an empty
// rest.
func word(line []byte) (first, rest []byte) {
	i := 0
	for i < len(line) && !isBlank(line[i]) && line[i] != ',' {
		i++
	}
	first = line[:i]
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	if i < len(line) && line[i] == ',' {
		i++
		for i < len(line) && isBlank(line[i]) {
			i++
		}
	}
	return first, line[i:]
}

// indexer turns the words of a text format into indices: decimal numbers
// below a limit or, with keys, any word in order of first appearance.
type indexer struct {
	in    *input
	limit uint64            // first index that is out of range
	keys  map[string]uint32 // nil for numbers
}

func newIndexer(in *input, opt Options) *indexer {
	x := &indexer{in: in, limit: opt.limit()}
	if opt.Keys {
		x.keys = map[string]uint32{}
	}
	return x
}

// index returns the index of a word. Its errors wrap ErrFormat or ErrRange.
func (x *indexer) index(word []byte, line uint64) (uint32, error) {
	if x.keys != nil {
		return x.key(word, line)
	}
	if v, ok := decimal(word); ok && v < x.limit {
		return uint32(v), nil
	}
	return 0, x.fault(word, line)
}

// key numbers a word.
func (x *indexer) key(word []byte, line uint64) (uint32, error) {
	if id, ok := x.keys[string(word)]; ok {
		return id, nil
	}
	id := uint64(len(x.keys))
	if id >= x.limit {
		return 0, x.in.failLine(line, ErrRange,
			"%s is distinct key number %d, and there are %d bins", quote(word), id, x.limit)
	}
	x.keys[string(word)] = uint32(id)
	return uint32(id), nil
}

// fault says why a word is no index.
func (x *indexer) fault(word []byte, line uint64) error {
	if !isInteger(word) {
		return x.in.failLine(line, ErrFormat, "%s is no number", quote(word))
	}
	return x.in.failLine(line, ErrRange, "%s", rangeFault(cut(word), word[0] == '-', x.limit))
}

// rangeFault says why an integer, given as text, is out of range.
func rangeFault(value string, negative bool, limit uint64) string {
	if negative {
		return "index " + value + " is negative"
	}
	if limit == MaxBins {
		return "index " + value + " is above 4294967295"
	}
	return "index " + value + " is outside of the " + strconv.FormatUint(limit, 10) + " bins"
}

// decimal reads a word of digits. ok is false for any other word and for
// numbers of more than 19 digits, which 64 bits may not hold.
func decimal(word []byte) (v uint64, ok bool) {
	const most = 19
	if len(word) > most {
		digits := bytes.TrimLeft(word, "0")
		if len(digits) > most || len(digits) == 0 {
			return 0, len(digits) == 0
		}
		word = digits
	}
	for _, c := range word {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		v = v*10 + uint64(d)
	}
	return v, len(word) > 0
}

// isInteger says whether a word is a decimal integer of any length.
func isInteger(word []byte) bool {
	digits := bytes.TrimPrefix(word, []byte{'-'})
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(digits) > 0
}

// isBlank says whether a byte separates words.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trim cuts the blanks around a word.
func trim(word []byte) []byte {
	for len(word) > 0 && isBlank(word[0]) {
		word = word[1:]
	}
	for len(word) > 0 && isBlank(word[len(word)-1]) {
		word = word[:len(word)-1]
	}
	return word
}

// isComment says whether a trimmed line holds no data.
func isComment(line []byte) bool {
	return len(line) == 0 || line[0] == '#' || line[0] == '%'
}

var edgesFormat = format{
	name: "edges", title: "edge list", extensions: []string{".edges", ".edgelist", ".el"},
	axis: true, keys: true, line: looksLikeEdge,
	open: func(in *input, opt Options) (decoder, uint64, error) {
		return newEdges(in, opt), 0, nil
	},
}

// looksLikeEdge tells whether a line begins with two numbers, or without a comma with
// two keys, or is a number and a word.
func looksLikeEdge(line []byte, opt Options) bool {
	first, rest := word(line)
	second, rest := word(rest)
	switch {
	case opt.Column != "" || len(second) == 0:
		return false
	case isInteger(first) && isInteger(second):
		return true
	case hasComma(line):
		return false
	}
	return opt.Keys || isInteger(first) && !isDecimalFraction(second) && len(rest) == 0
}

// edges reads an edge list: two node columns, further columns ignored.
type edges struct {
	in    *input
	lines *lines
	from  *indexer
	to    *indexer
}

// newEdges orders the edges by their first node. The number of bins bounds
// the nodes of the chosen axis only.
func newEdges(in *input, opt Options) decoder {
	e := &edges{in: in, lines: newLines(in), from: newIndexer(in, opt)}
	e.to = e.from
	if !opt.Keys {
		free := &indexer{in: in, limit: MaxBins}
		if opt.Axis == AxisCol {
			e.from = free
		} else {
			e.to = free
		}
	}
	return newOrdered(in, opt.Axis, e.scan)
}

// scan hands every edge of the input to the sink.
func (e *edges) scan(to sink) error {
	for {
		line, err := e.lines.data()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := e.edge(line, to); err != nil {
			return err
		}
	}
}

func (e *edges) edge(line []byte, to sink) error {
	first, rest := word(line)
	if len(rest) == 0 {
		return e.in.failLine(e.lines.number, ErrFormat, "%s is one column, an edge has two",
			quote(line))
	}
	second, _ := word(rest)
	row, err := e.from.index(first, e.lines.number)
	if err != nil {
		return err
	}
	col, err := e.to.index(second, e.lines.number)
	if err != nil {
		return err
	}
	return to.add(row, col)
}
