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

const (
	// blockRatio is more than any block of Snappy or LZ4 expands its bytes: a byte of LZ4 stands for
	// at most 255 others.
	blockRatio = 256
	// window is the most that a frame of Zstandard may ask for; writers use up to 8 MiB.
	window = 64 << 20
)

// Decode returns the bytes of a block or a stream that is to give exactly so many.
func (c Codec) Decode(compressed []byte, length int) ([]byte, error) {
	if c == None {
		return exactly(compressed, length)
	}
	if c == Snappy || c == LZ4Block {
		if length < 0 || length/blockRatio > len(compressed) {
			return nil, fmt.Errorf("%w: %d bytes of %v cannot give %d", ErrLength, len(compressed), c,
				length)
		}
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

// block decodes a block.
func (c Codec) block(compressed []byte, length int) ([]byte, error) {
	if c == LZ4Block {
		data := make([]byte, length)
		n, err := lz4.UncompressBlock(compressed, data)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", c, err)
		}
		return exactly(data[:n], length)
	}
	n, err := snappy.DecodedLen(compressed)
	if err == nil && n != length {
		return exactly(make([]byte, 0), length)
	}
	var data []byte
	if err == nil {
		data, err = snappy.Decode(nil, compressed)
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

// Reader decompresses a stream of Gzip, LZ4Frame or Zstd.
func (c Codec) Reader(r io.Reader) (io.ReadCloser, error) {
	switch c {
	case Gzip:
		return gzip.NewReader(r)
	case LZ4Frame:
		return io.NopCloser(lz4.NewReader(r)), nil
	case Zstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("%v is no stream", c)
}
