package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"unicode/utf8"
)

const (
	npyMagic = "\x93NUMPY"
	// npyHeaderBytes bounds the header's text. NumPy writes about 120 bytes
	// for integer arrays.
	npyHeaderBytes = 64 << 10
)

var npyFormat = format{
	name: "npy", title: "npy", extensions: []string{".npy"},
	begins: func(head []byte) bool { return hasPrefix(head, npyMagic) },
	open: func(in *input, opt Options) (decoder, uint64, error) {
		dec, err := newNPY(in, opt)
		return dec, 0, err
	},
}

// npy reads the elements of an integer array in memory order.
type npy struct {
	integers
	promised uint64 // elements by the header
	left     uint64 // elements yet to come
}

func newNPY(in *input, opt Options) (*npy, error) {
	text, start, err := readNPYHeader(in)
	if err != nil {
		return nil, err
	}
	head, err := parseNPYHeader(text)
	if err != nil {
		return nil, &InputError{Name: in.name, Message: "npy header", Kind: ErrFormat, Cause: err}
	}
	d := &npy{integers: integers{in: in, limit: opt.limit()}}
	if err := d.dtype(head.descr); err != nil {
		return nil, err
	}
	if err := d.shape(head); err != nil {
		return nil, err
	}
	if in.content >= 0 {
		if err := d.compare(in.content - start); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readNPYHeader returns the dictionary's text and the byte where the elements
// begin.
func readNPYHeader(in *input) (text string, start int64, err error) {
	short := func(err error) error {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return in.fail(ErrTruncated, "ends within the npy header")
		}
		return in.broken(err)
	}
	prefix := make([]byte, 8, 12)
	if _, err := io.ReadFull(in.r, prefix); err != nil {
		return "", 0, short(err)
	}
	if string(prefix[:6]) != npyMagic {
		return "", 0, in.fail(ErrFormat, "does not begin with the npy magic bytes but with %s",
			quote(prefix[:6]))
	}
	major, minor := prefix[6], prefix[7]
	if major < 1 || major > 3 || minor != 0 {
		return "", 0, in.fail(ErrUnsupported, "npy format %d.%d is none of 1.0, 2.0, 3.0", major,
			minor)
	}
	width := 4
	if major == 1 {
		width = 2
	}
	prefix = prefix[:8+width]
	if _, err := io.ReadFull(in.r, prefix[8:]); err != nil {
		return "", 0, short(err)
	}
	length := uint32(binary.LittleEndian.Uint16(prefix[8:]))
	if major > 1 {
		length = binary.LittleEndian.Uint32(prefix[8:])
	}
	if length > npyHeaderBytes {
		return "", 0, in.fail(ErrFormat, "npy header of %d bytes, the most is %d", length,
			npyHeaderBytes)
	}
	raw := make([]byte, length)
	if _, err := io.ReadFull(in.r, raw); err != nil {
		return "", 0, short(err)
	}
	if !utf8.Valid(raw) {
		return "", 0, in.fail(ErrFormat, "npy header is not UTF-8")
	}
	return string(raw), int64(len(prefix)) + int64(length), nil
}

// dtype takes the element type from the header's descr.
func (d *npy) dtype(descr string) error {
	known := len(descr) == 3
	if known {
		order, kind, size := descr[0], descr[1], descr[2]
		known = (kind == 'i' || kind == 'u') &&
			(size == '1' && order == '|' || (size == '2' || size == '4' || size == '8') &&
				(order == '<' || order == '>'))
	}
	if !known {
		return d.in.fail(ErrUnsupported, "npy elements are %s, indices are integers of 1 to 8 bytes", dtypeName(descr))
	}
	d.size, d.signed, d.order = int(descr[2]-'0'), descr[1] == 'i', binary.LittleEndian
	if descr[0] == '>' {
		d.order = binary.BigEndian
	}
	return nil
}

// dtypeName says in words what an element type is.
func dtypeName(descr string) string {
	kinds := map[byte]string{
		'f': "floats", 'c': "complex numbers", 'b': "booleans", 'O': "Python objects",
		'S': "byte strings", 'a': "byte strings", 'U': "strings", 'V': "raw bytes", 'M': "dates", 'm': "time spans",
	}
	if descr == structuredDescr {
		return "structured records"
	}
	if len(descr) >= 2 {
		if name, ok := kinds[descr[1]]; ok {
			return name + " (" + quote([]byte(descr)) + ")"
		}
	}
	return "of the type " + quote([]byte(descr))
}

// shape takes the number of elements from the header.
func (d *npy) shape(head npyHeader) error {
	if n := len(head.shape); n < 1 || n > 2 {
		return d.in.fail(ErrUnsupported, "npy array of %d dimensions, a stream has 1 or 2", n)
	}
	if head.fortran && len(head.shape) == 2 {
		return d.in.fail(ErrUnsupported, "npy array of 2 dimensions in Fortran order, save it in C order")
	}
	count := uint64(1)
	for _, length := range head.shape {
		high, low := bits.Mul64(count, length)
		if high != 0 {
			return d.in.fail(ErrFormat, "npy shape %v has more than 2^64 elements", head.shape)
		}
		count = low
	}
	if high, bytes := bits.Mul64(count, uint64(d.size)); high != 0 || bytes > 1<<62 {
		return d.in.fail(ErrFormat, "npy shape %v has more than 2^62 bytes", head.shape)
	}
	d.promised, d.left = count, count
	return nil
}

// compare holds the bytes behind the header against the number of elements
// that it promises.
func (d *npy) compare(bytes int64) error {
	want := d.promised * uint64(d.size)
	switch {
	case uint64(bytes) < want:
		return d.in.fail(ErrTruncated, "the npy header promises %d elements, the file holds %d",
			d.promised, bytes/int64(d.size))
	case uint64(bytes) > want:
		return d.in.fail(ErrTruncated, "%d bytes after the %d elements that the npy header promises", uint64(bytes)-want, d.promised)
	}
	return nil
}

func (d *npy) next(buf []uint32) (int, error) {
	if d.left == 0 {
		return 0, d.atEnd()
	}
	buf = buf[:min(uint64(len(buf)), d.left)]
	bytes, readErr := d.chunk(len(buf))
	n, err := d.decode(buf, bytes)
	d.left -= uint64(n)
	if err == nil && readErr == io.EOF {
		readErr = d.compare(int64(d.promised-d.left) * int64(d.size))
	}
	if err == nil {
		err = readErr
	}
	return n, err
}

// atEnd returns io.EOF unless the input goes on after the last element.
func (d *npy) atEnd() error {
	_, err := d.in.r.Peek(1)
	switch err {
	case io.EOF:
		return io.EOF
	case nil:
		return d.in.fail(ErrTruncated, "more bytes after the %d elements that the npy header promises", d.promised)
	}
	return d.in.broken(err)
}

// npyHeader is the dictionary of an npy file.
type npyHeader struct {
	descr   string // the element type; structuredDescr if it is a list
	fortran bool
	shape   []uint64
}

// structuredDescr stands for an element type of several fields.
const structuredDescr = "[]"

// parseNPYHeader reads the literal of the Python dictionary that NumPy
// writes: exactly the keys descr, fortran_order and shape, in any order.
func parseNPYHeader(text string) (npyHeader, error) {
	p := &literal{rest: strings.TrimRight(text, " \n")}
	var h npyHeader
	seen := map[string]bool{}
	p.expect("{")
	for p.err == nil && !p.accept("}") {
		key := p.str()
		p.expect(":")
		if seen[key] {
			p.fail("key %q twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			h.descr = p.descr()
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.tuple()
		default:
			p.fail("unknown key %q", key)
		}
		if h.descr == structuredDescr {
			return h, p.err
		}
		if !p.accept(",") && p.err == nil {
			p.expect("}")
			break
		}
	}
	if p.space(); p.err == nil && p.rest != "" {
		p.fail("%s after the dictionary", quote([]byte(p.rest)))
	}
	if p.err == nil && len(seen) != 3 {
		p.fail("keys descr, fortran_order and shape are not all there")
	}
	return h, p.err
}

// literal reads a Python literal from the front of a text. The first fault
// sticks and every later step does nothing.
type literal struct {
	rest string
	err  error
}

func (p *literal) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

func (p *literal) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// accept takes a token if it comes next.
func (p *literal) accept(token string) bool {
	p.space()
	if p.err != nil || !strings.HasPrefix(p.rest, token) {
		return false
	}
	p.rest = p.rest[len(token):]
	return true
}

func (p *literal) expect(token string) {
	if p.accept(token) {
		return
	}
	if p.rest == "" {
		p.fail("ends where %q should stand", token)
		return
	}
	p.fail("%s where %q should stand", quote([]byte(p.rest)), token)
}

// str reads a quoted string without escapes.
func (p *literal) str() string {
	p.space()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("%s where a string should stand", quote([]byte(p.rest)))
		return ""
	}
	body, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed || strings.ContainsAny(body, "\\\n") {
		p.fail("%s is no closed string", quote([]byte(p.rest)))
		return ""
	}
	p.rest = rest
	return body
}

// descr reads an element type; of a list it only says that it is one.
func (p *literal) descr() string {
	if p.accept("[") {
		return structuredDescr
	}
	return p.str()
}

func (p *literal) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// tuple reads a tuple of non-negative integers: (), (3,), (3, 4), (3, 4,).
func (p *literal) tuple() []uint64 {
	p.expect("(")
	lengths := []uint64{}
	for p.err == nil && !p.accept(")") {
		length, err := p.length()
		if err != nil {
			p.fail("%w", err)
		}
		lengths = append(lengths, length)
		if p.accept(",") {
			continue
		}
		if len(lengths) == 1 {
			p.fail("shape is a number in parentheses, not a tuple")
		}
		p.expect(")")
		break
	}
	return lengths
}

// length reads one dimension; Python 2 wrote an L behind it.
func (p *literal) length() (uint64, error) {
	p.space()
	n := 0
	var v uint64
	for ; n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9'; n++ {
		high, low := bits.Mul64(v, 10)
		sum, carry := bits.Add64(low, uint64(p.rest[n]-'0'), 0)
		if high != 0 || carry != 0 {
			return 0, errors.New("a dimension above 2^64-1")
		}
		v = sum
	}
	if n == 0 {
		return 0, fmt.Errorf("%s where a dimension should stand", quote([]byte(p.rest)))
	}
	p.rest = strings.TrimPrefix(p.rest[n:], "L")
	return v, nil
}
