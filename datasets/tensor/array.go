// Package tensor holds what files of NumPy, PyTorch and safetensors have in common: an array is a
// type, a shape and strides over bytes. It reads the headers of these files, and gives the
// elements of any such array in C order, the last index fastest.
//
// Headers come from anywhere. They are checked before anything is allocated by what they promise.
package tensor

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// The kinds of faults that errors of this package, and of those that read tables, wrap.
var (
	// ErrMalformed: the bytes are not what their format says.
	ErrMalformed = errors.New("malformed input")
	// ErrUnsupported: the content is valid, but none that is read here.
	ErrUnsupported = errors.New("unsupported input")
	// ErrTruncated: the bytes end early.
	ErrTruncated = errors.New("wrong length")
)

// fault is an error of one of the kinds above, which its text leaves out.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

// Faultf returns an error of a kind, which its text leaves out.
func Faultf(kind error, format string, args ...any) error {
	return &fault{kind, fmt.Sprintf(format, args...)}
}

// mostBytes bounds the bytes of an array and of what it strides over.
const mostBytes = 1 << 62

// mostReach bounds the elements that it strides over, each of at most 16 bytes.
const mostReach = mostBytes / 32

// mostDimensions is the bound of NumPy and PyTorch.
const mostDimensions = 64

// Array is a view of elements in a run of bytes, its storage. The element with the indices i_k
// begins at byte
//
//	Start + Type.Size · Σ_k i_k · Strides_k,  0 <= i_k < Shape_k
type Array struct {
	Name    string // within its file, dots between nested names; empty where there is one array
	Type    Type
	Shape   []uint64
	Strides []uint64 // counted in elements, one for each of Shape
	Start   uint64   // bytes of the storage before the first element
	// Storage names the bytes, in a file that holds several runs of them.
	Storage string
}

// New returns an array whose elements stand one behind the other, in C order or, with fortran, the
// first index fastest. It refuses shapes of more than 64 dimensions or 2^62 bytes.
func New(name string, t Type, shape []uint64, fortran bool) (Array, error) {
	if len(shape) > mostDimensions {
		return Array{}, Faultf(ErrMalformed, "%d dimensions, the most is %d", len(shape), mostDimensions)
	}
	a := Array{Name: name, Type: t, Shape: shape, Strides: make([]uint64, len(shape))}
	bytes, stride := uint64(t.Size), uint64(1)
	empty := false
	for i := range shape {
		k := len(shape) - 1 - i
		if fortran {
			k = i
		}
		var high uint64
		a.Strides[k] = stride
		stride *= max(shape[k], 1)
		if high, bytes = bits.Mul64(bytes, max(shape[k], 1)); high != 0 || bytes > mostBytes {
			return Array{}, Faultf(ErrMalformed, "shape %s has more than 2^62 bytes", a.Dimensions())
		}
		empty = empty || shape[k] == 0
	}
	if empty {
		clear(a.Strides)
	}
	return a, nil
}

// Count returns the number of elements.
func (a *Array) Count() uint64 {
	n := uint64(1)
	for _, length := range a.Shape {
		n *= length
	}
	return n
}

// Span returns the bytes of the storage from Start to the end of the last element.
func (a *Array) Span() uint64 {
	last := uint64(0)
	for k, length := range a.Shape {
		if length == 0 {
			return 0
		}
		last += (length - 1) * a.Strides[k]
	}
	return (last + 1) * uint64(a.Type.Size)
}

// Check refuses shapes and strides whose elements or span exceed 2^62 bytes. Methods may be used
// on what passes.
func (a *Array) Check() error {
	if len(a.Strides) != len(a.Shape) {
		return Faultf(ErrMalformed, "%d strides for %d dimensions", len(a.Strides), len(a.Shape))
	}
	if _, err := New("", a.Type, a.Shape, false); err != nil {
		return err
	}
	span := uint64(0)
	for k, length := range a.Shape {
		high, reach := bits.Mul64(max(length, 1)-1, a.Strides[k])
		if high != 0 || reach > mostReach || span+reach > mostReach || a.Start > mostBytes {
			return Faultf(ErrMalformed, "shape %s with strides %s reaches beyond 2^62 bytes",
				a.Dimensions(), tuple(a.Strides))
		}
		span += reach
	}
	return nil
}

// Part returns the row, for axis 0, or the column of a number that a two-dimensional array has.
func (a *Array) Part(axis int, i uint64) Array {
	part := *a
	part.Start += i * a.Strides[axis] * uint64(a.Type.Size)
	part.Shape, part.Strides = a.Shape[1-axis:][:1], a.Strides[1-axis:][:1]
	return part
}

// Dimensions is the shape as Python writes it, such as (2, 100) or (5,).
func (a *Array) Dimensions() string { return tuple(a.Shape) }

// String is the name, the type and the shape.
func (a *Array) String() string {
	return strings.TrimSpace(a.Name + " " + a.Type.Name + " " + a.Dimensions())
}

func tuple(numbers []uint64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatUint(n, 10)
	}
	if len(texts) == 1 {
		return "(" + texts[0] + ",)"
	}
	return "(" + strings.Join(texts, ", ") + ")"
}
