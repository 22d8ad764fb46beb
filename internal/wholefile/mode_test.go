//go:build unix

package wholefile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// TestMode: a new file is 0644 less the umask, and one that is replaced stays as private as it was.
func TestMode(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		umask     int
		old, want fs.FileMode // old: of the file that is there, 0 for none
	}{
		{0, 0, 0o644}, {0o022, 0, 0o644}, {0o077, 0, 0o600}, {0o027, 0, 0o640},
		{0o022, 0o600, 0o600}, {0o077, 0o664, 0o664},
	} {
		path := filepath.Join(folder, "file")
		must.Do(t, os.RemoveAll(path))
		if c.old != 0 {
			must.Do(t, os.WriteFile(path, nil, 0o600))
			must.Do(t, os.Chmod(path, c.old))
		}
		before := syscall.Umask(c.umask)
		err := Write(path, []byte("content"))
		syscall.Umask(before)
		if err != nil {
			t.Fatal(err)
		}
		info := must.Get(os.Stat(path))(t)
		if got := info.Mode().Perm(); got != c.want {
			t.Errorf("umask %03o, old mode %03o: mode %03o, want %03o", c.umask, c.old, got, c.want)
		}
	}
}
