package datasets

import (
	"bytes"
	"strconv"
)

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
