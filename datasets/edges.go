package datasets

import "io"

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
