package datasets

import "bytes"

var edgesFormat = format{
	name: "edges", extensions: []string{".edges", ".edgelist", ".el"},
	axis: true, order: true, keys: true, line: looksLikeEdge,
	open: func(in *input, opt Options) (decoder, uint64) { return newEdges(in, opt), 0 },
}

// looksLikeEdge: two numbers begin a line, or keys without a comma, or it is a number and a word.
func looksLikeEdge(line []byte, opt Options) bool {
	first, rest := word(line)
	second, rest := word(rest)
	switch {
	case opt.Column != "" || len(second) == 0:
		return false
	case isInteger(first) && isInteger(second):
		return true
	case bytes.ContainsRune(line, ','):
		return false
	}
	return opt.Keys || isInteger(first) && !isDecimalFraction(second) && len(rest) == 0
}

// edges reads two node columns.
type edges struct {
	lines    *lines
	row, col *indexer // with Keys one for both
}

// newEdges finds what to read nodes by. Bins bounds the nodes of the axis only.
func newEdges(in *input, opt Options) decoder {
	e := &edges{lines: newLines(in)}
	e.row = newIndexer(in, opt)
	e.col = e.row
	if free := (&indexer{in: in, limit: MaxBins}); !opt.Keys && opt.Axis == AxisCol {
		e.row = free
	} else if !opt.Keys {
		e.col = free
	}
	return take(in, opt, e)
}

func (e *edges) pair() (row, col uint32, ok bool) {
	line, ok := e.lines.data()
	if !ok {
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
