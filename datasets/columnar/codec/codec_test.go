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

	"github.com/atomtune/atomtune/datasets/tensor"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
)

// compressed is a text in every codec.
func compressed(t testing.TB, text []byte) map[Codec][]byte {
	t.Helper()
	z := must.Get(zstd.NewWriter(nil))(t)
	block := make([]byte, lz4.CompressBlockBound(len(text)))
	n := must.Get(lz4.CompressBlock(text, block, nil))(t)
	stream := func(w io.WriteCloser, b *bytes.Buffer) []byte {
		_, err := w.Write(text)
		must.Do(t, errors.Join(err, w.Close()))
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
			if _, err := c.Decode(data, length); !errors.Is(err, tensor.ErrMalformed) {
				t.Errorf("%v of %d bytes as %d: %v", c, len(text), length, err)
			}
		}
		if _, err := c.Decode(data[:len(data)/2], len(text)); err == nil {
			t.Errorf("%v: half of it decodes", c)
		}
	}
	for _, c := range []Codec{Gzip, LZ4Frame, Zstd} {
		r := must.Get(c.Reader(bytes.NewReader(all[c])))(t)
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%v: %d bytes, %v", c, len(got), err)
		}
	}
	if _, err := Snappy.Reader(nil); err == nil {
		t.Error("a block of Snappy is read as a stream")
	}
}

// Bytes that repeat pack about as well as a codec can: what they give is no more than Decode believes.
func TestExpansion(t *testing.T) {
	for n := range 22 {
		text := make([]byte, 1<<n)
		for c, data := range compressed(t, text) {
			if got, err := c.Decode(data, len(text)); len(data) > 0 && (err != nil || !bytes.Equal(got, text)) {
				t.Errorf("%v: %d bytes of %d, %v", c, len(got), len(text), err)
			}
		}
	}
	for block, want := range map[string]int{"\x05\x00a\x01\x01": 5, "\x05\x00a\x0e\x01\x00": 5,
		"\x05\x00a\x0f\x01\x00\x00\x00": 5, "\x02\xf0\x01ab": 2} {
		if got, err := Snappy.Decode([]byte(block), want); len(got) != want {
			t.Errorf("Snappy %q: %d bytes, want %d: %v", block, len(got), want, err)
		}
	}
}

// FuzzDecode: what decodes has the length that was asked for, and what does not takes no memory for
// bytes that are only promised, but for those that so few may give.
func FuzzDecode(f *testing.F) {
	text := []byte(strings.Repeat("indices, ", 30))
	for c, data := range compressed(f, text) {
		f.Add(uint8(c), data, uint32(len(text)))
		f.Add(uint8(c), data, uint32(1<<31))
	}
	f.Add(uint8(Snappy), []byte("\x80\x80\x80\x10\xfeab\xfeab"), uint32(1<<25))
	f.Add(uint8(LZ4Block), append(bytes.Repeat([]byte{255}, 5000), 0), uint32(1<<25))
	f.Add(uint8(Zstd), []byte("\x28\xb5\x2f\xfd\x00\x80\x19\x00\x00abc"), uint32(3))
	f.Add(uint8(Zstd), []byte("\x28\xb5\x2f\xfd\xa0\x00\x00\x00\x02\x19\x00\x00abc"), uint32(1<<25))
	f.Fuzz(func(t *testing.T, c uint8, data []byte, length uint32) {
		length %= 1 << 26 // more has no page
		codec := Codec(c) % (Zstd + 1)
		var got []byte
		var err error
		decode := func() { got, err = codec.Decode(data, int(length)) }
		decode()
		if err == nil && len(got) != int(length) || err != nil && got != nil {
			t.Fatalf("%v: %d bytes of %d: %v", codec, len(got), length, err)
		}
		if err != nil && len(data) > 0 && strings.ContainsAny(err.Error(), "\n\r") {
			t.Fatalf("the error has several lines: %q", err)
		}
		read := max(len(data), len(got))
		read = max(read, min(int(length), expands[codec]*len(data)))
		further := 0
		if codec == LZ4Frame {
			further = 2 * 4 << 20 // the largest blocks, one packed and one not
		}
		allocation.BoundBeyond(t, read, further, decode)
	})
}
