//go:build unix && !solaris && !aix

package wholefile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// TestAlone: a file is opened once at a time, whether it was there or not, keeps what it holds, and
// is written at its end. One that was renamed over is another file.
func TestAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	first := must.Get(Alone(path))(t)
	if _, err := first.Write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := Alone(path); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), path) {
		t.Errorf("a second process: %v", err)
	}
	must.Do(t, Write(path, []byte("two\n")))
	next := must.Get(Alone(path))(t)
	if _, err := next.Write([]byte("three\n")); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*File{first, next} {
		must.Do(t, f.Close())
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "two\nthree\n" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Alone(filepath.Join(path, "below")); err == nil || errors.Is(err, ErrBusy) {
		t.Errorf("below a file: %v", err)
	}
}

// TestDiscard: a file goes, unless another process is using it.
func TestDiscard(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	works := must.Get(Alone(path))(t)
	must.Do(t, Discard(path))
	if isMissing(path) {
		t.Error("the file of another was removed")
	}
	must.Do(t, works.Close())
	for range 2 { // the second time there is none
		if must.Do(t, Discard(path)); !isMissing(path) {
			t.Error("the file stays")
		}
	}
}

// TestRenamedMeanwhile: a file whose path names another one by the time of its lock is not owned.
func TestRenamedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	must.Do(t, os.Remove(path))
	if own, err := owned(f, path); own || err != nil {
		t.Errorf("removed: %v, %v", own, err)
	}
	must.Do(t, os.WriteFile(path, nil, 0o600))
	if own, err := owned(f, path); own || err != nil {
		t.Errorf("replaced: %v, %v", own, err)
	}
}

// TestAbandoned: the next write of a path removes what a killed process left, and neither the
// temporary file of a process that lives nor other files.
func TestAbandoned(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	for _, name := range []string{".out.123" + unfinished, ".out.123", ".other.1" + unfinished} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600))
	}
	lives := must.Get(temporary(path))(t)
	defer func() {
		lives.Close()
		forget(lives.Name())
	}()
	must.Do(t, Write(path, []byte("whole")))
	want := map[string]bool{"out": true, ".out.123": true, ".other.1" + unfinished: true,
		filepath.Base(lives.Name()): true}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(want) {
		t.Errorf("%v, %v", entries, err)
	}
	for _, e := range entries {
		if !want[e.Name()] {
			t.Errorf("%s is left", e.Name())
		}
	}
}

// TestWritersTogether: of writers of one path at the same time, and those who ask beforehand, none fails,
// the file is that of one of them, and nothing else stays.
func TestWritersTogether(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	var group sync.WaitGroup
	for writer := range 8 {
		content := []byte(strings.Repeat(string(rune('a'+writer)), 10000))
		group.Go(func() {
			for range 20 {
				for range 10 {
					if err := Writable(path); err != nil {
						t.Error(err)
					}
				}
				if err := Write(path, content); err != nil {
					t.Error(err)
				}
				if got, err := os.ReadFile(path); err != nil || strings.Trim(string(got), string(got[:1])) != "" {
					t.Errorf("%.20q, %v", got, err)
				}
			}
		})
	}
	group.Wait()
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestLastWrite: after a write that failed nothing is written, even where it would succeed.
func TestLastWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	f, err := Alone(path)
	if err != nil {
		t.Fatal(err)
	}
	file := f.File
	if f.File, err = os.Open(path); err != nil { // for reading alone
		t.Fatal(err)
	}
	_, first := f.Write([]byte("one\n"))
	must.Do(t, f.Close())
	f.File = file
	n, second := f.Write([]byte("two\n"))
	if first == nil || n != 0 || second != first {
		t.Errorf("%v, then %d bytes, %v", first, n, second)
	}
	must.Do(t, f.Close())
	if text, err := os.ReadFile(path); err != nil || len(text) > 0 {
		t.Errorf("%q, %v", text, err)
	}
}

// TestPlace: a link stays one, and what it leads to is written; what is not a file is refused and stays, links to nothing too.
func TestPlace(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "file"), filepath.Join(folder, "link")
	must.Do(t, os.WriteFile(path, []byte("old"), 0o600))
	if err := os.Symlink("file", link); err != nil {
		t.Skip(err)
	}
	must.Do(t, Write(link, []byte("new")))
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	nowhere, pipe, loop := filepath.Join(folder, "nowhere"), filepath.Join(folder, "pipe"), filepath.Join(folder, "loop")
	must.Do(t, os.Symlink("missing", nowhere))
	must.Do(t, os.Symlink("loop", loop))
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, other := range []string{folder, pipe, nowhere, loop} {
		for _, err := range []error{Write(other, nil), Writable(other)} {
			if err == nil || !strings.Contains(err.Error(), other) {
				t.Errorf("%s: %v", other, err)
			}
		}
	}
	for _, link := range []string{nowhere, loop} {
		if _, err := os.Readlink(link); err != nil {
			t.Errorf("a link was replaced: %v", err)
		}
	}
	if _, err := os.Lstat(filepath.Join(folder, "missing")); err == nil {
		t.Error("a link to nothing was followed")
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode().IsRegular() {
		t.Errorf("the pipe was replaced: %v", err)
	}
}
