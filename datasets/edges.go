package datasets

import "bytes"

var edgesFormat = format{
	name: "edges", extensions: []string{".edges", ".edgelist", ".el"},
	axis: true, keys: true, line: looksLikeEdge,
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

// newEdges reads two node columns, ordered by the first. Bins bounds the nodes of the axis only.
func newEdges(in *input, opt Options) decoder {
	l, from := newLines(in), newIndexer(in, opt)
	to := from
	if free := (&indexer{in: in, limit: MaxBins}); !opt.Keys && opt.Axis == AxisCol {
		from = free
	} else if !opt.Keys {
		to = free
	}
	return newOrdered(in, opt.Axis, func(add func(row, col uint32)) {
		for {
			line, ok := l.data()
			if !ok {
				return
			}
			first, rest := word(line)
			if len(rest) == 0 {
				panic(in.failLine(l.number, ErrFormat, "%s is one column, an edge has two", quote(line)))
			}
			second, _ := word(rest)
			row := from.index(first, l.number)
			add(row, to.index(second, l.number))
		}
	})
}
