package datasets

import "bytes"

var edgesFormat = format{
	name: "edges", extensions: []string{".edges", ".edgelist", ".el"},
	takes: takesAxis | takesOrder | takesKeys, line: looksLikeEdges,
	open: func(in *input, opt Options) (decoder, uint64) { return newEdges(in, opt), 0 },
}

// mostWords of an edge are its nodes, a weight and a time.
const mostWords = 4

// looksLikeEdges: the first line is an edge, or names two columns of which the second is one.
func looksLikeEdges(line firstLines, opt Options) bool {
	if opt.Column != "" {
		return false
	}
	return looksLikeEdge(line.first, opt) ||
		!opt.Keys && isHeader(line.first) && looksLikeEdge(line.second, opt) &&
			countWords(line.first) == countWords(line.second)
}

// looksLikeEdge: two numbers begin a short line, or keys without a comma, or it is a number and a word.
func looksLikeEdge(line []byte, opt Options) bool {
	first, rest := word(line)
	second, rest := word(rest)
	switch {
	case len(second) == 0 || countWords(line) > mostWords:
		return false
	case isInteger(first) && isInteger(second),
		len(rest) == 0 && isInteger(integer(first)) && isInteger(integer(second)):
		return true
	case bytes.ContainsRune(line, ','):
		return false
	}
	return opt.Keys || isInteger(first) && !isDecimalFraction(second) && len(rest) == 0
}

// isHeader: two words that cannot be meant for numbers begin the line, such as source,target.
func isHeader(line []byte) bool {
	first, rest := word(line)
	second, _ := word(rest)
	return len(first) > 0 && !isDecimalFraction(first) && len(second) > 0 && !isDecimalFraction(second)
}

// countWords counts the words of a line, up to one more than an edge may have.
func countWords(line []byte) (n int) {
	for ; len(line) > 0 && n <= mostWords; n++ {
		_, line = word(line)
	}
	return n
}

// countIntegers counts the words of a line if all are whole numbers; else it returns 0.
func countIntegers(line []byte) (n int) {
	for ; len(line) > 0; n++ {
		var one []byte
		if one, line = word(line); !isInteger(one) {
			return 0
		}
	}
	return n
}

type edges struct {
	lines    *lines
	header   bool     // the first line may name the columns
	row, col *indexer // with Keys one for both
}

// newEdges finds what to read nodes by. Bins bounds the nodes of the axis only.
func newEdges(in *input, opt Options) decoder {
	e := &edges{lines: newLines(in, opt.Keys), header: !opt.Keys}
	e.row = newIndexer(in, opt)
	e.col = e.row
	if free := newIndexer(in, Options{Ignore: opt.Ignore}); !opt.Keys && opt.Axis == AxisCol {
		e.row = free
	} else if !opt.Keys {
		e.col = free
	}
	in.targets = "axis row, the first of each line"
	if opt.Axis == AxisCol {
		in.targets = "axis col, the second of each line"
	}
	return take(in, opt, e)
}

func (e *edges) pair() (row, col uint32, ok bool) {
	line, ok := e.lines.data()
	if ok && e.header && isHeader(line) {
		line, ok = e.lines.data()
	}
	if e.header = false; !ok {
		return 0, 0, false
	}
	number := e.lines.number
	first, rest := word(line)
	if len(rest) == 0 {
		panic(e.lines.in.failLine(number, ErrFormat, "%s is one column, an edge has two", quote(line)))
	}
	second, _ := word(rest)
	row = e.row.index(first, number)
	return row, e.col.index(second, number), true
}
