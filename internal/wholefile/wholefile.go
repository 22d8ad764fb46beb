// Package wholefile writes files so that their paths never hold half of one, reads files that are held
// as a whole, up to a limit, changes files one process after the other, and opens files that one process
// alone works on.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file under a temporary name in the same folder and then
// renames it, so that the path never holds half a file. The mode is that of the file
// that it replaces, and otherwise 0644 less what the process's umask takes. Temporary files that
// processes left which were killed while they wrote the path are removed.
//
// A link is followed. What is neither a file nor a link to one, such as a device, a pipe or a link to nothing,
// is an error.
func Write(path string, content []byte) (err error) {
	asked := path
	defer func() { err = writing(asked, err) }()
	path, err = place(path)
	if err != nil {
		return err
	}
	f, err := temporary(path)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = abandon(f) // one that stays does no harm
		}
		f.Close() // where it has a lock, once it is renamed: without, it would be taken for abandoned
	}()
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

// writing says of an error that it came while the file or folder at path was written, without the names of
// temporary files and without naming the path again.
func writing(path string, err error) error {
	if err == nil {
		return nil
	}
	if folder := filepath.Dir(path); isMissing(folder) {
		return fmt.Errorf("writing %s: %w", path, missing(folder))
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	} else if of, ok := errors.AsType[*os.LinkError](err); ok {
		err = of.Err
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// Folder makes a folder, and those that it lies in, if need be, for this process alone: until unmake, Folder of
// the same path fails with an error that wraps ErrBusy where folders have locks. unmake removes again those
// that it made, as far as they are empty.
func Folder(path string) (unmake func(), err error) {
	var made []string
	for at := filepath.Clean(path); isMissing(at); at = filepath.Dir(at) {
		made = append(made, at)
	}
	err = os.MkdirAll(path, 0o755)
	f, opened := os.Open(path)
	if err == nil && opened == nil && errors.Is(lock(f), ErrBusy) {
		made, err = nil, fmt.Errorf("%w: wait until it ends, or name another folder", ErrBusy)
	}
	return func() {
		f.Close() // nil where it could not be opened
		for _, folder := range made {
			_ = os.Remove(folder) // one with files stays
		}
	}, writing(path, err)
}

// Writable returns an error where a path that is not empty cannot be written, since its folder does not
// exist or takes no file, or the path is a folder itself: better now than after long work.
func Writable(path string) error {
	if path == "" {
		return nil
	}
	at, err := place(path)
	if err != nil {
		return writing(path, err)
	}
	f, err := temporary(at)
	if err == nil {
		err = abandon(f)
	}
	return writing(path, err)
}

// missing is the error of a folder that there is not.
type missing string

func (m missing) Error() string { return "no such folder: " + string(m) }
func (missing) Unwrap() error   { return fs.ErrNotExist }

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// place returns where a file of that path lies, behind links; something else is not replaced.
func place(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil && isLink(path):
		return path, errors.New("it is a broken link")
	case err != nil: // there is none yet, or writing it says what is wrong
		return path, nil
	case info.IsDir():
		return path, errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return path, errors.New("it is not a regular file but a device, a pipe or similar")
	}
	return filepath.EvalSymlinks(path)
}
