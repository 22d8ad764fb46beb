// Package codec decompresses the pages of parquet and the buffers of arrow files. What a header
// promises is never allocated before the compressed bytes have shown that it may be there.
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

// The codecs.
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

// ErrLength is wrapped where content has not the length that was promised.
var ErrLength = errors.New("wrong length of decompressed bytes")

// window is the most that a frame of Zstandard may ask for; writers use up to 8 MiB.
const window = 64 << 20

// Decode returns the bytes of a block or a stream that is to give exactly so many.
func (c Codec) Decode(compressed []byte, length int) ([]byte, error) {
	switch {
	case c == None:
		return exactly(compressed, length)
	case c == Zstd:
		return frames(compressed, length)
	case c == Snappy && snappyLength(compressed) != length, c == LZ4Block && lz4Length(compressed) != length:
		return nil, fmt.Errorf("%w: %d bytes of %v do not give %d", ErrLength, len(compressed), c, length)
	case c == Snappy || c == LZ4Block:
		return c.block(compressed, length)
	}
	r, err := c.Reader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(r, int64(length)+1))
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return exactly(data, length)
}

// zstdRatio is more than a frame of Zstandard expands its bytes: 4 may stand for 128 KiB.
const zstdRatio = 1 << 15

// frames decodes frames of Zstandard into room for length bytes. A window beside it, for which a
// frame may ask, could be many times as large.
func frames(compressed []byte, length int) ([]byte, error) {
	if length < 0 || length/zstdRatio > len(compressed) {
		return nil, fmt.Errorf("%w: %d bytes of %v do not give %d", ErrLength, len(compressed), Zstd, length)
	}
	z, err := zstd.NewReader(nil, append(zstdOptions, zstd.WithDecodeAllCapLimit(true))...)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	data, err := z.DecodeAll(compressed, make([]byte, 0, length))
	if errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		return nil, fmt.Errorf("%w: want %d", ErrLength, length)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", Zstd, err)
	}
	return exactly(data, length)
}

// block decodes a block that gives so many bytes.
func (c Codec) block(compressed []byte, length int) (data []byte, err error) {
	if c == Snappy {
		data, err = snappy.Decode(nil, compressed)
	} else {
		data = make([]byte, length)
		_, err = lz4.UncompressBlock(compressed, data)
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", c, err)
	}
	return exactly(data, length)
}

// exactly demands a length.
func exactly(data []byte, length int) ([]byte, error) {
	if len(data) != length {
		return nil, fmt.Errorf("%w: want %d", ErrLength, length)
	}
	return data, nil
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
	return nil, fmt.Errorf("%v is no stream", c)
}
