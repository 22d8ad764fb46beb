package pickle

import "fmt"

// opStop ends a pickle.
const opStop = '.'

// instructions are those that are read, by their bytes; names are those of Python's pickletools.
var instructions = map[byte]func(*machine){
	0x80: (*machine).protocol,                                   // PROTO
	'c':  (*machine).global,                                     // GLOBAL
	'(':  func(m *machine) { m.push(mark{}) },                   // MARK
	'N':  func(m *machine) { m.push(nil) },                      // NONE
	0x88: func(m *machine) { m.push(true) },                     // NEWTRUE
	0x89: func(m *machine) { m.push(false) },                    // NEWFALSE
	'K':  func(m *machine) { m.push(int64(m.uint8())) },         // BININT1
	'M':  func(m *machine) { m.push(int64(m.uint16())) },        // BININT2
	'J':  func(m *machine) { m.push(int64(int32(m.uint32()))) }, // BININT
	0x8a: func(m *machine) { m.long(int(m.uint8())) },           // LONG1
	'G':  func(m *machine) { m.push(m.float64()) },              // BINFLOAT
	'X':  func(m *machine) { m.text(m.uint32()) },               // BINUNICODE
	')':  func(m *machine) { m.push(Tuple{}) },                  // EMPTY_TUPLE
	0x85: func(m *machine) { m.tuple(1) },                       // TUPLE1
	0x86: func(m *machine) { m.tuple(2) },                       // TUPLE2
	0x87: func(m *machine) { m.tuple(3) },                       // TUPLE3
	't':  func(m *machine) { m.push(Tuple(m.marked())) },        // TUPLE
	']':  func(m *machine) { m.push(&List{}) },                  // EMPTY_LIST
	'a':  func(m *machine) { m.extend([]any{m.pop()}) },         // APPEND
	'e':  func(m *machine) { m.extend(m.marked()) },             // APPENDS
	'}':  func(m *machine) { m.push(&Dict{}) },                  // EMPTY_DICT
	's':  (*machine).setItem,                                    // SETITEM
	'u':  func(m *machine) { m.setItems(m.marked()) },           // SETITEMS
	'q':  func(m *machine) { m.put(m.uint8()) },                 // BINPUT
	'r':  func(m *machine) { m.put(m.uint32()) },                // LONG_BINPUT
	'h':  func(m *machine) { m.get(m.uint8()) },                 // BINGET
	'j':  func(m *machine) { m.get(m.uint32()) },                // LONG_BINGET
	'Q':  func(m *machine) { m.push(&Reference{m.pop()}) },      // BINPERSID
	'R':  (*machine).reduce,                                     // REDUCE
	'b':  (*machine).build,                                      // BUILD
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

// opName names an instruction that is not read.
func opName(op byte) string {
	if name, ok := refusedNames[op]; ok {
		return name
	}
	return fmt.Sprintf("0x%02x", op)
}

// protocol demands the protocol that torch.save writes by default.
func (m *machine) protocol() {
	if version := m.uint8(); version != 2 {
		m.stop(ErrRefused, "pickle protocol %d, and torch.save writes 2 by default", version)
	}
}

// tuple pops so many values.
func (m *machine) tuple(n int) {
	values := make(Tuple, n)
	for i := n - 1; i >= 0; i-- {
		values[i] = m.pop()
	}
	m.push(values)
}

// extend adds to the list on top.
func (m *machine) extend(values []any) {
	l := top[*List](m)
	l.Items = append(l.Items, values...)
}

// setItem adds one pair to the dictionary below it.
func (m *machine) setItem() {
	value, key := m.pop(), m.pop()
	m.setItems([]any{key, value})
}

// put keeps the topmost value at a place.
func (m *machine) put(place uint32) {
	m.memo[place] = m.pop()
	m.push(m.memo[place])
}
