package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	npyMagic = "\x93NUMPY"
	// npyHeaderBytes bounds the header's text. NumPy writes about 120 bytes for integer arrays.
	npyHeaderBytes = 64 << 10
)

var npyFormat = format{
	name: "npy", extensions: []string{".npy"},
	begins: func(head []byte) bool { return bytes.HasPrefix(head, []byte(npyMagic)) },
	open:   func(in *input, opt Options) (decoder, uint64) { return newNPY(in, opt), 0 },
}

// npy reads the elements of an integer array in memory order.
type npy struct {
	integers
	promised uint64 // elements by the header
}

func newNPY(in *input, opt Options) *npy {
	text, start := readNPYHeader(in)
	head, err := parseNPYHeader(text)
	if err != nil {
		panic(&InputError{Name: in.name, Message: "npy header", Kind: ErrFormat, Cause: err})
	}
	d := &npy{integers: integers{in: in, limit: opt.limit()}}
	d.dtype(head.descr)
	d.shape(head)
	if in.content >= 0 {
		d.compare(in.content - start)
	}
	return d
}

// readNPYHeader returns the dictionary's text and the byte where the elements begin.
func readNPYHeader(in *input) (text string, start int64) {
	read := func(n int) []byte {
		raw := make([]byte, n)
		switch _, err := io.ReadFull(in.r, raw); err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			panic(in.fail(ErrTruncated, "ends within the npy header"))
		default:
			panic(in.broken(err))
		}
		return raw
	}
	prefix := read(8)
	if string(prefix[:6]) != npyMagic {
		panic(in.fail(ErrFormat, "does not begin with the npy magic bytes but with %s",
			quote(prefix[:6])))
	}
	major, minor := prefix[6], prefix[7]
	if major < 1 || major > 3 || minor != 0 {
		panic(in.fail(ErrUnsupported, "npy format %d.%d is none of 1.0, 2.0, 3.0", major, minor))
	}
	var length uint32
	if start = 10; major == 1 {
		length = uint32(binary.LittleEndian.Uint16(read(2)))
	} else {
		start, length = 12, binary.LittleEndian.Uint32(read(4))
	}
	if length > npyHeaderBytes {
		panic(in.fail(ErrFormat, "npy header of %d bytes, the most is %d", length, npyHeaderBytes))
	}
	raw := read(int(length))
	if !utf8.Valid(raw) {
		panic(in.fail(ErrFormat, "npy header is not UTF-8"))
	}
	return string(raw), start + int64(length)
}

// elementTypes are the types of elements that are indices.
var elementTypes = regexp.MustCompile(`^(\|[iu]1|[<>][iu][248])$`)

