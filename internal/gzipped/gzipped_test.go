package gzipped

import (
	"bytes"
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// TestUnpackBound: as many bytes as allowed are unpacked, one more is an error.
func TestUnpackBound(t *testing.T) {
	want := bytes.Repeat([]byte("row\n"), 1000)
	packed := must.Get(Pack(want))(t)
	got, compressed, err := Unpack(packed, int64(len(want)))
	if err != nil || !compressed || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, compressed %v, %v", len(got), compressed, err)
	}
	_, _, fixed := Unpack(packed, int64(len(want))-1)
	_, _, open := UnpackFrom(packed, int64(len(want))-1)
	if !errors.Is(fixed, wholefile.ErrLarge) || !errors.Is(open, wholefile.ErrLarge) || fixed.Error() == open.Error() {
		t.Errorf("one byte more: %v, and where a flag sets the limit %v", fixed, open)
	}
	if got, compressed, err := Unpack(want, 1); err != nil || compressed ||
		!bytes.Equal(got, want) {
		t.Errorf("plain data: %d bytes, compressed %v, %v", len(got), compressed, err)
	}
}
