// Package wholefile writes files so that their paths never hold half of one, reads files that are held
// as a whole, up to a limit, and opens files that one process alone works on.
package wholefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write writes a file under a temporary name in the same folder and then
// renames it, so that the path never holds half a file. The mode is that of the file
// that it replaces, and otherwise 0644 less what the process's umask takes. Temporary files that
// processes left which were killed while they wrote the path are removed.
//
// A link is followed. What is neither a file nor a link to one, such as a device or a pipe, is an error.
func Write(path string, content []byte) (err error) {
	path, err = place(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	f, err := temporary(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("writing %s: %w", path, errors.Join(err, os.Remove(f.Name())))
			forget(f.Name())
		}
	}()
	defer f.Close() // where it has a lock, once it is renamed: without, it would be taken for abandoned
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if !renamesOpen {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return err
	}
	return rename(f.Name(), path)
}

// Writable returns an error where a path that is not empty cannot be written, since its folder does not
// exist or takes no file, or the path is a folder itself: better now than after long work.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	path, err := place(path)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	f, err := temporary(path)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
		forget(f.Name())
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// place returns where a file of that path lies, behind links, and refuses to put one in the place of
// something else.
func place(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil: // there is none yet, or writing it says what is wrong
		return path, nil
	case info.IsDir():
		return path, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return path, errors.New("it is no file, but a device, a pipe or the like")
	}
	return filepath.EvalSymlinks(path)
}
