// Package wholefile writes files so that their paths never hold half of one.
package wholefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// process is what this process has under way, and which files it has written.
var process struct {
	sync.Mutex
	temporary map[string]bool
	written   []string
}

// Write writes a file under a temporary name in the same folder and then
// renames it, so that the path never holds half a file.
func Write(path string, content []byte) (err error) {
	f, err := create(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(f.Name())))
			forget(f.Name())
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return rename(f.Name(), path)
}

// create makes the temporary file.
func create(path string) (*os.File, error) {
	process.Lock()
	defer process.Unlock()
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err == nil {
		note(f.Name())
	}
	return f, err
}

func rename(temporary, path string) error {
	process.Lock()
	defer process.Unlock()
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	delete(process.temporary, temporary)
	if !slices.Contains(process.written, path) && !within(path) {
		process.written = append(process.written, path)
	}
	return nil
}

// within reports whether a file lies in a temporary folder.
func within(path string) bool {
	for folder := range process.temporary {
		if strings.HasPrefix(path, folder+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

func note(path string) {
	if process.temporary == nil {
		process.temporary = map[string]bool{}
	}
	process.temporary[path] = true
}

func forget(path string) {
	process.Lock()
	defer process.Unlock()
	delete(process.temporary, path)
}

// Temporary says that a file or folder is there for this process alone: End removes it, unless it has
// been forgotten before.
func Temporary(path string) (forgotten func()) {
	process.Lock()
	defer process.Unlock()
	note(path)
	return func() { forget(path) }
}

// Written lists the files that this process has written, but in temporary folders, in the order of
// the first time.
func Written() []string {
	process.Lock()
	defer process.Unlock()
	return slices.Clone(process.written)
}

// End removes the files of this process that are not finished, and returns what it has written. From
// then on Write waits for the end of the process.
func End() []string {
	process.Lock()
	for path := range process.temporary {
		os.RemoveAll(path) // nobody is left to be told
	}
	return process.written
}

// Writable returns an error where the folder of a path that is not empty does not exist, or the
// path is a folder itself: better now than after hours of work.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("writing %s: it is a directory", path)
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
