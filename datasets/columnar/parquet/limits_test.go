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
)

// What a footer claims many times of one place, or of none, is refused: it would unpack without an end in
// sight.
func TestRepeatedPages(t *testing.T) {
	for _, c := range []struct {
		change func(v *Values)
		kind   error
	}{
		{func(v *Values) { v.chunks = slices.Repeat(v.chunks, 1000) }, ErrMalformed},
		{func(v *Values) { v.spare = 0 }, ErrUnsupported},
		{func(v *Values) { // a second dictionary of a group
			var err error
			if v.pages, err = newPages(v.file, v.column, v.chunks[0]); err != nil {
				t.Fatal(err)
			}
			v.pages.entries = []byte{}
		}, ErrMalformed},
	} {
		_, v := columnartest.Column(t, "../testdata/rust-snappy.parquet", Open, 0)
		c.change(v)
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
		if fits := n <= mostGroups; fits != (err == nil) || !fits && !errors.Is(err, ErrMalformed) {
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
	if !errors.Is(err, ErrTruncated) || err == io.EOF || p.at != int64(len(data)) {
		t.Errorf("%v at byte %d of %d", err, p.at, len(data))
	}
}
