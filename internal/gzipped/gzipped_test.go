package gzipped

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// TestRead: a limit that no flag changes holds for what is packed too, and the error names the file and says
// what to do.
func TestRead(t *testing.T) {
	want := bytes.Repeat([]byte("row\n"), 1000)
	packed, err := Pack(want)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"plain": want, "packed": packed} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(path, int64(len(want))); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		_, err := Read(path, int64(len(want)-1))
		if !errors.Is(err, wholefile.ErrLarge) || !strings.HasPrefix(err.Error(), path+": too large: it ") ||
			!strings.HasSuffix(err.Error(), "more than 3999 bytes, and the limit is fixed: name a smaller file") {
			t.Errorf("%s: %v", name, err)
		}
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
