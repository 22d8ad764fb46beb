// Package codec decompresses the pages of parquet and the buffers of arrow files. What a header
// promises is never allocated unless so many compressed bytes may give it.
package codec

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// ReadAt fills p from a place of a file, and returns short where that ends before.
func ReadAt(r io.ReaderAt, p []byte, at int64, short error) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == io.EOF {
		return short
	}
	return err
}

// Codec is a way of compression.
type Codec uint8

const (
	None     Codec = iota
	Snappy         // one block
	Gzip           // a stream, RFC 1952
	LZ4Block       // one block without a frame
	LZ4Frame       // a stream of frames
	Zstd           // a stream, RFC 8878
)

func (c Codec) String() string {
	return [...]string{"uncompressed", "snappy", "gzip", "lz4", "lz4 frame", "zstd"}[c]
}

// window is the most that a frame of Zstandard may ask for; writers use up to 8 MiB.
const window = 64 << 20

// expands is more than a byte gives: 3 of Snappy stand for up to 64, one of LZ4 for up to 255, and 4 of
// Zstandard for up to 128 KiB.
var expands = map[Codec]int{Snappy: 32, LZ4Block: 256, Zstd: 1 << 15}

// Decode returns the bytes of a block or a stream that is to give exactly so many. Errors wrap tensor.ErrMalformed.
func (c Codec) Decode(compressed []byte, length int) ([]byte, error) {
	wrong := tensor.Faultf(tensor.ErrMalformed, "%d bytes of %v do not give %d", len(compressed), c, length)
	if most := expands[c]; length < 0 || most > 0 && length/most > len(compressed) {
		return nil, wrong
	}
	if n, _ := snappy.DecodedLen(compressed); c == Snappy && n != length {
		return nil, wrong
	}
	data, err := c.decode(compressed, length)
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), err == nil && len(data) != length:
		return nil, wrong
	case err != nil:
		return nil, tensor.Faultf(tensor.ErrMalformed, "%v: %v", c, err)
	}
	return data, nil
}

// decode does so, and may return another number of bytes, but not many more.
func (c Codec) decode(compressed []byte, length int) ([]byte, error) {
	switch c {
	case None:
		return compressed, nil
	case Snappy:
		return snappy.Decode(nil, compressed)
	case LZ4Block:
		data := make([]byte, length)
		n, err := lz4.UncompressBlock(compressed, data)
		return data[:max(n, 0)], err
	case Zstd: // into what there is: a window beside it, for which a frame may ask, could be many times as large
		z, err := zstd.NewReader(nil, append(zstdOptions, zstd.WithDecodeAllCapLimit(true))...)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(compressed, make([]byte, 0, length))
	}
	r, err := c.Reader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	return io.ReadAll(io.LimitReader(r, int64(length)+1))
}

var zstdOptions = []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
	zstd.WithDecoderMaxWindow(window)}

// Reader decompresses a stream of Gzip, LZ4Frame or Zstd.
func (c Codec) Reader(r io.Reader) (io.ReadCloser, error) {
	switch c {
	case Gzip:
		return gzip.NewReader(r)
	case LZ4Frame:
		return io.NopCloser(lz4.NewReader(r)), nil
	case Zstd:
		z, err := zstd.NewReader(r, zstdOptions...)
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("%v is not a stream", c)
}
