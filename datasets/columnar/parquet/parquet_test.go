package parquet

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/columnar/columnartest"
	"github.com/atomtune/atomtune/datasets/tensor"
)

// Values before a null are given; the null is named each time it is asked for.
func TestNull(t *testing.T) {
	const gaps = 6
	f, v := columnartest.Column(t, "../testdata/rust.parquet", Open, gaps)
	if name, kind := f.Column(gaps); name != "gaps" || kind != tensor.Int32 {
		t.Errorf("column %q of %v", name, kind)
	}
	columnartest.Null(t, v, []uint64{1, 2}, ErrNull, "row 2")
}

// Every byte may be wrong: the reader gives values or an error of a known kind.
func TestFlippedBytes(t *testing.T) {
	for _, name := range []string{"rust-snappy.parquet", "rust-v2.parquet", "rust-delta.parquet"} {
		columnartest.Flipped(t, "../testdata/"+name, Open, 0, ErrMalformed, ErrTruncated, ErrUnsupported, ErrNull)
	}
}

// A footer that promises more than there is fails before anything is allocated by it.
func TestFooters(t *testing.T) {
	footer := func(metadata string) string {
		return Magic + metadata + string(binary.LittleEndian.AppendUint32(nil, uint32(len(metadata)))) + Magic
	}
	for text, want := range map[string]error{
		"PAR1":                                 ErrTruncated,
		"PAR1aaaaaaaaaa":                       ErrTruncated,
		"PAR1aaaaaaPARE":                       ErrUnsupported,
		"PAR1\xff\xff\xff\x7fPAR1":             ErrMalformed,
		footer("\x00"):                         ErrMalformed,
		footer("\x29\xfc\xff\xff\xff\xff\x0f"): ErrMalformed,
		footer("\x18\xff\xff\xff\xff\xff\x0f"): ErrMalformed,
		footer(strings.Repeat("\x1c", 100)):    ErrMalformed,
		footer(strings.Repeat("\xff", 100)):    ErrMalformed,
	} {
		if _, err := Open(strings.NewReader(text), int64(len(text))); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// FuzzOpen: any bytes are columns of values, or an error of one line that wraps a sentinel.
func FuzzOpen(f *testing.F) {
	columnartest.Fuzz(f, "../testdata/*.parquet*", Open, ErrMalformed, ErrTruncated, ErrUnsupported, ErrNull)
}
