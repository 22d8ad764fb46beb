package parquet

import (
	"cmp"
	"math/bits"
	"strings"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

type element struct {
	physical   int64 // -1: a group
	length     int64 // of a fixed-length byte array
	repetition int64
	name       string
	children   int64
	converted  int64 // -1: none
	logical    int64 // the field of the union that is set, 0: none
	signed     int64 // a logical integer, 0: it is not
}

// The parts of Parquet's schema that matter here, by their numbers in parquet.thrift.
const (
	physicalBool                   = 0
	physicalInt32, physicalInt64   = 1, 2
	physicalFloat, physicalDouble  = 4, 5
	physicalFixed                  = 7
	optional, repeated             = 1, 2
	logicalInteger, logicalFloat16 = 10, 15
	convertedUint8, convertedInt64 = 11, 18
)

var physicalNames = []string{"boolean", "int32", "int64", "int96", "float", "double", "byte array",
	"fixed-length byte array"}

var logicalNames = map[int64]string{1: "string", 2: "map", 3: "list", 4: "enum", 5: "decimal",
	6: "date", 7: "time", 8: "timestamp", 11: "null", 12: "JSON", 13: "BSON", 14: "UUID",
	15: "float16", 16: "variant", 17: "geometry", 18: "geography"}

const unknown = "unknown"

var convertedNames = []string{"string", "map", "map", "list", "enum", "decimal", "date", "time",
	"time", "timestamp", "timestamp", "", "", "", "", "", "", "", "", "JSON", "BSON", "interval"}

// kind is the type of the column's values; those that are not numbers have Kind Other.
func (e *element) kind() tensor.Type {
	converted := int(e.converted)
	switch {
	case e.logical == logicalFloat16 && e.physical == physicalFixed && e.length == 2:
		return tensor.Float16
	case e.logical != 0 && e.logical != logicalInteger:
		return tensor.Type{Name: cmp.Or(logicalNames[e.logical], unknown)}
	case e.logical == 0 && converted >= 0 && converted < len(convertedNames) &&
		convertedNames[converted] != "":
		return tensor.Type{Name: convertedNames[converted]}
	case e.physical == physicalBool:
		return tensor.Bool
	case e.physical == physicalFloat:
		return tensor.Float32
	case e.physical == physicalDouble:
		return tensor.Float64
	case e.physical != physicalInt32 && e.physical != physicalInt64:
		if e.physical >= 0 && int(e.physical) < len(physicalNames) {
			return tensor.Type{Name: physicalNames[e.physical]}
		}
		return tensor.Type{Name: unknown}
	}
	unsigned := e.logical == logicalInteger && e.signed == 0 ||
		e.logical == 0 && converted >= convertedUint8 && converted < convertedUint8+4
	number := tensor.Int
	if unsigned {
		number = tensor.Uint
	}
	return tensor.TypeOf(number, map[int64]int{physicalInt32: 4, physicalInt64: 8}[e.physical])
}

// column is a leaf of the schema.
type column struct {
	name       string // joined by dots
	kind       tensor.Type
	definition uint64 // the level of a value that is not null
	repeated   uint64 // the level from which on there is an element, of what is in lists; 0: it is in none
}

func (c *column) levelBits() int { return bits.Len64(c.definition) }

const (
	// mostElements and longestName bound what a schema takes.
	mostElements = 1 << 16
	longestName  = 1 << 10
)

// readSchema reads the list of a schema's elements, a tree in depth-first order.
func readSchema(t *thrift) (columns []column) {
	type group struct {
		left int64
		path []string
		column
	}
	var e element
	table := fields{1: &e.physical, 2: &e.length, 3: &e.repetition, 4: &e.name, 5: &e.children, 6: &e.converted, 0xa: &e.logical,
		0xa0a: nil, 0xa0a02: &e.signed}
	var groups []group
	elements := 0
	t.list(kindStruct, func() {
		e = element{physical: -1, converted: -1, signed: 1}
		t.fields(table)
		if elements++; elements == 1 {
			groups = []group{{left: e.children}}
			return
		}
		for len(groups) > 0 && groups[len(groups)-1].left == 0 {
			groups = groups[:len(groups)-1]
		}
		if len(groups) == 0 || len(groups) > mostNesting || elements > mostElements {
			t.fail(errThrift)
			return
		}
		above := &groups[len(groups)-1]
		above.left--
		c := column{definition: above.definition, repeated: above.repeated}
		if e.repetition == optional || e.repetition == repeated {
			c.definition++
		}
		if e.repetition == repeated {
			c.repeated = c.definition
		}
		path := append(above.path[:len(above.path):len(above.path)], e.name)
		if e.physical < 0 {
			groups = append(groups, group{e.children, path, c})
			return
		}
		if c.name = strings.Join(path, "."); len(c.name) > longestName {
			t.fail(errThrift)
		}
		c.kind = e.kind()
		columns = append(columns, c)
	})
	if elements == 0 {
		t.fail(errThrift)
	}
	return columns
}

type chunk struct {
	codec      int64
	values     int64
	size       int64
	data, dict int64 // where the first page of data and that of the dictionary begin; 0: none
}

// codecs are those that are read, by their numbers; of the others some have names.
var (
	codecs = map[int64]codec.Codec{0: codec.None, 1: codec.Snappy, 2: codec.Gzip, 6: codec.Zstd, 7: codec.LZ4Block}
	others = map[int64]string{3: "LZO", 4: "Brotli", 5: "LZ4 in Hadoop's frames"}
)

// mostGroups is twice the groups of rows that Parquet can number.
const mostGroups = 1 << 16

func readChunks(t *thrift, column int) (chunks []chunk) {
	at, rows := 0, int64(0)
	group := fields{3: &rows, 1: func() {
		t.list(kindStruct, func() {
			if at != column {
				t.skip(kindStruct)
			} else if c := readChunk(t); c.values > 0 { // of a group without rows nothing else need be sound
				chunks = append(chunks, c)
			}
			at++
		})
	}}
	t.list(kindStruct, func() {
		at, rows = 0, 0
		if t.fields(group); at <= column && rows != 0 {
			t.fail(errThrift)
		} else if len(chunks) > mostGroups {
			t.fail(tensor.Faultf(tensor.ErrMalformed, "more than %d groups of rows", mostGroups))
		}
	})
	return chunks
}

func readChunk(t *thrift) (c chunk) {
	c.values = -1
	var file string // another one
	t.fields(fields{1: &file, 3: nil, 0x304: &c.codec, 0x305: &c.values, 0x307: &c.size, 0x309: &c.data,
		0x30b: &c.dict})
	if file != "" || c.values < 0 || c.size < 0 || c.data <= 0 && c.values > 0 || c.dict < 0 {
		t.fail(errThrift)
	}
	return c
}
