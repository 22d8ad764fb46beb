// Package wholefile writes files so that their paths never hold half of one, and opens files that
// one process alone works on.
package wholefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Write writes a file under a temporary name in the same folder and then
// renames it, so that the path never holds half a file. Temporary files that processes left
// which were killed while they wrote the path are removed.
func Write(path string, content []byte) (err error) {
	f, err := temporary(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	defer f.Close() // where it has a lock, once it is renamed: without, it would be taken for abandoned
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if !renamesOpen {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// unfinished ends the names of temporary files.
const unfinished = ".unfinished"

// temporary makes a temporary file for a path. Its lock tells others that its process lives.
func temporary(path string) (*os.File, error) {
	folder, prefix := filepath.Dir(path), "."+filepath.Base(path)+"."
	entries, _ := os.ReadDir(folder) // a folder that cannot be read may yet be written
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), unfinished) {
			removeAbandoned(filepath.Join(folder, e.Name()))
		}
	}
	for {
		f, err := os.CreateTemp(folder, prefix+"*"+unfinished)
		if err != nil {
			return nil, err
		}
		if own, _ := owned(f, f.Name()); own {
			return f, nil
		}
		f.Close() // another process took it for abandoned before it was locked
	}
}

// removeAbandoned removes a file that no process has locked.
func removeAbandoned(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == nil {
		_ = os.Remove(path) // one that stays does no harm
	}
}

// Writable returns an error where a path that is not empty cannot be written, since its folder does not
// exist or takes no file, or the path is a folder itself: better now than after hours of work.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("writing %s: it is a directory", path)
	}
	f, err := temporary(path)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
