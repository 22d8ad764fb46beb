package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/columnar/codec"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// readAll reads a column in pieces.
func readAll(data []byte, column int) (all []uint64, err error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if column >= f.Len() {
		return nil, ErrMalformed // a flipped byte made them fewer
	}
	if _, kind := f.Column(column); kind.Kind == tensor.Other {
		return nil, ErrUnsupported
	}
	v, err := f.Read(column)
	if err != nil {
		return nil, err
	}
	buf := make([]uint64, 7)
	for {
		n, err := v.Next(buf)
		all = append(all, buf[:n]...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Values before a null are given; the null is named each time it is asked for.
func TestNull(t *testing.T) {
	data := file(t, "go-zstd.arrow")
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	const key = 2
	if name, kind := f.Column(key); name != "key" || kind != tensor.Int32 {
		t.Errorf("column %q of %v", name, kind)
	}
	v, err := f.Read(key)
	if err != nil {
		t.Fatal(err)
	}
	buf, n := make([]uint64, 100), 0
	for n < 70 {
		more, err := v.Next(buf[n:])
		if n += more; err != nil || more == 0 {
			t.Fatalf("%d values, %v", n, err)
		}
	}
	for i, got := range buf[:n] {
		if want := uint64(i * i % 23); got != want {
			t.Errorf("row %d is %d, want %d", i, got, want)
		}
	}
	for range 2 {
		n, err := v.Next(buf)
		if n != 0 || !errors.Is(err, ErrNull) || err.Error() != "row 70: null" {
			t.Errorf("%d values, %v", n, err)
		}
	}
}

// Every byte may be wrong: the reader gives values or an error of a known kind.
func TestFlippedBytes(t *testing.T) {
	wrong := 0
	for name, column := range map[string]int{"javascript.arrow": 7, "javascript.arrows": 7,
		"go-lz4.arrow": 2, "go-zstd.arrow": 2} {
		data := file(t, name)
		for i := range data {
			broken := bytes.Clone(data)
			broken[i] ^= 0x55
			_, err := readAll(broken, column)
			if err == nil {
				continue
			}
			wrong++
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTruncated) &&
				!errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrNull) {
				t.Errorf("%s, byte %d: %v", name, i, err)
			}
		}
	}
	if wrong < 100 {
		t.Errorf("only %d flipped bytes were noticed", wrong)
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
	for text, want := range map[string]string{
		"ARRO":                     "malformed arrow: a message with 1330795073 bytes of metadata",
		"ARR":                      "truncated arrow: it ends within a message",
		Magic + "\x00\x00aaaaaaaa": "truncated arrow: it does not end with ARROW1",
		Magic + "\x00\x00\xff\xff\xff\x00" + Magic: "malformed arrow: a footer of 16777215 bytes",
		stream(continuation, 1<<31): "malformed arrow: a message with " +
			"2147483648 bytes of metadata",
		stream(continuation, 1<<20):            "truncated arrow: it ends within a message",
		stream(continuation, 0):                "malformed arrow: it does not begin with a schema",
		stream(continuation, 8, 4, 0xffffffff): "malformed arrow: a message's metadata",
		"":                                     "malformed arrow: it does not begin with a schema",
		stream(continuation, 4, 1<<30) + strings.Repeat("a", 8): "malformed arrow: a message's metadata",
	} {
		_, err := Open(strings.NewReader(text), int64(len(text)))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
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
		if got != c.want || (err == nil) != c.known || !c.known && !errors.Is(err, ErrUnsupported) {
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
		{field{typeID: typeInt}, 4, 2}, {field{typeID: typeUtf8}, 4, 3}, {field{typeID: typeNull}, 4, 0},
		{field{typeID: typeUnion}, 4, 1}, {field{typeID: typeUnion, dense: true}, 4, 2},
		{field{typeID: typeUnion, dense: true}, 3, 3}, {field{typeID: typeUtf8View}, 4, 7},
		{field{typeID: typeUtf8, dictionary: true}, 4, 2},
		{field{typeID: typeStruct, children: []field{{typeID: typeInt}, {typeID: typeBinary}}}, 4, 6},
		{field{typeID: typeList, children: []field{{typeID: typeFixedSizeList,
			children: []field{{typeID: typeFloat}}}}}, 4, 5},
		{field{typeID: typeRunEndEncoded, children: []field{{typeID: typeInt}, {typeID: typeInt}}}, 4, 4},
	} {
		at := &cursor{version: c.version, variadic: func(uint64) uint64 { return 5 }}
		if at.pass(&c.field); at.buffers != c.want {
			t.Errorf("%+v has %d buffers, want %d", c.field, at.buffers, c.want)
		}
	}
}
