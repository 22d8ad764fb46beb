//go:build unix && !solaris && !aix

package wholefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// TestChangesTogether: of threads that change one file by two names no change is lost.
func TestChangesTogether(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	must.Do(t, os.WriteFile(path, []byte("0\n"), 0o600))
	must.Do(t, os.Symlink("file", link))
	var group sync.WaitGroup
	for thread := range 8 {
		group.Go(func() {
			for i := range 5 {
				name := []string{path, link}[i%2]
				if err := Change(name, 1<<10, func(old []byte) ([]byte, error) {
					return fmt.Appendf(old, "%d %d\n", thread, i), nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if text, err := os.ReadFile(path); err != nil || strings.Count(string(text), "\n") != 41 {
		t.Errorf("%v, and the file is\n%s", err, text)
	}
	must.Do(t, os.WriteFile(link+"2", nil, 0o644))
	lock, other := must.Get(os.Stat(path+".lock"))(t), must.Get(os.Stat(link+"2"))(t)
	if lock.Mode() != other.Mode() {
		t.Errorf("the lock has mode %v, so that other users cannot lock the file, want %v", lock.Mode(), other.Mode())
	}
}

// TestRefusedChange: what cannot be changed stays, the error is that of the reason, and the lock is free again.
func TestRefusedChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	refused := errors.New("refused")
	for _, c := range []struct {
		content string // before
		most    int64
		change  func([]byte) ([]byte, error)
		want    error
	}{
		{"old", 10, func([]byte) ([]byte, error) { return nil, refused }, refused},
		{"old", 2, func([]byte) ([]byte, error) { return nil, nil }, ErrLarge},
		{"old", 3, func(old []byte) ([]byte, error) { return append(old, '\n'), nil }, ErrLarge},
	} {
		must.Do(t, os.WriteFile(path, []byte(c.content), 0o600))
		if err := Change(path, c.most, c.change); !errors.Is(err, c.want) {
			t.Errorf("%v, want %v", err, c.want)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != c.content {
			t.Errorf("%q, %v", text, err)
		}
	}
	if err := Change(path+"/below", 10, nil); err == nil {
		t.Error("a file below a file was changed")
	}
	must.Do(t, Change(path, 10, func([]byte) ([]byte, error) { return []byte("new"), nil }))
}
