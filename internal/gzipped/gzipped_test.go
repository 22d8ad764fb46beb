package gzipped

import (
	"bytes"
	"errors"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
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

// FuzzUnpack: what is unpacked is as long as it may be at most and packs again, and what is not
// packed stays.
func FuzzUnpack(f *testing.F) {
	packed, err := Pack(bytes.Repeat([]byte("index "), 100))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed, uint16(600))
	f.Add(packed, uint16(599))
	f.Add([]byte("plain"), uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, most uint16) {
		var plain []byte
		var packed bool
		var err error
		allocation.Bound(t, max(len(data), int(most)), func() { plain, packed, err = Unpack(data, int64(most)) })
		if !packed {
			if err != nil || !bytes.Equal(plain, data) {
				t.Fatalf("%q is %q, %v", data, plain, err)
			}
			return
		}
		if err != nil {
			return
		}
		again, err := Pack(plain)
		if err != nil || len(plain) > int(most) {
			t.Fatalf("%d bytes, at most %d: %v", len(plain), most, err)
		}
		if back, _, err := Unpack(again, int64(most)); err != nil || !bytes.Equal(back, plain) {
			t.Fatalf("%q is %q, %v", plain, back, err)
		}
	})
}
