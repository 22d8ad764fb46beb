package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// endless is a reader without an end that counts what is read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	e.read += int64(len(p))
	return len(p), nil
}

// TestRead: a file of as many bytes as are taken is read, a larger one is named with the limit.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	content := strings.Repeat("x", 1<<20)
	must.Do(t, os.WriteFile(path, []byte(content), 0o644))
	if got, err := Read(path, 1<<20); err != nil || string(got) != content {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	_, err := Read(path, 1<<20-1)
	if !errors.Is(err, ErrLarge) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "1048575") {
		t.Errorf("one byte more: %v", err)
	}
	if _, err := Read(path+"x", 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestEndless: of what has no end little more than the limit is read.
func TestEndless(t *testing.T) {
	var e endless
	_, err := ReadFrom(&e, "stdin", 3<<20)
	if !errors.Is(err, ErrLarge) || !strings.Contains(err.Error(), "3145728") {
		t.Error(err)
	}
	if e.read != 3<<20+1 {
		t.Errorf("%d bytes were read", e.read)
	}
	if _, err := ReadFrom(io.MultiReader(strings.NewReader("abc"), &e), "stdin", 2); !errors.Is(err, ErrLarge) {
		t.Errorf("%v", err)
	}
}
