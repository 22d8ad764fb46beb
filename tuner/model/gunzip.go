package model

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// Gunzip returns what data holds and whether it was compressed, which its first
// two bytes tell. More than most bytes, or a file that ends early, is an error.
func Gunzip(data []byte, most int64) (plain []byte, compressed bool, err error) {
	if !bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return data, false, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, true, err
	}
	plain, err = io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, true, err
	}
	if int64(len(plain)) > most {
		return nil, true, fmt.Errorf("it unpacks to more than %d bytes", most)
	}
	return plain, true, nil
}
