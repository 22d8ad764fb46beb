package gzipped

import (
	"bytes"
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// TestFixed: an error of a limit that no flag changes says what to do; UnpackFrom leaves it to its caller.
func TestFixed(t *testing.T) {
	packed, err := Pack(make([]byte, 1000))
	if err != nil {
		t.Fatal(err)
	}
	const large = "too large: it unpacks to more than 999 bytes"
	if _, _, err := UnpackFrom(packed, 999); !errors.Is(err, wholefile.ErrLarge) || err.Error() != large {
		t.Errorf("%v", err)
	}
	_, _, err = Unpack(packed, 999)
	if !errors.Is(err, wholefile.ErrLarge) || err.Error() != large+", and the limit is fixed: name a smaller file" {
		t.Errorf("%v", err)
	}
}

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
