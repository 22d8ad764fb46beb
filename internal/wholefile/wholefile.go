// Package wholefile writes files so that their paths never hold half of one.
package wholefile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write writes a file under a temporary name in the same folder and then
// renames it, so that the path never holds half a file. The mode is that of the file
// that it replaces, and otherwise 0644 less what the process's umask takes.
func Write(path string, content []byte) (err error) {
	f, err := create(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// create creates the temporary file of a path, with its mode before anything is in it. O_EXCL
// refuses a name that is taken, by a link too.
func create(path string) (*os.File, error) {
	name := fmt.Sprintf(".%s.%x.unfinished", filepath.Base(path), rand.Uint64())
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), fresh, 0o644)
	if err != nil {
		return nil, err
	}
	if old, wrong := os.Lstat(path); wrong == nil && old.Mode().IsRegular() {
		err = f.Chmod(old.Mode().Perm())
	}
	if err != nil {
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, err
}

// Writable returns an error where the folder of a path that is not empty does not exist, or the
// path is a folder itself: better now than after long work.
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
