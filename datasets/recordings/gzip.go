package recordings

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// mostBytes bounds a file's content after decompression.
const mostBytes = 1 << 30

// Compress returns data in gzip, the same bytes for the same data.
func Compress(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return packed.Bytes(), nil
}

// Plain returns data as it is, or what it holds where it is in gzip. Errors
// wrap ErrRecording and give the name.
func Plain(name string, data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: unpacking: %v", ErrRecording, name, err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err == nil && len(plain) > mostBytes {
		err = fmt.Errorf("more than %d bytes", mostBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s: unpacking: %v", ErrRecording, name, err)
	}
	return plain, nil
}
