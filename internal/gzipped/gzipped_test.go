package gzipped

import (
	"bytes"
	"testing"
)

// TestUnpackBound: as many bytes as allowed are unpacked, one more is an error.
func TestUnpackBound(t *testing.T) {
	want := bytes.Repeat([]byte("row\n"), 1000)
	packed, err := Pack(want)
	if err != nil {
		t.Fatal(err)
	}
	got, compressed, err := Unpack(packed, int64(len(want)))
	if err != nil || !compressed || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, compressed %v, %v", len(got), compressed, err)
	}
	if got, _, err := Unpack(packed, int64(len(want))-1); err == nil {
		t.Errorf("%d bytes were unpacked, more than %d", len(got), len(want)-1)
	}
	if got, compressed, err := Unpack(want, 1); err != nil || compressed ||
		!bytes.Equal(got, want) {
		t.Errorf("plain data: %d bytes, compressed %v, %v", len(got), compressed, err)
	}
}
