package arrow

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// The types of Arrow, by their numbers in the union Type of Schema.fbs.
const (
	typeNull            = 1
	typeInt             = 2
	typeFloat           = 3
	typeBinary          = 4
	typeUtf8            = 5
	typeList            = 12
	typeStruct          = 13
	typeUnion           = 14
	typeFixedSizeList   = 16
	typeMap             = 17
	typeLargeBinary     = 19
	typeLargeUtf8       = 20
	typeLargeList       = 21
	typeRunEndEncoded   = 22
	typeBinaryView      = 23
	typeUtf8View        = 24
	typeListView        = 25
	typeLargeListView   = 26
	mostNesting         = 32
	mostFields          = 1 << 16
	mostNames           = 16 << 20 // bytes of all names
	metadataVersionFive = 4
)

var typeNames = [...]string{"unknown", "null", "integer", "float", "binary", "utf8", "bool",
	"decimal", "date", "time", "timestamp", "interval", "list", "struct", "union",
	"fixed-size binary", "fixed-size list", "map", "duration", "large binary", "large utf8",
	"large list", "run-end encoded", "binary view", "utf8 view", "list view", "large list view"}

// field is a column of the schema, or a part of one.
type field struct {
	name       string
	typeID     byte
	dense      bool        // of a union
	kind       tensor.Type // of the values
	dictionary bool
	id         int64       // of the dictionary
	indices    tensor.Type // into it
	children   []field
}

// schemaReader reads fields in bounds.
type schemaReader struct {
	flat  *flat
	big   bool
	left  int // fields
	bytes int // of names
}

// readSchema reads the table Schema.
func readSchema(t table) ([]field, error) {
	r := &schemaReader{flat: t.of, big: t.int16(0) == 1, left: mostFields, bytes: mostNames}
	fields := r.fields(t, 1, 0)
	if t.of.broken || r.left < 0 || r.bytes < 0 {
		return nil, fmt.Errorf("%w: its schema", ErrMalformed)
	}
	return fields, nil
}

// fields reads a vector of the table Field.
func (r *schemaReader) fields(t table, number uint64, depth int) (fields []field) {
	_, n := t.vector(number, 4)
	if depth > mostNesting {
		r.flat.broken = true
	}
	at := t.tables(number)
	for i := uint64(0); i < n && r.left > 0 && r.bytes > 0 && !r.flat.broken; i++ {
		r.left--
		one := r.field(at(i), depth)
		r.bytes -= len(one.name) + 1
		fields = append(fields, one)
	}
	if uint64(len(fields)) < n {
		r.flat.broken = true
	}
	return fields
}

// field reads the table Field.
func (r *schemaReader) field(t table, depth int) field {
	f := field{name: t.text(0), typeID: t.byte(2)}
	details := t.table(3)
	f.kind = r.kind(f.typeID, details)
	f.dense = f.typeID == typeUnion && details.int16(0) == 1
	if t.place(4) != 0 {
		d := t.table(4)
		f.dictionary, f.id, f.indices = true, d.int64(0), tensor.Int32
		if d.place(1) != 0 {
			f.indices = r.kind(typeInt, d.table(1))
		}
	}
	f.children = r.fields(t, 5, depth+1)
	return f
}

// kind is the type of a field's values, Kind Other where they are no numbers.
func (r *schemaReader) kind(id byte, details table) tensor.Type {
	if int(id) >= len(typeNames) {
		id = 0
	}
	kind := tensor.Type{Name: typeNames[id]}
	switch id {
	case typeInt:
		signed := details.byte(1) != 0
		for _, t := range []tensor.Type{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64,
			tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64} {
			if int32(8*t.Size) == details.int32(0) && signed == (t.Kind == tensor.Int) {
				kind = t
			}
		}
	case typeFloat:
		if precision := details.int16(0); precision >= 0 && precision <= 2 {
			kind = [...]tensor.Type{tensor.Float16, tensor.Float32, tensor.Float64}[precision]
		}
	}
	kind.Big = r.big && kind.Kind != tensor.Other
	return kind
}

// buffers is how many buffers of a record batch belong to a field itself, how many of them are
// variadic, and whether its children have buffers of their own.
func (f *field) buffers(version int16) (n uint64, variadic, children bool) {
	if f.dictionary {
		return 2, false, false
	}
	switch f.typeID {
	case typeNull, typeRunEndEncoded:
		return 0, false, true
	case typeBinary, typeUtf8, typeLargeBinary, typeLargeUtf8, typeListView, typeLargeListView:
		return 3, false, true
	case typeList, typeLargeList, typeMap:
		return 2, false, true
	case typeStruct, typeFixedSizeList:
		return 1, false, true
	case typeUnion:
		if n = 1; f.dense {
			n = 2
		}
		if version < metadataVersionFive {
			n++ // the bitmap of older versions
		}
		return n, false, true
	case typeBinaryView, typeUtf8View:
		return 2, true, true
	}
	return 2, false, true
}
