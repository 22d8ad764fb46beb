package tensor

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// This file reads Python pickles of plain data: numbers, texts, tuples, lists, dictionaries, and calls and
// references that are written down and never made. Nothing of a pickle is executed: a call names its function,
// which must be among those that are expected. The instructions are those of protocol 2 that PyTorch writes; any
// other is refused by name. Each takes bytes of the pickle for what it allocates.

// global is a function or a class that a pickle names.
type global struct{ Module, Name string }

func (g global) String() string { return g.Module + "." + g.Name }

// A pickle's values are nil, bool, int64, float64, string, global, sequence, *list, *dictionary, *call and
// *reference. Lists and dictionaries may hold themselves.
type (
	// sequence is a Python tuple.
	sequence []any
	// list is a Python list.
	list struct{ Items []any }
	// dictionary is a dictionary, or a collections.OrderedDict, in the order of its pickle.
	dictionary struct{ Keys, Values []any }
	// call is a function with arguments: what the call would return, if it were made.
	call struct {
		Function  global
		Arguments sequence
	}
	// reference is a persistent identifier of something outside of the pickle.
	reference struct{ ID any }
)

// orderedDict makes a dictionary.
var orderedDict = global{"collections", "OrderedDict"}

type mark struct{}

type machine struct {
	data    []byte
	at      int
	allowed func(global) bool
	stack   []any
	memo    map[uint32]any
}

// unpickle reads one pickle. Of globals, those that are allowed and collections.OrderedDict pass.
func unpickle(data []byte, allowed func(global) bool) (value any, err error) {
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
			m.stop(ErrUnsupported, "byte %d: instruction %s is not one of those that PyTorch writes for "+
				"tensors", start, cmp.Or(refusedNames[op], fmt.Sprintf("0x%02x", op)))
		}
		run(m)
	}
	if value = m.pop(); len(m.stack) > 0 || m.at < len(m.data) {
		m.stop(ErrMalformed, "byte %d: more than one value", m.at)
	}
	return value, nil
}

func (m *machine) stop(kind error, format string, args ...any) {
	panic(Faultf(kind, format, args...))
}

func (m *machine) take(n int) []byte {
	if n < 0 || n > len(m.data)-m.at {
		m.stop(ErrMalformed, "ends within an instruction, at byte %d", len(m.data))
	}
	m.at += n
	return m.data[m.at-n : m.at]
}

func (m *machine) line() string {
	text, _, ok := strings.Cut(string(m.data[m.at:min(len(m.data), m.at+longestGlobal)]), "\n")
	if !ok {
		m.stop(ErrMalformed, "byte %d: a name that does not end", m.at)
	}
	m.at += len(text) + 1
	return text
}

// longestGlobal bounds the names of modules and globals.
const longestGlobal = 256

func (m *machine) push(v any) { m.stack = append(m.stack, v) }

func (m *machine) pop() any {
	if len(m.stack) == 0 {
		m.stop(ErrMalformed, "byte %d: the stack is empty", m.at)
	}
	v := m.stack[len(m.stack)-1]
	m.stack = m.stack[:len(m.stack)-1]
	if _, ok := v.(mark); ok {
		m.stop(ErrMalformed, "byte %d: a mark where a value should be", m.at)
	}
	return v
}

// top returns the topmost value of a type, which stays.
func top[T any](m *machine) T {
	v := m.pop()
	m.push(v)
	t, ok := v.(T)
	if !ok {
		m.stop(ErrMalformed, "byte %d: %T where %T should be", m.at, v, t)
	}
	return t
}

func (m *machine) marked() []any {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if _, ok := m.stack[i].(mark); ok {
			values := append([]any(nil), m.stack[i+1:]...)
			m.stack = m.stack[:i]
			return values
		}
	}
	m.stop(ErrMalformed, "byte %d: no mark on the stack", m.at)
	return nil
}

func (m *machine) global() {
	start := m.at - 1
	g := global{m.line(), m.line()}
	if g != orderedDict && !m.allowed(g) {
		m.stop(ErrUnsupported, "byte %d: calls %q, and nothing in a pickle is executed", start, g)
	}
	m.push(g)
}

func (m *machine) reduce() {
	arguments, ok := m.pop().(sequence)
	function, isGlobal := m.pop().(global)
	switch {
	case !ok || !isGlobal:
		m.stop(ErrMalformed, "byte %d: a call without a function and its arguments", m.at)
	case function == orderedDict && len(arguments) == 0:
		m.push(&dictionary{})
	default:
		m.push(&call{function, arguments})
	}
}

// setItems adds pairs of keys and values to the dictionary below them.
func (m *machine) setItems(pairs []any) {
	d := top[*dictionary](m)
	if len(pairs)%2 != 0 {
		m.stop(ErrMalformed, "byte %d: a key without a value", m.at)
	}
	for i := 0; i < len(pairs); i += 2 {
		d.Keys, d.Values = append(d.Keys, pairs[i]), append(d.Values, pairs[i+1])
	}
}

func (m *machine) get(place uint32) {
	v, ok := m.memo[place]
	if !ok {
		m.stop(ErrMalformed, "byte %d: nothing was put at place %d", m.at, place)
	}
	m.push(v)
}

func (m *machine) text(length uint32) {
	raw := m.take(int(length))
	if !utf8.Valid(raw) {
		m.stop(ErrMalformed, "byte %d: a text that is not UTF-8", m.at)
	}
	m.push(string(raw))
}

