package arrow

import "github.com/atomtune/atomtune/datasets/tensor"

// The types of Arrow, by their numbers in the union Type of Schema.fbs.
const (
	typeInt     = 2
	typeFloat   = 3
	typeBool    = 6
	typeList    = 12
	typeUnion   = 14
	typeFixed   = 16 // list
	typeLarge   = 21 // list
	mostNesting = 32
	mostFields  = 1 << 16
	mostNames   = 16 << 20 // bytes of all names
	versionFive = 4        // of the metadata
)

// types has the names of types, and how many buffers of a record batch belong to a field itself.
var types = [...]struct {
	name     string
	buffers  uint64
	variadic bool // and so many more as the batch says
}{{"unknown", 2, false}, {"null", 0, false}, {"integer", 2, false}, {"float", 2, false}, {"binary", 3, false},
	{"utf8", 3, false}, {"bool", 2, false}, {"decimal", 2, false}, {"date", 2, false}, {"time", 2, false},
	{"timestamp", 2, false}, {"interval", 2, false}, {"list", 2, false}, {"struct", 1, false}, {"union", 1, false},
	{"fixed-size binary", 2, false}, {"fixed-size list", 1, false}, {"map", 2, false}, {"duration", 2, false},
	{"large binary", 3, false}, {"large utf8", 3, false}, {"large list", 2, false}, {"run-end encoded", 0, false},
	{"binary view", 2, true}, {"utf8 view", 2, true}, {"list view", 3, false}, {"large list view", 3, false}}

type field struct {
	name       string
	typeID     byte
	dense      bool        // of a union
	size       int64       // of each list, of typeFixed
	kind       tensor.Type // of the values
	dictionary bool
	id         int64       // of the dictionary
	indices    tensor.Type // into it
	children   []field
}

// isList says whether the field's elements are a column of their own.
func (f *field) isList() bool {
	return !f.dictionary && (f.typeID == typeList || f.typeID == typeLarge || f.typeID == typeFixed) && len(f.children) == 1
}

// elements is the field of what is in lists, or in lists of lists.
func (f *field) elements() *field {
	for f.isList() {
		f = &f.children[0]
	}
	return f
}

type schemaReader struct {
	flat  *flat
	big   bool
	left  int // fields
	bytes int // of names
}

func readSchema(t table) ([]field, error) {
	r := &schemaReader{flat: t.of, big: t.int16(0) == 1, left: mostFields, bytes: mostNames}
	fields := r.fields(t, 1, 0)
	if t.of.broken || r.left < 0 || r.bytes < 0 {
		return nil, tensor.Faultf(tensor.ErrMalformed, "its schema is malformed")
	}
	return fields, nil
}

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

func (r *schemaReader) field(t table, depth int) field {
	f := field{name: t.text(0), typeID: t.byte(2)}
	if int(f.typeID) >= len(types) {
		f.typeID = 0
	}
	details := t.table(3)
	f.kind = r.kind(f.typeID, details)
	f.dense = f.typeID == typeUnion && details.int16(0) == 1
	if f.typeID == typeFixed {
		f.size = int64(details.int32(0))
	}
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

// kind is the type of a field's values, Kind Other where they are not numbers.
func (r *schemaReader) kind(id byte, details table) tensor.Type {
	kind := tensor.Type{Name: types[id].name}
	switch id {
	case typeInt:
		number := tensor.Uint
		if details.byte(1) != 0 {
			number = tensor.Int
		}
		bits := int(details.int32(0))
		if t := tensor.TypeOf(number, bits/8); bits%8 == 0 && t.Size > 0 {
			kind = t
		}
	case typeBool:
		kind = tensor.Bool
	case typeFloat:
		if precision := details.int16(0); precision >= 0 && precision <= 2 {
			kind = tensor.TypeOf(tensor.Float, 2<<precision)
		}
	}
	kind.Big = r.big && kind.Kind != tensor.Other
	return kind
}
