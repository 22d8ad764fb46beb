package datasets

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
