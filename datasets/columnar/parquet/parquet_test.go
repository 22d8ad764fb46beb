package parquet

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
	"github.com/atomtune/atomtune/internal/allocation"
)

// Values before a null are given, then an error.
func TestNull(t *testing.T) {
	const gaps = 6
	f, v := columnartest.Column(t, "../testdata/rust.parquet", Open, gaps)
	if name, kind := f.Column(gaps); name != "gaps" || kind != tensor.Int32 {
		t.Errorf("column %q of %v", name, kind)
	}
	columnartest.Null(t, v, []uint64{1, 2})
}

// Every byte may be wrong: the reader gives values or an error of a known kind.
func TestFlippedBytes(t *testing.T) {
	for _, name := range []string{"rust-snappy.parquet", "rust-v2.parquet", "rust-delta.parquet"} {
		columnartest.Flipped(t, "../testdata/"+name, Open, 0)
	}
}

// A footer that promises more than there is fails before anything is allocated by it.
func TestFooters(t *testing.T) {
	footer := func(metadata string) string {
		return Magic + metadata + string(binary.LittleEndian.AppendUint32(nil, uint32(len(metadata)))) + Magic
	}
	for text, want := range map[string]error{
		"PAR1":                                 tensor.ErrTruncated,
		"PAR1aaaaaaaaaa":                       tensor.ErrTruncated,
		"PAR1aaaaaaPARE":                       tensor.ErrUnsupported,
		"PAR1\xff\xff\xff\x7fPAR1":             tensor.ErrMalformed,
		footer("\x00"):                         tensor.ErrMalformed,
		footer("\x29\xfc\xff\xff\xff\xff\x0f"): tensor.ErrMalformed,
		footer("\x18\xff\xff\xff\xff\xff\x0f"): tensor.ErrMalformed,
		footer(strings.Repeat("\x1c", 100)):    tensor.ErrMalformed,
		footer(strings.Repeat("\xff", 100)):    tensor.ErrMalformed,
	} {
		if _, err := Open(strings.NewReader(text), int64(len(text))); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// FuzzOpen: any bytes are columns of values, or an error of one line that wraps a sentinel.
func FuzzOpen(f *testing.F) {
	columnartest.Fuzz(f, "../testdata/*.parquet*", Open)
}

// What a footer claims many times of one place, or of none, is refused: it would unpack without an end in
// sight.
func TestRepeatedPages(t *testing.T) {
	for _, c := range []struct {
		change func(v *columnValues)
		kind   error
	}{
		{func(v *columnValues) { v.chunks = slices.Repeat(v.chunks, 1000) }, tensor.ErrMalformed},
		{func(v *columnValues) { v.spare = 0 }, tensor.ErrUnsupported},
		{func(v *columnValues) { // a second dictionary of a group
			var err error
			if v.pages, err = newPages(v.file, v.column, v.chunks[0]); err != nil {
				t.Fatal(err)
			}
			v.pages.entries = []byte{}
		}, tensor.ErrMalformed},
	} {
		_, v := columnartest.Column(t, "../testdata/rust-snappy.parquet", Open, 0)
		c.change(v.(*columnValues))
		columnartest.Ends(t, v, c.kind)
	}
}

// A list of more groups of rows than Parquet can number is not read to its end.
func TestGroups(t *testing.T) {
	f, _ := columnartest.Column(t, "../testdata/rust-delta.parquet", Open, 0)
	group, n := &thrift{data: f.groups[1:]}, uint64(mostGroups)
	group.skip(kindStruct)
	for ; n <= mostGroups+1; n++ {
		list := binary.AppendUvarint([]byte{0xf0 | kindStruct}, n)
		f.groups = append(list, bytes.Repeat(group.data[:group.at], int(n))...)
		_, err := f.Read(0)
		if fits := n <= mostGroups; fits != (err == nil) || !fits && !errors.Is(err, tensor.ErrMalformed) {
			t.Errorf("%d groups of rows: %v", n, err)
		}
	}
}

// A page without a value is passed over, whatever it unpacks to.
func TestPagesWithoutValues(t *testing.T) {
	page := "\x15\x00\x15\x80\x80\x80\x40\x15\x06\x2c\x15\x00\x15\x00\x00\x00abc" // 64 MiB of 3 bytes
	data := strings.Repeat(page, 10)
	p := &pages{file: &File{r: strings.NewReader(data), size: int64(len(data))}, codec: codec.Zstd,
		column: &column{kind: tensor.Int32}, end: int64(len(data)), left: 1}
	_, err := p.next(make([]uint64, 1))
	if !errors.Is(err, tensor.ErrTruncated) || err == io.EOF || p.at != int64(len(data)) {
		t.Errorf("%v at byte %d of %d", err, p.at, len(data))
	}
}

// FuzzMetadata: any bytes are headers, schemas and chunks, or malformed.
func FuzzMetadata(f *testing.F) {
	f.Add([]byte{0x15, 0, 0x15, 8, 0x15, 8, 0x2c, 0x15, 2, 0x15, 0, 0, 0}, uint8(0))
	f.Add([]byte{0x2c, 0x48, 1, 'a', 0x15, 2, 0, 0x15, 2, 0x38, 1, 'b', 0}, uint8(1))
	f.Add([]byte{0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f}, uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, way uint8) {
		r := &thrift{}
		allocation.Bound(t, len(data), func() {
			*r = thrift{data: data}
			switch way % 3 {
			case 0:
				readHeader(r)
			case 1:
				readSchema(r)
			case 2:
				readChunks(r, 0)
			}
		})
		if r.err != nil && r.err != errThrift && r.err != errShort {
			t.Error(r.err)
		}
	})
}

// FuzzValues: any bytes are values in each encoding, or too few.
func FuzzValues(f *testing.F) {
	for way := range uint8(6) {
		f.Add([]byte{2, 3, 1, 0x88, 0xc6, 0xfa}, way)
		f.Add([]byte{0x80, 1, 4, 8, 2, 1, 0, 0, 0, 0, 1, 2, 3}, way)
	}
	f.Fuzz(func(t *testing.T, data []byte, way uint8) {
		allocation.Bound(t, len(data), func() {
			var v values
			var err error
			switch way % 6 {
			case 0:
				v = &plain{data, 4}
			case 1:
				v = &split{data: data, size: 8}
			case 2:
				v, err = newDelta(data)
			case 3:
				v, err = newDictionary([]byte{7, 0, 0, 0, 8, 0, 0, 0}, 4, data)
			default:
				v = &hybrid{data: data, width: int(way) % 33}
			}
			for i := 0; i < 1<<12 && err == nil; i++ {
				_, err = v.next()
			}
			if err != nil && !errors.Is(err, errPage) {
				t.Error(err)
			}
		})
	})
}

// Groups without rows may stand anywhere; what they say of their pages does not matter.
func TestEmptyGroups(t *testing.T) {
	some, empty := []uint64{4, 0, 9}, []uint64(nil)
	for _, groups := range [][][]uint64{{empty}, {empty, some}, {some, empty}, {some, empty, empty, some}, {some, some}} {
		data := fileOf(groups)
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Read(0)
		if err != nil {
			t.Fatalf("%v: %v", groups, err)
		}
		var got []uint64
		for buf := make([]uint64, 2); err == nil; {
			var n int
			n, err = v.Next(buf)
			got = append(got, buf[:n]...)
		}
		if want := slices.Concat(groups...); err != io.EOF || !slices.Equal(got, want) {
			t.Errorf("%v: %v, %v", groups, got, err)
		}
	}
}

// fileOf is a file of one required column k of int64, plain and uncompressed, with a page for each group of rows;
// a group without any has none, nor a place.
func fileOf(groups [][]uint64) []byte {
	number := func(b []byte, head byte, n int) []byte { return binary.AppendVarint(append(b, head), int64(n)) }
	file, list, rows := []byte(Magic), []byte{}, 0
	for _, values := range groups {
		begin, at := len(file), 0
		if n := len(values); n > 0 {
			at, rows = begin, rows+n
			header := number(number([]byte{0x15, 0}, 0x15, 8*n), 0x15, 8*n)
			header = append(number(append(header, 0x2c), 0x15, n), 0x15, 0, 0x15, 6, 0x15, 6, 0, 0)
			file = append(file, header...)
			for _, v := range values {
				file = binary.LittleEndian.AppendUint64(file, v)
			}
		}
		bytes := len(file) - begin
		column := append([]byte{0x19, 0x1c, 0x3c, 0x15, 4, 0x19, 0x15, 0, 0x19, 0x18, 1, 'k', 0x15, 0}, number(nil, 0x16, len(values))...)
		column = number(number(number(column, 0x16, bytes), 0x16, bytes), 0x26, at)
		list = append(list, append(number(number(append(column, 0, 0), 0x16, bytes), 0x16, len(values)), 0)...)
	}
	footer := append([]byte{0x15, 2, 0x19, 0x2c, 0x48, 1, 's', 0x15, 2, 0, 0x15, 4, 0x25, 0, 0x18, 1, 'k', 0}, number(nil, 0x16, rows)...)
	footer = append(append(footer, 0x19, byte(len(groups))<<4|0x0c), append(list, 0)...)
	return append(binary.LittleEndian.AppendUint32(append(file, footer...), uint32(len(footer))), Magic...)
}
