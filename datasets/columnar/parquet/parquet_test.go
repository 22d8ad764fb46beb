package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

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
	data := file(t, "rust.parquet")
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	const gaps = 6
	if name, kind := f.Column(gaps); name != "gaps" || kind != tensor.Int32 {
		t.Errorf("column %q of %v", name, kind)
	}
	v, err := f.Read(gaps)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]uint64, 10)
	if n, err := v.Next(buf); n != 2 || err != nil || buf[0] != 1 || buf[1] != 2 {
		t.Errorf("%d values %v, %v", n, buf, err)
	}
	for range 2 {
		if n, err := v.Next(buf); n != 0 || !errors.Is(err, ErrNull) || err.Error() != "row 2: null" {
			t.Errorf("%d values, %v", n, err)
		}
	}
}

// Every byte may be wrong: the reader gives values or an error of a known kind.
func TestFlippedBytes(t *testing.T) {
	wrong := 0
	for _, name := range []string{"rust-snappy.parquet", "rust-v2.parquet", "rust-delta.parquet"} {
		data := file(t, name)
		for i := range data {
			broken := bytes.Clone(data)
			broken[i] ^= 0x55
			_, err := readAll(broken, 0)
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

// A footer that promises more than there is fails before anything is allocated by it.
func TestFooters(t *testing.T) {
	footer := func(metadata string) string {
		return Magic + metadata + string(binary.LittleEndian.AppendUint32(nil,
			uint32(len(metadata)))) + Magic
	}
	for text, want := range map[string]string{
		"PAR1":                                 "truncated parquet: 4 bytes",
		"PAR1aaaaaaaaaa":                       "truncated parquet: it does not end with PAR1",
		"PAR1aaaaaaPARE":                       "unsupported parquet: its metadata is encrypted",
		"PAR1\xff\xff\xff\x7fPAR1":             "malformed parquet: metadata of 2147483647 bytes",
		footer("\x00"):                         "malformed parquet: its Thrift metadata is malformed",
		footer("\x29\xfc\xff\xff\xff\xff\x0f"): "malformed parquet: its Thrift metadata ends early",
		footer("\x18\xff\xff\xff\xff\xff\x0f"): "malformed parquet: its Thrift metadata ends early",
		footer(strings.Repeat("\x1c", 100)):    "malformed parquet: its Thrift metadata is malformed",
		footer(strings.Repeat("\xff", 100)):    "malformed parquet: its Thrift metadata is malformed",
	} {
		_, err := Open(strings.NewReader(text), int64(len(text)))
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
