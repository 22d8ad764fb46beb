package datasets

import (
	"bytes"
	"io"
)

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
