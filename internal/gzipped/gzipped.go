// Package gzipped packs and unpacks data that may be compressed by gzip.
package gzipped

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// Is reports whether data that begins like head is compressed, by the magic bytes.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// Pack compresses data, to the same bytes for the same data.
func Pack(data []byte) ([]byte, error) {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return packed.Bytes(), err
}

// Unpack is UnpackFrom with a limit that no flag changes, which the error says.
func Unpack(data []byte, most int64) (plain []byte, packed bool, err error) {
	plain, packed, err = UnpackFrom(data, most)
	return plain, packed, wholefile.Fixed(err)
}

// UnpackFrom returns what data holds, and whether it was compressed. Content of more than most bytes, which
// wraps wholefile.ErrLarge, or that ends early, is an error.
func UnpackFrom(data []byte, most int64) (plain []byte, packed bool, err error) {
	if !Is(data) {
		return data, false, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		plain, err = io.ReadAll(io.LimitReader(r, most+1))
	}
	switch {
	case err != nil:
		return nil, true, fmt.Errorf("broken gzip: %w", err)
	case int64(len(plain)) > most:
		return nil, true, fmt.Errorf("%w: it decompresses to more than %d bytes", wholefile.ErrLarge, most)
	}
	return plain, true, nil
}
