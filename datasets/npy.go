package datasets

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	npyMagic = "\x93NUMPY"
	// npyHeaderBytes bounds the header's text. NumPy writes about 120 bytes for integer arrays.
	npyHeaderBytes = 64 << 10
)

var npyFormat = format{
	name: "npy", extensions: []string{".npy"}, keys: true,
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
	descr, fortran, shape := parseNPYHeader(in, text)
	d := &npy{integers: integers{in: in, opt: opt}}
	d.dtype(descr)
	d.shape(shape, fortran)
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

// dtype takes the element type from the header's descr.
func (d *npy) dtype(descr string) {
	if !regexp.MustCompile(`^(\|[iu]1|[<>][iu][248])$`).MatchString(descr) {
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
	if strings.HasPrefix(descr, "[") {
		return "structured records"
	}
	kinds := map[byte]string{
		'f': "floats", 'c': "complex numbers", 'b': "booleans", 'O': "Python objects",
		'S': "byte strings", 'a': "byte strings", 'U': "strings", 'V': "raw bytes",
		'M': "dates", 'm': "time spans",
	}
	if len(descr) >= 2 && kinds[descr[1]] != "" {
		return kinds[descr[1]] + " (" + quote([]byte(descr)) + ")"
	}
	return "of the type " + quote([]byte(descr))
}

// shape takes the number of elements from the header.
func (d *npy) shape(shape []uint64, fortran bool) {
	if n := len(shape); n < 1 || n > 2 {
		panic(d.in.fail(ErrUnsupported, "npy array of %d dimensions, a stream has 1 or 2", n))
	}
	if fortran && len(shape) == 2 {
		panic(d.in.fail(ErrUnsupported, "npy array of 2 dimensions in Fortran order, save it in C order"))
	}
	d.promised = 1
	bytes := uint64(d.size)
	for _, length := range shape {
		var high uint64
		if high, bytes = bits.Mul64(bytes, length); high != 0 || bytes > 1<<62 {
			panic(d.in.fail(ErrFormat, "npy shape %v has more than 2^62 bytes", shape))
		}
		d.promised *= length
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

// npyEntry is one entry of the header. Python 2 wrote an L behind a dimension.
const npyEntry = `["'](?:descr["']\s*:\s*('[^'\\\n]*'|"[^"\\\n]*"|\[.*\])|` +
	`fortran_order["']\s*:\s*(True|False)|` +
	`shape["']\s*:\s*(\(\s*(?:(?:\d+L?\s*,\s*)+(?:\d+L?\s*)?)?\)))\s*`

// parseNPYHeader reads NumPy's Python dictionary of descr, fortran_order and shape, in any order.
func parseNPYHeader(in *input, text string) (descr string, fortran bool, shape []uint64) {
	var values [4]string
	entries := regexp.MustCompile(npyEntry).FindAllStringSubmatch(text, -1)
	for _, e := range entries {
		for i, value := range e {
			values[i] = cmp.Or(value, values[i])
		}
	}
	whole := regexp.MustCompile(`^\s*\{\s*(?:` + npyEntry + `,\s*)*(?:` + npyEntry + `)?\}\s*$`)
	if len(entries) != 3 || slices.Contains(values[:], "") || !whole.MatchString(text) {
		panic(in.fail(ErrFormat, "npy header %s is no dictionary of descr, fortran_order and shape",
			quote([]byte(text))))
	}
	for _, digits := range regexp.MustCompile(`\d+`).FindAllString(values[3], -1) {
		length, ok := decimal([]byte(digits))
		if !ok {
			panic(in.fail(ErrFormat, "npy shape %s has a dimension above 2^64-1", values[3]))
		}
		shape = append(shape, length)
	}
	return strings.Trim(values[1], `"'`), values[2] == "True", shape
}
