package codec

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// compressed is a text in every codec.
func compressed(t testing.TB, text []byte) map[Codec][]byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, lz4.CompressBlockBound(len(text)))
	n, err := lz4.CompressBlock(text, block, nil)
	if err != nil {
		t.Fatal(err)
	}
	stream := func(w io.WriteCloser, b *bytes.Buffer) []byte {
		_, err := w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var g, l bytes.Buffer
	return map[Codec][]byte{
		None: text, Snappy: snappy.Encode(nil, text), Zstd: z.EncodeAll(text, nil),
		LZ4Block: block[:n], Gzip: stream(gzip.NewWriter(&g), &g),
		LZ4Frame: stream(lz4.NewWriter(&l), &l),
	}
}

func TestDecode(t *testing.T) {
	text := []byte(strings.Repeat("a stream of indices, ", 1000))
	all := compressed(t, text)
	if len(all) != 6 {
		t.Errorf("%d codecs", len(all))
	}
	for c, data := range all {
		got, err := c.Decode(data, len(text))
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%v: %d bytes, %v", c, len(got), err)
		}
		for _, length := range []int{len(text) - 1, len(text) + 1, 1 << 40} {
			if _, err := c.Decode(data, length); !errors.Is(err, ErrLength) &&
				!(c == LZ4Block && length < len(text) && errors.Is(err, lz4.ErrInvalidSourceShortBuffer)) {
				t.Errorf("%v of %d bytes as %d: %v", c, len(text), length, err)
			}
		}
		if _, err := c.Decode(data[:len(data)/2], len(text)); err == nil {
			t.Errorf("%v: half of it decodes", c)
		}
	}
	for _, c := range []Codec{Gzip, LZ4Frame, Zstd} {
		r, err := c.Reader(bytes.NewReader(all[c]))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%v: %d bytes, %v", c, len(got), err)
		}
	}
	if _, err := Snappy.Reader(nil); err == nil {
		t.Error("a block of Snappy is read as a stream")
	}
}
