package wholefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// TestWrite: a file holds what was written last, a path that cannot be written
// is named, before the work as well, and no temporary file stays behind.
func TestWrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	for _, content := range []string{"first", "second"} {
		must.Do(t, Write(path, []byte(content)))
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v, want %q", got, err, content)
		}
	}
	taken := filepath.Join(folder, "taken")
	must.Do(t, os.Mkdir(taken, 0o755))
	for _, bad := range []string{taken, filepath.Join(folder, "missing", "file"), filepath.Join(path, "file"),
		filepath.Join("/dev/null", "file"), "/proc/file"} {
		for _, err := range []error{Write(bad, nil), Writable(bad)} {
			if err == nil || !strings.Contains(err.Error(), bad) {
				t.Errorf("%s: %v", bad, err)
			}
		}
	}
	for _, good := range []string{"", path, filepath.Join(folder, "new")} {
		if err := Writable(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 2 {
		t.Errorf("%v, %v, want file and taken alone", left, err)
	}
}

// TestFolder: folders that were made go again while they are empty, and others stay.
func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	unmake := must.Get(Folder("a/b/c"))(t)
	again, err := Folder("a/b/c")
	if locked := errors.Is(err, ErrBusy); locked != renamesOpen || err != nil && !locked {
		t.Errorf("a folder in use: %v", err)
	}
	if again(); isMissing("a/b/c") {
		t.Error("a folder that was there was removed")
	}
	other := must.Get(Folder("a/b"))(t)
	other()
	must.Get(Folder("a/b"))(t)()
	must.Do(t, os.WriteFile("a/file", nil, 0o644))
	if unmake(); !isMissing("a/b") || isMissing("a/file") {
		t.Error("empty folders stay, or others go")
	}
}

// TestTemporary: files in a temporary folder do not count as written, others do, once.
func TestTemporary(t *testing.T) {
	folder, temporary := t.TempDir(), t.TempDir()
	forgotten := Temporary(temporary)
	path := filepath.Join(folder, "file")
	for _, to := range []string{filepath.Join(temporary, "file"), path, path} {
		must.Do(t, Write(to, nil))
	}
	forgotten()
	written := Written()
	if n := len(written); written[n-1] != path || slices.Contains(written[:n-1], path) ||
		slices.ContainsFunc(written, func(p string) bool { return strings.HasPrefix(p, temporary) }) {
		t.Errorf("%q are written", written)
	}
	if len(process.temporary) > 0 {
		t.Errorf("%v stay", process.temporary)
	}
}

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
