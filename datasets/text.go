package datasets

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"strconv"
)

var textFormat = format{
	name: "text", takes: takesKeys,
	line: func(line firstLines, opt Options) bool {
		_, rest := word(line.first)
		return opt.Column == "" && len(rest) == 0 && !bytes.ContainsRune(line.first, ',')
	},
	open: func(in *input, opt Options) (decoder, uint64) {
		return &text{lines: newLines(in), x: newIndexer(in, opt)}, 0
	},
}

type text struct {
	lines *lines
	x     *indexer
}

func (t *text) next(to *chunk) bool {
	for to.free() {
		line, ok := t.lines.data()
		if !ok {
			return false
		}
		to.add(t.x.index(line, t.lines.number))
	}
	return true
}

const (
	// lineBytes is the length from which a line is too long.
	lineBytes = 1 << 20
	// byteOrderMark may stand before UTF-8 text.
	byteOrderMark = "\xef\xbb\xbf"
	// blanks separate words.
	blanks = " \t"
)

func (in *input) skipMark() {
	if head, _ := in.r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = in.r.Discard(len(byteOrderMark)) // cannot fail: the bytes are buffered
	}
}

// lines splits an input into lines without copying them.
type lines struct {
	in     *input
	text   *bufio.Scanner
	number uint64 // of the line that next returned, from 1
}

func newLines(in *input) *lines {
	in.skipMark()
	l := &lines{in: in, text: bufio.NewScanner(in.r)}
	l.text.Buffer(make([]byte, peekBytes), lineBytes)
	return l
}

// next returns the next line without its end, valid until the next call; false after the last line.
func (l *lines) next() ([]byte, bool) {
	found := l.text.Scan()
	switch err := l.text.Err(); {
	case err == bufio.ErrTooLong:
		panic(l.in.failLine(l.number+1, ErrFormat, "line of more than %d bytes", lineBytes))
	case err != nil: // what was found is half a line
		panic(l.in.broken(err))
	case !found:
		return nil, false
	}
	l.number++
	return l.text.Bytes(), true
}

// data returns the next line that is neither blank nor a comment, trimmed.
func (l *lines) data() ([]byte, bool) {
	for {
		line, ok := l.next()
		if line = trim(line); !ok || !isComment(line) {
			l.in.gap = 0
			return line, ok
		}
	}
}

// word splits the first word off a trimmed line of words that blanks or one comma (with blanks
// around it) separate. A trailing comma leaves an empty rest.
func word(line []byte) (first, rest []byte) {
	end := 0
	for end < len(line) && !isBlank(line[end]) && line[end] != ',' {
		end++
	}
	rest = trimLeft(line[end:])
	if len(rest) > 0 && rest[0] == ',' {
		rest = trimLeft(rest[1:])
	}
	return line[:end], rest
}

// indexer turns words into indices: numbers below a limit, or keys in order of first appearance.
type indexer struct {
	in     *input
	limit  uint64            // first index that is out of range
	keys   map[string]uint32 // nil for numbers
	ignore ignored
}

func newIndexer(in *input, opt Options) *indexer {
	x := &indexer{in: in, limit: opt.limit(), ignore: newIgnored(opt)}
	if opt.Keys {
		x.keys = map[string]uint32{}
	}
	return x
}

func (x *indexer) index(word []byte, line uint64) uint32 {
	if x.ignore.word(word) {
		return Inactive
	}
	if x.keys != nil {
		return x.key(word, line)
	}
	v, ok := decimal(word)
	switch {
	case ok && v < x.limit:
		return uint32(v)
	case !isInteger(word):
		panic(x.in.failLine(line, ErrFormat, "%s is no whole number (--keys numbers any text)", quote(word)))
	}
	panic(x.in.failLine(line, ErrRange, "%s", rangeFault(shown(string(word), longest), word[0] == '-', x.limit)))
}

const textKeyBytes = 70 // about the memory of one, beyond its text

func (x *indexer) key(word []byte, line uint64) uint32 {
	if id, known := x.keys[string(word)]; known {
		return id
	}
	id := len(x.keys)
	if uint64(id) >= x.limit {
		panic(x.in.failLine(line, ErrRange, "%s", keyFault(quote(word), id, x.limit)))
	}
	x.in.hold(textKeyBytes+len(word), "distinct keys")
	x.keys[string(word)] = uint32(id)
	return uint32(id)
}

// keyFault says that a key has no index left, after so many others.
func keyFault(key string, before int, limit uint64) string {
	return fmt.Sprintf("%s is distinct key number %d, and there are %d bins", key, before, limit)
}

// rangeFault says why an integer, given as text, is out of range, and which flag helps.
func rangeFault(value string, negative bool, limit uint64) string {
	if negative {
		return "index " + value + " is negative (--ignore " + value + " takes it for padding)"
	}
	if limit >= Inactive && value == strconv.FormatUint(math.MaxUint64, 10) {
		return "index " + value + " has all bits set (--ignore -1 takes it for padding)"
	}
	if limit >= Inactive {
		return "index " + value + " is above " + strconv.FormatUint(limit-1, 10) +
			" (--keys numbers such keys)"
	}
	return "index " + value + " is outside of the " + strconv.FormatUint(limit, 10) + " bins"
}

// decimal reads a word of digits; ok is false for others and for numbers above 64 bits.
func decimal(word []byte) (v uint64, ok bool) {
	v, err := strconv.ParseUint(string(word), 10, 64)
	return v, err == nil
}

func isInteger(word []byte) bool {
	digits := bytes.TrimPrefix(word, []byte{'-'})
	return len(digits) > 0 && len(bytes.TrimLeft(digits, "0123456789")) == 0
}

func trim(word []byte) []byte { return bytes.TrimRight(trimLeft(word), blanks) }

func trimLeft(text []byte) []byte {
	for len(text) > 0 && isBlank(text[0]) {
		text = text[1:]
	}
	return text
}

// isBlank says whether a byte is one of the blanks.
func isBlank(c byte) bool { return c == ' ' || c == '\t' }

func isComment(line []byte) bool {
	return len(line) == 0 || line[0] == '#' || line[0] == '%'
}
