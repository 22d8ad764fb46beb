package grow

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/gzipped"
)

// FuzzDecodeStreams: any file is a journal whose streams are written and read as the same, or an
// error that names it.
func FuzzDecodeStreams(f *testing.F) {
	s := tiny()
	s.Points = 8
	list, err := Collect(context.Background(), s, CollectOptions{})
	if err != nil {
		f.Fatal(err)
	}
	packed, err := EncodeStreams(s, list[:1])
	if err != nil {
		f.Fatal(err)
	}
	text, _, err := gzipped.Unpack(packed, 1<<20)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, _, _ := gzipped.Unpack(data, 1<<20)
		sweep, list, err := DecodeStreams("j", data)
		allocation.Bound(t, max(len(data), len(plain)), func() { sweep, list, err = DecodeStreams("j", data) })
		if err != nil {
			if !errors.Is(err, ErrStreams) || !strings.Contains(err.Error(), "j:") {
				t.Error(err)
			}
			return
		}
		if len(list) == 0 {
			return
		}
		once, err := EncodeStreams(sweep, list)
		if err != nil {
			t.Fatal(err)
		}
		_, again, err := DecodeStreams("j", once)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := EncodeStreams(sweep, again); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%v: %d streams are written and read as others", err, len(list))
		}
	})
}
