package parquet

import (
	"encoding/binary"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// The kinds of values of Thrift's compact protocol.
const (
	kindTrue   = 1
	kindFalse  = 2
	kindByte   = 3
	kindI16    = 4
	kindI32    = 5
	kindI64    = 6
	kindDouble = 7
	kindBinary = 8
	kindList   = 9
	kindSet    = 10
	kindMap    = 11
	kindStruct = 12
)

var (
	errThrift = tensor.Faultf(tensor.ErrMalformed, "its Thrift metadata is malformed")
	// errShort says that more bytes may help.
	errShort = tensor.Faultf(tensor.ErrMalformed, "its Thrift metadata ends early")
)

const mostNesting = 32

// thrift reads Thrift's compact protocol. The first fault stays in err, and what is read after it
// is zero. Nothing is allocated by what a length promises.
//
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
type thrift struct {
	data  []byte
	at    int
	depth int
	err   error
}

func (t *thrift) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// take returns the next n bytes, nil where there are fewer.
func (t *thrift) take(n uint64) []byte {
	if t.err != nil || n > uint64(len(t.data)-t.at) {
		t.fail(errShort)
		return nil
	}
	t.at += int(n)
	return t.data[t.at-int(n) : t.at]
}

func (t *thrift) byte() byte {
	if b := t.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (t *thrift) uvarint() uint64 {
	if t.err != nil {
		return 0
	}
	v, n := binary.Uvarint(t.data[t.at:])
	switch {
	case n == 0:
		t.fail(errShort)
	case n < 0:
		t.fail(errThrift)
	default:
		t.at += n
		return v
	}
	return 0
}

func (t *thrift) integer() int64 {
	v := t.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// fields says where fields of a structure go, by their numbers, a byte each: 0x501 is field 1 of the structure
// in field 5. To an *int64 go numbers, 1 and 0 for true and false, and the number of the last field of a
// structure; to a *string texts; a func() reads a list; nil is a structure whose fields are asked for.
type fields map[int64]any

// fields reads a structure. Fields of other kinds are skipped.
func (t *thrift) fields(to fields) { t.below(to, 0) }

func (t *thrift) below(to fields, path int64) (last int64) {
	t.structure(func(id int64, kind byte) bool {
		if id < 1 || id > 0xff {
			return false
		}
		last = id
		at := path<<8 | id
		place, wanted := to[at]
		number, isNumber := place.(*int64)
		text, isText := place.(*string)
		list, isList := place.(func())
		switch {
		case wanted && kind == kindStruct:
			if id := t.below(to, at); isNumber {
				*number = id
			}
		case isList && kind == kindList:
			list()
		case isText && kind == kindBinary:
			*text = string(t.take(t.uvarint()))
		case isNumber && (kind == kindTrue || kind == kindFalse):
			*number = int64(kindFalse - kind)
		case isNumber && (kind == kindI32 || kind == kindI64):
			*number = t.integer()
		default:
			return false
		}
		return true
	})
	return last
}

// structure calls field with the number and kind of each field; what it does not read is skipped.
func (t *thrift) structure(field func(id int64, kind byte) bool) {
	if t.depth++; t.depth > mostNesting {
		t.fail(errThrift)
	}
	for id := int64(0); t.err == nil; {
		head := t.byte()
		kind := head & 0x0f
		if kind == 0 {
			break
		}
		if delta := int64(head >> 4); delta > 0 {
			id += delta
		} else {
			id = t.integer()
		}
		if t.err == nil && !field(id, kind) {
			t.skip(kind)
		}
	}
	t.depth--
}

// list calls item for each item of a list of one kind of items.
func (t *thrift) list(want byte, item func()) {
	kind, n := t.listHead()
	if kind != want && n > 0 {
		t.fail(errThrift)
	}
	for ; n > 0 && t.err == nil; n-- {
		item()
	}
}

func (t *thrift) listHead() (kind byte, n uint64) {
	head := t.byte()
	if n = uint64(head >> 4); n == 15 {
		n = t.uvarint()
	}
	return head & 0x0f, n
}

func (t *thrift) skip(kind byte) {
	switch kind {
	case kindTrue, kindFalse:
	case kindByte:
		t.byte()
	case kindI16, kindI32, kindI64:
		t.uvarint()
	case kindDouble:
		t.take(8)
	case kindBinary:
		t.take(t.uvarint())
	case kindList, kindSet:
		t.skipItems(t.listHead())
	case kindMap:
		if n := t.uvarint(); n > 0 {
			kinds := t.byte()
			for ; n > 0 && t.err == nil; n-- {
				t.skipItems(kinds>>4, 1)
				t.skipItems(kinds&0x0f, 1)
			}
		}
	case kindStruct:
		t.structure(func(int64, byte) bool { return false })
	default:
		t.fail(errThrift)
	}
}

// skipItems passes over items of a list or a map, where a boolean takes a byte.
func (t *thrift) skipItems(kind byte, n uint64) {
	if t.depth++; t.depth > mostNesting {
		t.fail(errThrift)
	}
	if kind == kindTrue || kind == kindFalse {
		kind = kindByte
	}
	for ; n > 0 && t.err == nil; n-- {
		t.skip(kind)
	}
	t.depth--
}
