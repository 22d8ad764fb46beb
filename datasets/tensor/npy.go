package tensor

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// NPYMagic begins every npy file.
	NPYMagic = "\x93NUMPY"
	// npyHeaderBytes bounds the header's text. NumPy writes about 120 bytes for arrays of numbers.
	npyHeaderBytes = 64 << 10
)

// ReadNPY reads the header of NumPy's formats 1.0, 2.0 and 3.0. The elements follow it in r; start
// is how many bytes were read.
func ReadNPY(r io.Reader) (a Array, start int64, err error) {
	prefix, err := readHead(r, 8, "npy")
	if err != nil {
		return Array{}, 0, err
	}
	if string(prefix[:6]) != NPYMagic {
		return Array{}, 0, Faultf(ErrMalformed,
			"does not begin with the npy magic bytes but with %q", prefix[:6])
	}
	major, minor := prefix[6], prefix[7]
	if major < 1 || major > 3 || minor != 0 {
		return Array{}, 0, Faultf(ErrUnsupported, "npy format %d.%d is not one of 1.0, 2.0, 3.0",
			major, minor)
	}
	digits := 2
	if major > 1 {
		digits = 4
	}
	raw, err := readHead(r, digits, "npy")
	if err != nil {
		return Array{}, 0, err
	}
	length := binary.LittleEndian.Uint32(append(raw, 0, 0)[:4])
	if length > npyHeaderBytes {
		return Array{}, 0, Faultf(ErrMalformed, "npy header of %d bytes, the most is %d", length,
			npyHeaderBytes)
	}
	if raw, err = readHead(r, int(length), "npy"); err != nil {
		return Array{}, 0, err
	}
	a, err = parseNPY(raw)
	return a, int64(8+digits) + int64(length), err
}

func readHead(r io.Reader, n int, format string) ([]byte, error) {
	raw := make([]byte, n)
	_, err := io.ReadFull(r, raw)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = Faultf(ErrTruncated, "ends within the %s header", format)
	}
	return raw, err
}

// npyEntry is one entry of the header. Python 2 wrote an L behind a dimension.
const npyEntry = `["'](?:descr["']\s*:\s*('[^'\\\n]*'|"[^"\\\n]*"|\[.*\])|` +
	`fortran_order["']\s*:\s*(True|False)|` +
	`shape["']\s*:\s*(\(\s*(?:(?:\d+L?\s*,\s*)+(?:\d+L?\s*)?)?\)))\s*`

var (
	npyEntries = regexp.MustCompile(npyEntry)
	npyWhole   = regexp.MustCompile(`^\s*\{\s*(?:` + npyEntry + `,\s*)*(?:` + npyEntry + `)?\}\s*$`)
	npyLength  = regexp.MustCompile(`\d+`)
)

// parseNPY reads NumPy's Python dictionary of descr, fortran_order and shape, in any order.
func parseNPY(raw []byte) (Array, error) {
	if !utf8.Valid(raw) {
		return Array{}, Faultf(ErrMalformed, "npy header is not UTF-8")
	}
	text := string(raw)
	var values [4]string
	entries := npyEntries.FindAllStringSubmatch(text, -1)
	for _, e := range entries {
		for i, value := range e {
			values[i] = cmp.Or(value, values[i])
		}
	}
	if len(entries) != 3 || slices.Contains(values[:], "") || !npyWhole.MatchString(text) {
		return Array{}, Faultf(ErrMalformed,
			"npy header %s is not a dictionary of descr, fortran_order and shape", Shorten(text))
	}
	var shape []uint64
	for _, digits := range npyLength.FindAllString(values[3], -1) {
		length, err := strconv.ParseUint(digits, 10, 64)
		if err != nil {
			return Array{}, Faultf(ErrMalformed, "npy shape %s has a dimension above 2^64-1", values[3])
		}
		shape = append(shape, length)
	}
	a, err := New("", npyType(strings.Trim(values[1], `"'`)), shape, values[2] == "True")
	if err != nil {
		return Array{}, Faultf(ErrMalformed, "npy %v", err)
	}
	return a, nil
}

// npyNumber is the descr of a number: byte order, kind and size.
var npyNumber = regexp.MustCompile(`^(?:\|[biu]1|[<>](?:[iu][248]|f[248]))$`)

func npyType(descr string) Type {
	if !npyNumber.MatchString(descr) {
		return Type{Name: npyWords(descr), Size: 1}
	}
	t := TypeOf(map[byte]Kind{'b': Uint, 'i': Int, 'u': Uint, 'f': Float}[descr[1]], int(descr[2]-'0'))
	t.Big = descr[0] == '>'
	return t
}

func npyWords(descr string) string {
	if strings.HasPrefix(descr, "[") {
		return "structured records"
	}
	kinds := map[byte]string{
		'f': "floats", 'c': "complex numbers", 'O': "Python objects",
		'S': "byte strings", 'a': "byte strings", 'U': "strings", 'V': "raw bytes",
		'M': "dates", 'm': "time spans",
	}
	if len(descr) >= 2 && kinds[descr[1]] != "" {
		return kinds[descr[1]] + " (" + Shorten(descr) + ")"
	}
	return "of the type " + Shorten(descr)
}

// Shorten quotes a text, cut to a length that fits a line.
func Shorten(text string) string {
	const longest = 40
	if len(text) > longest {
		return fmt.Sprintf("%q...", text[:longest])
	}
	return fmt.Sprintf("%q", text)
}
