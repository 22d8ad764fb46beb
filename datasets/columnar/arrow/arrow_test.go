package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/columnar/columnartest"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// Values before a null are given, then an error.
func TestNull(t *testing.T) {
	const key = 2
	f, v := columnartest.Column(t, "../testdata/go-zstd.arrow", Open, key)
	if name, kind := f.Column(key); name != "key" || kind != tensor.Int32 {
		t.Errorf("column %q of %v", name, kind)
	}
	want := make([]uint64, 70)
	for i := range want {
		want[i] = uint64(i * i % 23)
	}
	columnartest.Null(t, v, want)
}

// Every byte may be wrong: the reader gives values or an error of a known kind.
func TestFlippedBytes(t *testing.T) {
	for name, column := range map[string]int{"javascript.arrow": 7, "javascript.arrows": 7, "go-lz4.arrow": 2,
		"go-zstd.arrow": 2} {
		columnartest.Flipped(t, "../testdata/"+name, Open, column)
	}
}

// Lengths that no file holds fail before anything is allocated by them.
func TestLengths(t *testing.T) {
	le := binary.LittleEndian
	stream := func(lengths ...uint32) string {
		var raw []byte
		for _, n := range lengths {
			raw = le.AppendUint32(raw, n)
		}
		return string(raw)
	}
	for text, want := range map[string]error{
		"":                         tensor.ErrMalformed,
		"ARRO":                     tensor.ErrMalformed,
		"ARR":                      tensor.ErrTruncated,
		Magic + "\x00\x00aaaaaaaa": tensor.ErrTruncated,
		Magic + "\x00\x00\xff\xff\xff\x00" + Magic:              tensor.ErrMalformed,
		stream(continuation, 1<<31):                             tensor.ErrMalformed,
		stream(continuation, 1<<20):                             tensor.ErrTruncated,
		stream(continuation, 0):                                 tensor.ErrMalformed,
		stream(continuation, 8, 4, 0xffffffff):                  tensor.ErrMalformed,
		stream(continuation, 4, 1<<30) + strings.Repeat("a", 8): tensor.ErrMalformed,
	} {
		if _, err := Open(strings.NewReader(text), int64(len(text))); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// A batch names its codec and how buffers are compressed, each by itself, or none at all.
func TestCompression(t *testing.T) {
	le := binary.LittleEndian
	batch := func(code, method byte) table {
		raw := le.AppendUint32(nil, 20)                       // the batch is at 20
		for _, n := range []uint16{12, 8, 0, 0, 0, 4, 0, 0} { // its field 3 is 4 bytes on
			raw = le.AppendUint16(raw, n)
		}
		for _, n := range []uint32{16, 12} { // its fields are listed at 4, field 3 is the table at 36
			raw = le.AppendUint32(raw, n)
		}
		for _, n := range []uint16{8, 6, 4, 5} {
			raw = le.AppendUint16(raw, n)
		}
		raw = append(le.AppendUint32(raw, 8), code, method)
		return (&flat{data: raw}).root()
	}
	for _, c := range []struct {
		batch table
		want  codec.Codec
		known bool
	}{
		{batch(0, 0), codec.LZ4Frame, true}, {batch(1, 0), codec.Zstd, true}, {batch(2, 0), 0, false},
		{batch(0, 1), 0, false}, {batch(1, 1), 0, false},
		{(&flat{data: []byte("\x08\x00\x00\x00\x04\x00\x04\x00\x04\x00\x00\x00")}).root(), codec.None, true},
	} {
		got, err := compressionOf(c.batch)
		if got != c.want || (err == nil) != c.known || !c.known && !errors.Is(err, tensor.ErrUnsupported) {
			t.Errorf("% x: %v, %v", c.batch.of.data, got, err)
		}
	}
}

// The buffers of a field before the column are passed over by their number.
func TestBuffers(t *testing.T) {
	for _, c := range []struct {
		field   field
		version int16
		want    uint64
	}{
		{field{typeID: typeInt}, 4, 2}, {field{typeID: 5}, 4, 3}, {field{typeID: 1}, 4, 0},
		{field{typeID: typeUnion}, 4, 1}, {field{typeID: typeUnion, dense: true}, 4, 2},
		{field{typeID: typeUnion, dense: true}, 3, 3}, {field{typeID: 24}, 4, 7},
		{field{typeID: 5, dictionary: true}, 4, 2},
		{field{typeID: 13, children: []field{{typeID: typeInt}, {typeID: 4}}}, 4, 6},
		{field{typeID: 12, children: []field{{typeID: 16,
			children: []field{{typeID: typeFloat}}}}}, 4, 5},
		{field{typeID: 22, children: []field{{typeID: typeInt}, {typeID: typeInt}}}, 4, 4},
	} {
		at := &cursor{version: c.version, variadic: func(uint64) uint64 { return 5 }}
		if at.pass(&c.field); at.buffers != c.want {
			t.Errorf("%+v has %d buffers, want %d", c.field, at.buffers, c.want)
		}
	}
}

// The elements of lists are a column where lists take each once and in order, and lists that are null none.
func TestLists(t *testing.T) {
	for _, c := range []struct {
		offsets []int32
		bitmap  byte
		want    int64
		kind    error
	}{
		{[]int32{0, 2, 2, 5}, 0b111, 5, nil},
		{[]int32{0, 2, 2, 5}, 0b101, 5, nil},
		{[]int32{0, 2, 2, 5}, 0b110, 0, tensor.ErrUnsupported},
		{[]int32{1, 2, 2, 5}, 0b111, 0, tensor.ErrUnsupported},
		{[]int32{0, 2, 1, 5}, 0b111, 0, tensor.ErrUnsupported},
		{[]int32{0, 2, -1, 5}, 0b111, 0, tensor.ErrUnsupported},
		{[]int32{0, 2, 2}, 0b111, 0, tensor.ErrTruncated},
	} {
		for _, kind := range []tensor.Type{tensor.Int32, tensor.Int64} {
			raw := []byte{c.bitmap}
			for _, offset := range c.offsets {
				if kind == tensor.Int32 {
					raw = binary.LittleEndian.AppendUint32(raw, uint32(offset))
				} else {
					raw = binary.LittleEndian.AppendUint64(raw, uint64(offset))
				}
			}
			size := int64(len(raw))
			f := &File{r: bytes.NewReader(raw), size: size}
			const lists, nulls = 3, 1
			got, err := f.elements(message{length: size}, kind, lists, nulls, span{0, 1}, span{1, size - 1}, codec.None)
			if got != c.want || !errors.Is(err, c.kind) {
				t.Errorf("%v of %s, nulls %b: %d, %v", c.offsets, kind.Name, c.bitmap, got, err)
			}
		}
	}
}

// What a footer claims many times of one place is refused, and so are dictionaries out of all proportion to
// their file: they would unpack without an end in sight.
func TestRepeatedMessages(t *testing.T) {
	for kind, change := range map[error]func(v *values){
		io.EOF:                func(*values) {},
		tensor.ErrMalformed:   func(v *values) { v.file.blocks = slices.Repeat(v.file.blocks, 1000) },
		tensor.ErrUnsupported: func(v *values) { v.spare = 0 },
	} {
		const column = 7
		f, v := columnartest.Column(t, "../testdata/javascript.arrow", Open, column)
		if !f.fields[column].dictionary {
			t.Fatal("a column without a dictionary")
		}
		change(v.(*values))
		columnartest.Ends(t, v, kind)
	}
}

// FuzzOpen: any bytes are columns of values, or an error of one line that wraps a sentinel.
func FuzzOpen(f *testing.F) {
	columnartest.Fuzz(f, "../testdata/*.arrow*", Open)
}
