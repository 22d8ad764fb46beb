package gzipped

import (
	"bytes"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

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
