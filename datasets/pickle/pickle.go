// Package pickle reads Python pickles of plain data: numbers, texts, tuples, lists, dictionaries,
// and calls and references that are written down and never made. Nothing of a pickle is executed:
// a call names its function, which must be among those that the reader of the pickle expects.
//
// The instructions are those of protocol 2 that PyTorch writes; any other is refused by name. Each
// takes bytes of the pickle for what it allocates.
package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// ErrPickle is wrapped by every error about the bytes of a pickle.
var ErrPickle = errors.New("malformed pickle")

// ErrRefused is wrapped where a pickle holds an instruction or a global that is not read here.
var ErrRefused = errors.New("refused pickle")

// Global is a function or a class that a pickle names.
type Global struct{ Module, Name string }

func (g Global) String() string { return g.Module + "." + g.Name }

// A pickle's values are nil, bool, int64, float64, string, Global, Tuple, *List, *Dict, *Call and
// *Reference. Lists and dictionaries may hold themselves.
type (
	// Tuple is a Python tuple.
	Tuple []any
	// List is a Python list.
	List struct{ Items []any }
	// Dict is a dictionary, or a collections.OrderedDict, in the order of its pickle.
	Dict struct{ Keys, Values []any }
	// Call is a function with arguments: what the call would return, if it were made.
	Call struct {
		Function  Global
		Arguments Tuple
	}
	// Reference is a persistent identifier of something outside of the pickle.
	Reference struct{ ID any }
)

// orderedDict makes a dictionary.
var orderedDict = Global{"collections", "OrderedDict"}

// mark is what MARK pushes.
type mark struct{}

// machine is the state of reading a pickle.
type machine struct {
	data    []byte
	at      int
	allowed func(Global) bool
	stack   []any
	memo    map[uint32]any
}

// Decode reads one pickle. Of globals, those that are allowed and collections.OrderedDict pass.
func Decode(data []byte, allowed func(Global) bool) (value any, err error) {
	m := &machine{data: data, allowed: allowed, memo: map[uint32]any{}}
	defer func() {
		switch stopped := recover().(type) {
		case nil:
		case *fault:
			value, err = nil, stopped
		default:
			panic(stopped)
		}
	}()
	for {
		start := m.at
		op := m.take(1)[0]
		if op == opStop {
			break
		}
		run, ok := instructions[op]
		if !ok {
			m.stop(ErrRefused, "byte %d: instruction %s is none of those that PyTorch writes for "+
				"tensors", start, opName(op))
		}
		run(m)
	}
	if value = m.pop(); len(m.stack) > 0 || m.at < len(m.data) {
		m.stop(ErrPickle, "byte %d: more than one value", m.at)
	}
	return value, nil
}

// stop ends the reading.
func (m *machine) stop(kind error, format string, args ...any) {
	panic(&fault{kind, fmt.Sprintf(format, args...)})
}

// fault is an error of a kind, which its text leaves out.
type fault struct {
	kind error
	text string
}

func (f *fault) Error() string { return f.text }
func (f *fault) Unwrap() error { return f.kind }

// take returns the next n bytes.
func (m *machine) take(n int) []byte {
	if n < 0 || n > len(m.data)-m.at {
		m.stop(ErrPickle, "ends within an instruction, at byte %d", len(m.data))
	}
	m.at += n
	return m.data[m.at-n : m.at]
}

// line returns the bytes up to the next line end, without it.
func (m *machine) line() string {
	text, _, ok := strings.Cut(string(m.data[m.at:min(len(m.data), m.at+longestName)]), "\n")
	if !ok {
		m.stop(ErrPickle, "byte %d: a name that does not end", m.at)
	}
	m.at += len(text) + 1
	return text
}

// longestName bounds the names of modules and globals.
const longestName = 256

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) pop() any {
	if len(m.stack) == 0 {
		m.stop(ErrPickle, "byte %d: the stack is empty", m.at)
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	if _, ok := v.(mark); ok {
		m.stop(ErrPickle, "byte %d: a mark where a value should stand", m.at)
	}
	return v
}

// top returns the topmost value of a type, which stays.
func top[T any](m *machine) T {
	v := m.pop()
	m.push(v)
	t, ok := v.(T)
	if !ok {
		m.stop(ErrPickle, "byte %d: %T where %T should stand", m.at, v, t)
	}
	return t
}

// marked pops the values above the topmost mark, and the mark.
func (m *machine) marked() []any {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			values := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return values
		}
	}
	m.stop(ErrPickle, "byte %d: no mark on the stack", m.at)
	return nil
}

// global reads a global and refuses one that is not expected.
func (m *machine) global() {
	start := m.at - 1
	g := Global{m.line(), m.line()}
	if g != orderedDict && !m.allowed(g) {
		m.stop(ErrRefused, "byte %d: names %q, and nothing of a pickle is executed", start, g)
	}
	m.push(g)
}

// reduce writes a call down.
func (m *machine) reduce() {
	arguments, ok := m.pop().(Tuple)
	function, isGlobal := m.pop().(Global)
	switch {
	case !ok || !isGlobal:
		m.stop(ErrPickle, "byte %d: a call without a function and its arguments", m.at)
	case function == orderedDict && len(arguments) == 0:
		m.push(&Dict{})
	default:
		m.push(&Call{function, arguments})
	}
}

// build drops the attributes of an object, which no tensor is read from.
func (m *machine) build() {
	m.pop()
	top[*Dict](m)
}

// setItems adds pairs of keys and values to the dictionary below them.
func (m *machine) setItems(pairs []any) {
	d := top[*Dict](m)
	if len(pairs)%2 != 0 {
		m.stop(ErrPickle, "byte %d: a key without a value", m.at)
	}
	for i := 0; i < len(pairs); i += 2 {
		d.Keys, d.Values = append(d.Keys, pairs[i]), append(d.Values, pairs[i+1])
	}
}

// get pushes what was put at a place.
func (m *machine) get(place uint32) {
	v, ok := m.memo[place]
	if !ok {
		m.stop(ErrPickle, "byte %d: nothing was put at place %d", m.at, place)
	}
	m.push(v)
}

// text reads a text of so many bytes.
func (m *machine) text(length uint32) {
	raw := m.take(int(length))
	if !utf8.Valid(raw) {
		m.stop(ErrPickle, "byte %d: a text that is not UTF-8", m.at)
	}
	m.push(string(raw))
}

// long reads a number of up to 8 bytes, two's complement.
func (m *machine) long(size int) {
	raw := m.take(size)
	if size > 8 {
		m.stop(ErrRefused, "byte %d: a number of %d bytes, the most is 8", m.at, size)
	}
	var v uint64
	for i, b := range raw {
		v |= uint64(b) << (8 * i)
	}
	unused := 64 - 8*size
	if size > 0 {
		v = uint64(int64(v<<unused) >> unused)
	}
	m.push(int64(v))
}

func (m *machine) uint8() uint32  { return uint32(m.take(1)[0]) }
func (m *machine) uint16() uint32 { return uint32(binary.LittleEndian.Uint16(m.take(2))) }
func (m *machine) uint32() uint32 { return binary.LittleEndian.Uint32(m.take(4)) }
func (m *machine) float64() float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(m.take(8)))
}
