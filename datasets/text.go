package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/atomtune/atomtune/internal/visible"
)

var textFormat = format{
	name: "text", takes: takesKeys,
	line: func(line firstLines, opt Options) bool {
		_, rest := word(line.first)
		return opt.Column == "" && len(rest) == 0 && !bytes.ContainsRune(line.first, ',')
	},
	open: func(in *input, opt Options) (decoder, uint64) {
		return &text{lines: newLines(in, opt.Keys), x: newIndexer(in, opt)}, 0
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
	// littleMark and bigMark may stand before UTF-16 text, the least or the most significant bytes first.
	littleMark, bigMark = "\xff\xfe", "\xfe\xff"
	// blanks separate words.
	blanks = " \t"
)

// toUTF8 makes what follows UTF-8 without a mark, if a mark says what it is.
func (in *input) toUTF8() {
	switch head := in.peek(len(byteOrderMark)); {
	case string(head) == byteOrderMark:
		_, _ = in.r.Discard(len(byteOrderMark)) // cannot fail: the bytes are buffered
	case bytes.HasPrefix(head, []byte(littleMark)), bytes.HasPrefix(head, []byte(bigMark)):
		decoder := unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM).NewDecoder()
		in.r = bufio.NewReaderSize(transform.NewReader(in.r, decoder), peekBytes)
	}
}

// lines splits an input into lines without copying them.
type lines struct {
	in     *input
	text   *bufio.Scanner
	number uint64 // of the line that next returned, from 1
	keys   bool   // lines are made of keys, which may begin with the sign of a comment
}

func newLines(in *input, keys bool) *lines {
	in.toUTF8()
	in.refuseForeign()
	l := &lines{in: in, text: bufio.NewScanner(in.r), keys: keys}
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
		if line = trim(line); !ok || !isComment(line, l.keys) {
			l.in.gap = 0
			return line, ok
		}
		if len(line) > 0 {
			l.in.comments++
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
	number := word
	v, ok := decimal(number)
	if !ok {
		number = integer(word)
		v, ok = decimal(number)
	}
	switch {
	case ok && v < x.limit:
		return uint32(v)
	case len(word) == 0:
		panic(x.in.failLine(line, ErrFormat, "%s is not a whole number (--ignore null takes empty cells for padding)", quote(word)))
	case isFloat(word) && !isInteger(number):
		f, _ := strconv.ParseFloat(string(word), 64)
		if math.Abs(f) >= 1<<53 {
			panic(x.in.failLine(line, ErrRange, "%s%s", shown(string(word), longest), beyondFault))
		}
		panic(x.in.failLine(line, ErrFormat, "%s is not a whole number", quote(word)))
	case !isInteger(number):
		const longest = 4 // of words for what is missing
		or := ""
		if len(word) <= longest && !bytes.ContainsAny(word, "0123456789") {
			or = "; --ignore " + visible.Line(string(word)) + " treats it as padding"
		}
		panic(x.in.failLine(line, ErrFormat, "%s is not a whole number (--keys numbers any text%s)", quote(word), or))
	}
	panic(x.in.failLine(line, ErrRange, "%s", rangeFault(shown(string(number), longest), number[0] == '-', x.limit)))
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
	return fmt.Sprintf("%s is distinct key number %d, but there are only %d bins", key, before, limit)
}

// rangeFault says why an integer, given as text, is out of range, and which flag helps.
func rangeFault(value string, negative bool, limit uint64) string {
	if negative {
		return "index " + value + " is negative (--ignore " + value + " treats it as padding)"
	}
	if limit >= Inactive && value == strconv.FormatUint(math.MaxUint64, 10) {
		return "index " + value + " has all bits set (--ignore -1 treats it as padding)"
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

// integer writes a number with a plus sign, a whole float and a boolean as the integer that it is; other words
// stay as they are.
func integer(word []byte) []byte {
	if digits, signed := bytes.CutPrefix(word, []byte{'+'}); isInteger(word) || signed && isInteger(digits) && digits[0] != '-' {
		return digits
	}
	switch string(word) {
	case "true", "True", "TRUE":
		return []byte{'1'}
	case "false", "False", "FALSE":
		return []byte{'0'}
	}
	if !isFloat(word) {
		return word
	}
	f, err := strconv.ParseFloat(string(word), 64)
	if whole, beyond := wholeFloat(f); err == nil && !beyond && float64(whole) == f {
		return strconv.AppendInt(nil, whole, 10)
	}
	return word
}

// isFloat reports whether a word is a decimal number, whole or not.
func isFloat(word []byte) bool {
	if !isDecimalFraction(word) || len(bytes.Trim(word, "0123456789+-.eE")) > 0 {
		return false
	}
	_, err := strconv.ParseFloat(string(word), 64)
	return err == nil || errors.Is(err, strconv.ErrRange)
}

// isNumber reports whether a word is an index, or a number that cannot be one.
func isNumber(word []byte) bool { return isInteger(integer(word)) || isFloat(word) }

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

// isComment says whether a trimmed line is blank or a comment. Where lines are made of keys, a blank follows
// the sign of a comment: #go is a key.
func isComment(line []byte, keys bool) bool {
	return len(line) == 0 || (line[0] == '#' || line[0] == '%') && (!keys || len(line) == 1 || isBlank(line[1]))
}