// dtype takes the element type from the header's descr.
func (d *npy) dtype(descr string) {
	if !elementTypes.MatchString(descr) {
		panic(d.in.fail(ErrUnsupported, "npy elements are %s, indices are integers of 1 to 8 bytes",
			dtypeName(descr)))
	}
	d.size, d.signed, d.order = int(descr[2]-'0'), descr[1] == 'i', binary.LittleEndian
	if descr[0] == '>' {
		d.order = binary.BigEndian
	}
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
func (d *npy) shape(head npyHeader) {
	if n := len(head.shape); n < 1 || n > 2 {
		panic(d.in.fail(ErrUnsupported, "npy array of %d dimensions, a stream has 1 or 2", n))
	}
	if head.fortran && len(head.shape) == 2 {
		panic(d.in.fail(ErrUnsupported,
			"npy array of 2 dimensions in Fortran order, save it in C order"))
	}
	d.promised = 1
	for _, length := range head.shape {
		var high uint64
		if high, d.promised = bits.Mul64(d.promised, length); high != 0 {
			panic(d.in.fail(ErrFormat, "npy shape %v has more than 2^64 elements", head.shape))
		}
	}
	if high, bytes := bits.Mul64(d.promised, uint64(d.size)); high != 0 || bytes > 1<<62 {
		panic(d.in.fail(ErrFormat, "npy shape %v has more than 2^62 bytes", head.shape))
	}
}

// compare holds the bytes behind the header against the number of elements that it promises.
func (d *npy) compare(bytes int64) {
	want := d.promised * uint64(d.size)
	switch {
	case uint64(bytes) < want:
		panic(d.in.fail(ErrTruncated, "the npy header promises %d elements, the file holds %d",
			d.promised, bytes/int64(d.size)))
	case uint64(bytes) > want:
		panic(d.in.fail(ErrTruncated, "%d bytes after the %d elements that the npy header promises",
			uint64(bytes)-want, d.promised))
	}
}

func (d *npy) next(to *chunk) bool {
	left := d.promised - d.done
	if left == 0 {
		d.in.atEnd("%d elements that the npy header promises", d.promised)
		return false
	}
	if _, end := d.read(to, int(min(uint64(len(to.buf)-to.n), left))); end {
		d.compare(int64(d.done) * int64(d.size))
	}
	return true
}

// npyHeader is the dictionary of an npy file.
type npyHeader struct {
	descr   string // the element type; structuredDescr if it is a list
	fortran bool
	shape   []uint64
}

// structuredDescr stands for an element type of several fields.
const structuredDescr = "[]"

// parseNPYHeader reads the literal of the Python dictionary that NumPy writes: exactly the keys
// descr, fortran_order and shape, in any order.
func parseNPYHeader(text string) (h npyHeader, err error) {
	defer catch(&err)
	p := &literal{strings.TrimRight(text, " \n")}
	seen := map[string]bool{}
	for p.expect("{"); !p.accept("}"); {
		key := p.str()
		p.expect(":")
		if seen[key] {
			panic(fmt.Errorf("key %q twice", key))
		}
		seen[key] = true
		switch key {
		case "descr":
			if p.accept("[") {
				h.descr = structuredDescr
				return h, nil
			}
			h.descr = p.str()
		case "fortran_order":
			if h.fortran = p.accept("True"); !h.fortran {
				p.expect("False")
			}
		case "shape":
			h.shape = p.tuple()
		default:
			panic(fmt.Errorf("unknown key %q", key))
		}
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	if p.accept(""); p.rest != "" {
		panic(fmt.Errorf("%s after the dictionary", quote([]byte(p.rest))))
	}
	if len(seen) != 3 {
		panic(errors.New("keys descr, fortran_order and shape are not all there"))
	}
	return h, nil
}

// literal reads a Python literal from the front of a text. It panics with its faults.
type literal struct{ rest string }

// accept takes a token if it comes next.
func (p *literal) accept(token string) (taken bool) {
	p.rest, taken = strings.CutPrefix(strings.TrimLeft(p.rest, " \t\r\n"), token)
	return taken
}

func (p *literal) expect(token string) {
	if p.accept(token) {
		return
	}
	if p.rest == "" {
		panic(fmt.Errorf("ends where %q should stand", token))
	}
	panic(p.instead("%q should stand", token))
}

// instead says that something else comes next.
func (p *literal) instead(format string, args ...any) error {
	return fmt.Errorf("%s where "+format, append([]any{quote([]byte(p.rest))}, args...)...)
}

// str reads a quoted string without escapes.
func (p *literal) str() string {
	p.accept("")
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		panic(p.instead("a string should stand"))
	}
	body, rest, closed := strings.Cut(p.rest[1:], p.rest[:1])
	if !closed || strings.ContainsAny(body, "\\\n") {
		panic(fmt.Errorf("%s is no closed string", quote([]byte(p.rest))))
	}
	p.rest = rest
	return body
}

// tuple reads a tuple of non-negative integers: (), (3,), (3, 4), (3, 4,).
func (p *literal) tuple() []uint64 {
	lengths := []uint64{}
	for p.expect("("); !p.accept(")"); {
		lengths = append(lengths, p.length())
		if p.accept(",") {
			continue
		}
		if len(lengths) == 1 {
			panic(errors.New("shape is a number in parentheses, not a tuple"))
		}
		p.expect(")")
		break
	}
	return lengths
}

// length reads one dimension; Python 2 wrote an L behind it.
func (p *literal) length() uint64 {
	p.accept("")
	rest := strings.TrimLeft(p.rest, "0123456789")
	digits := p.rest[:len(p.rest)-len(rest)]
	if digits == "" {
		panic(p.instead("a dimension should stand"))
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		panic(errors.New("a dimension above 2^64-1"))
	}
	p.rest = strings.TrimPrefix(rest, "L")
	return v
}
