package parquet

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// element is an element of the schema, a group or a column.
type element struct {
	physical   int64 // -1: a group
	repetition int64
	name       string
	children   int64
	converted  int64 // -1: none
	logical    int64 // the field of the union that is set, 0: none
	width      int64 // of a logical integer
	unsigned   bool
}

// The parts of Parquet's schema that matter here, by their numbers in parquet.thrift.
const (
	physicalInt32, physicalInt64   = 1, 2
	physicalFloat, physicalDouble  = 4, 5
	optional, repeated             = 1, 2
	logicalInteger                 = 10
	convertedUint8, convertedInt64 = 11, 18
)

var physicalNames = []string{"boolean", "int32", "int64", "int96", "float", "double", "byte array",
	"fixed-length byte array"}

// logicalNames are the fields of the union LogicalType.
var logicalNames = map[int64]string{1: "string", 2: "map", 3: "list", 4: "enum", 5: "decimal",
	6: "date", 7: "time", 8: "timestamp", 11: "null", 12: "JSON", 13: "BSON", 14: "UUID",
	15: "float16", 16: "variant", 17: "geometry", 18: "geography"}

const unknown = "unknown"

var convertedNames = []string{"string", "map", "map", "list", "enum", "decimal", "date", "time",
	"time", "timestamp", "timestamp", "", "", "", "", "", "", "", "", "JSON", "BSON", "interval"}

// readElement reads a SchemaElement.
func readElement(t *thrift) element {
	e := element{physical: -1, converted: -1}
	numbers := map[int64]*int64{1: &e.physical, 3: &e.repetition, 5: &e.children, 6: &e.converted}
	t.structure(func(id int64, kind byte) bool {
		switch to := numbers[id]; {
		case to != nil && kind == kindI32:
			*to = t.integer()
		case id == 4 && kind == kindBinary:
			e.name = t.text()
		case id == 10 && kind == kindStruct:
			readLogical(t, &e)
		default:
			return false
		}
		return true
	})
	return e
}

// readLogical reads which field of the union LogicalType is set, and an IntType.
func readLogical(t *thrift, e *element) {
	t.structure(func(id int64, kind byte) bool {
		e.logical = id
		if id != logicalInteger || kind != kindStruct {
			return false
		}
		t.structure(func(id int64, kind byte) bool {
			switch {
			case id == 1 && kind == kindByte:
				e.width = int64(t.byte())
				return true
			case id == 2:
				e.unsigned = kind == kindFalse
			}
			return false
		})
		return true
	})
}