// long reads a number of up to 8 bytes, two's complement.
func (m *machine) long(size int) {
	raw := m.take(size)
	if size > 8 {
		m.stop(ErrUnsupported, "byte %d: a number of %d bytes, the most is 8", m.at, size)
	}
	var v int64
	for i, b := range slices.Backward(raw) {
		if v = v<<8 | int64(b); i == size-1 {
			v = int64(int8(b))
		}
	}
	m.push(v)
}

func (m *machine) uint8() uint32  { return uint32(m.take(1)[0]) }
func (m *machine) uint16() uint32 { return uint32(binary.LittleEndian.Uint16(m.take(2))) }
func (m *machine) uint32() uint32 { return binary.LittleEndian.Uint32(m.take(4)) }
func (m *machine) float64() float64 {
	return math.Float64frombits(binary.BigEndian.Uint64(m.take(8)))
}

const opStop = '.'

// instructions are those that are read, by their bytes; names are those of Python's pickletools.
var instructions = map[byte]func(*machine){
	0x80: (*machine).protocol,                                              // PROTO
	'c':  (*machine).global,                                                // GLOBAL
	'(':  func(m *machine) { m.push(mark{}) },                              // MARK
	'N':  func(m *machine) { m.push(nil) },                                 // NONE
	0x88: func(m *machine) { m.push(true) },                                // NEWTRUE
	0x89: func(m *machine) { m.push(false) },                               // NEWFALSE
	'K':  func(m *machine) { m.push(int64(m.uint8())) },                    // BININT1
	'M':  func(m *machine) { m.push(int64(m.uint16())) },                   // BININT2
	'J':  func(m *machine) { m.push(int64(int32(m.uint32()))) },            // BININT
	0x8a: func(m *machine) { m.long(int(m.uint8())) },                      // LONG1
	'G':  func(m *machine) { m.push(m.float64()) },                         // BINFLOAT
	'X':  func(m *machine) { m.text(m.uint32()) },                          // BINUNICODE
	')':  func(m *machine) { m.push(sequence{}) },                          // EMPTY_TUPLE
	0x85: func(m *machine) { m.tuple(1) },                                  // TUPLE1
	0x86: func(m *machine) { m.tuple(2) },                                  // TUPLE2
	0x87: func(m *machine) { m.tuple(3) },                                  // TUPLE3
	't':  func(m *machine) { m.push(sequence(m.marked())) },                // TUPLE
	']':  func(m *machine) { m.push(&list{}) },                             // EMPTY_LIST
	'a':  func(m *machine) { m.extend([]any{m.pop()}) },                    // APPEND
	'e':  func(m *machine) { m.extend(m.marked()) },                        // APPENDS
	'}':  func(m *machine) { m.push(&dictionary{}) },                       // EMPTY_DICT
	's':  func(m *machine) { v := m.pop(); m.setItems([]any{m.pop(), v}) }, // SETITEM
	'u':  func(m *machine) { m.setItems(m.marked()) },                      // SETITEMS
	'q':  func(m *machine) { m.put(m.uint8()) },                            // BINPUT
	'r':  func(m *machine) { m.put(m.uint32()) },                           // LONG_BINPUT
	'h':  func(m *machine) { m.get(m.uint8()) },                            // BINGET
	'j':  func(m *machine) { m.get(m.uint32()) },                           // LONG_BINGET
	'Q':  func(m *machine) { m.push(&reference{m.pop()}) },                 // BINPERSID
	'R':  (*machine).reduce,                                                // REDUCE
	'b':  func(m *machine) { m.pop(); top[*dictionary](m) },                // BUILD: no tensor is read from attributes
}

// refusedNames are instructions of other pickles, for errors.
var refusedNames = map[byte]string{
	'0': "POP", '1': "POP_MARK", '2': "DUP", 'B': "BINBYTES", 'C': "SHORT_BINBYTES", 'F': "FLOAT",
	'I': "INT", 'L': "LONG", 'P': "PERSID", 'S': "STRING", 'T': "BINSTRING", 'U': "SHORT_BINSTRING",
	'V': "UNICODE", 'd': "DICT", 'g': "GET", 'i': "INST", 'l': "LIST", 'o': "OBJ", 'p': "PUT",
	0x81: "NEWOBJ", 0x82: "EXT1", 0x83: "EXT2", 0x84: "EXT4", 0x8b: "LONG4",
	0x8c: "SHORT_BINUNICODE", 0x8d: "BINUNICODE8", 0x8e: "BINBYTES8", 0x8f: "EMPTY_SET",
	0x90: "ADDITEMS", 0x91: "FROZENSET", 0x92: "NEWOBJ_EX", 0x93: "STACK_GLOBAL", 0x94: "MEMOIZE",
	0x95: "FRAME", 0x96: "BYTEARRAY8", 0x97: "NEXT_BUFFER", 0x98: "READONLY_BUFFER",
}

// protocol demands the protocol that torch.save writes by default.
func (m *machine) protocol() {
	if version := m.uint8(); version != 2 {
		m.stop(ErrUnsupported, "pickle protocol %d, but torch.save writes 2 by default", version)
	}
}

func (m *machine) tuple(n int) {
	values := make(sequence, n)
	for i := n - 1; i >= 0; i-- {
		values[i] = m.pop()
	}
	m.push(values)
}

func (m *machine) extend(values []any) {
	l := top[*list](m)
	l.Items = append(l.Items, values...)
}

func (m *machine) put(place uint32) {
	m.memo[place] = m.pop()
	m.push(m.memo[place])
}
