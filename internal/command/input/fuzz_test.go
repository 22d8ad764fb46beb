package input

import (
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
)

// FuzzByteSize: a size reads as what prints as a number of bytes and reads as the same.
func FuzzByteSize(f *testing.F) {
	for _, text := range []string{"64MiB", "1.5GB", "0x10", "1e18", "-0", "NaN", "inf", "9007199254740993"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again ByteSize
		var err error
		allocation.Bound(t, len(text), func() { err = s.Set(text) })
		if err != nil {
			return
		}
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q is %s, which reads as %s, %v", text, &s, &again, err)
		}
	})
}