// kind is the type of the column's values; those that are no numbers have Kind Other.
func (e *element) kind() tensor.Type {
	converted := int(e.converted)
	switch {
	case e.logical != 0 && e.logical != logicalInteger:
		return tensor.Type{Name: cmp.Or(logicalNames[e.logical], unknown)}
	case e.logical == 0 && converted >= 0 && converted < len(convertedNames) &&
		convertedNames[converted] != "":
		return tensor.Type{Name: convertedNames[converted]}
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
	unsigned := e.logical == logicalInteger && e.unsigned ||
		e.logical == 0 && converted >= convertedUint8 && converted < convertedUint8+4
	if e.physical == physicalInt32 {
		if unsigned {
			return tensor.Uint32
		}
		return tensor.Int32
	}
	if unsigned {
		return tensor.Uint64
	}
	return tensor.Int64
}

// column is a leaf of the schema.
type column struct {
	name       string // joined by dots
	kind       tensor.Type
	definition uint64 // the level of a value that is no null
	repeated   bool
}

// levelBits is the width of a definition level.
func (c *column) levelBits() int { return bits.Len64(c.definition) }

const (
	// mostElements and longestName bound what a schema takes.
	mostElements = 1 << 16
	longestName  = 1 << 10
)

// readSchema reads the list of a schema's elements, a tree in depth-first order.
func readSchema(t *thrift) (columns []column) {
	var elements []element
	t.list(kindStruct, func() {
		if elements = append(elements, readElement(t)); len(elements) > mostElements {
			t.fail(errThrift)
		}
	})
	if t.err != nil || len(elements) == 0 {
		t.fail(errThrift)
		return nil
	}
	type group struct {
		left int64
		path []string
		column
	}
	groups := []group{{left: elements[0].children}}
	for _, e := range elements[1:] {
		for len(groups) > 0 && groups[len(groups)-1].left == 0 {
			groups = groups[:len(groups)-1]
		}
		if len(groups) == 0 || len(groups) > mostNesting {
			t.fail(errThrift)
			return nil
		}
		above := &groups[len(groups)-1]
		above.left--
		c := column{definition: above.definition, repeated: above.repeated || e.repetition == repeated}
		if e.repetition == optional || e.repetition == repeated {
			c.definition++
		}
		path := append(above.path[:len(above.path):len(above.path)], e.name)
		if e.physical < 0 {
			groups = append(groups, group{e.children, path, c})
			continue
		}
		if c.name = strings.Join(path, "."); len(c.name) > longestName {
			t.fail(errThrift)
			return nil
		}
		c.kind = e.kind()
		columns = append(columns, c)
	}
	return columns
}

// chunk is the pages of one column in one group of rows.
type chunk struct {
	codec      int64
	values     int64
	size       int64
	data, dict int64 // where the first page of data and that of the dictionary begin; 0: none
}

// start is where the pages begin.
func (c *chunk) start() int64 {
	if c.dict > 0 && c.dict < c.data {
		return c.dict
	}
	return c.data
}

// codecOf is the codec of a chunk.
func (c *chunk) codecOf() (codec.Codec, error) {
	switch c.codec {
	case 0:
		return codec.None, nil
	case 1:
		return codec.Snappy, nil
	case 2:
		return codec.Gzip, nil
	case 6:
		return codec.Zstd, nil
	case 7:
		return codec.LZ4Block, nil
	}
	name := map[int64]string{3: "LZO", 4: "Brotli", 5: "LZ4 in Hadoop's frames"}[c.codec]
	return 0, fmt.Errorf("%w: pages compressed with %s; save them with Zstandard or Snappy",
		ErrUnsupported, cmp.Or(name, unknown))
}

// mostGroups is twice the groups of rows that Parquet can number.
const mostGroups = 1 << 16

// readChunks reads the list of row groups and keeps the chunks of one column.
func readChunks(t *thrift, column int) (chunks []chunk) {
	t.list(kindStruct, func() {
		found := false
		t.structure(func(id int64, kind byte) bool {
			if id != 1 || kind != kindList {
				return false
			}
			at := 0
			t.list(kindStruct, func() {
				if at == column {
					chunks, found = append(chunks, readChunk(t)), true
				} else {
					t.skip(kindStruct)
				}
				at++
			})
			return true
		})
		switch {
		case !found:
			t.fail(errThrift)
		case len(chunks) > mostGroups:
			t.fail(fmt.Errorf("it has more than %d groups of rows", mostGroups))
		}
	})
	return chunks
}

// readChunk reads a ColumnChunk and the ColumnMetaData in it.
func readChunk(t *thrift) (c chunk) {
	metadata := func(id int64, kind byte) bool {
		to := map[int64]*int64{4: &c.codec, 5: &c.values, 7: &c.size, 9: &c.data, 11: &c.dict}[id]
		if to == nil || kind != kindI32 && kind != kindI64 {
			return false
		}
		*to = t.integer()
		return true
	}
	found := false
	t.structure(func(id int64, kind byte) bool {
		if id == 1 { // another file
			t.fail(errThrift)
		}
		if id != 3 || kind != kindStruct {
			return false
		}
		t.structure(metadata)
		found = true
		return true
	})
	if !found || c.values < 0 || c.size < 0 || c.data <= 0 || c.dict < 0 {
		t.fail(errThrift)
	}
	return c
}
