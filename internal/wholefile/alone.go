package wholefile

import (
	"errors"
	"fmt"
	"os"
)

// ErrBusy reports a file that another process works on.
var ErrBusy = errors.New("another process is using it")

// File is a file that one process alone works on.
type File struct {
	*os.File
	failed error
}

// Write appends to the file. A write that fails is the last: a further one would stand behind half a
// line where the disk was full for a while.
func (f *File) Write(p []byte) (n int, err error) {
	if f.failed == nil {
		n, f.failed = f.File.Write(p)
	}
	return n, f.failed
}

// Remove removes the file and closes it, so that nobody can open it in between.
func (f *File) Remove() error { return discard(f.File) }

// Alone opens or makes the file at path for reading and appending. Until it is closed, or the
// process ends in whatever way, Alone on the same path fails with an error that wraps ErrBusy and
// names the path. Where files have no locks, nobody is refused.
func Alone(path string) (*File, error) {
	for {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
		if err != nil {
			return nil, err
		}
		switch own, err := owned(f, path); {
		case own:
			return &File{File: f}, nil
		case err != nil:
			f.Close() // nothing was written
			return nil, fmt.Errorf("%s: %w: wait until it ends, or name another file", path, err)
		}
		f.Close() // it was renamed or removed meanwhile
	}
}

// Discard removes the file at path, unless another process is using it.
func Discard(path string) error {
	f, err := Alone(path)
	switch {
	case errors.Is(err, ErrBusy):
		return nil
	case err != nil:
		return err
	}
	return f.Remove()
}

// owned locks an open file, and reports whether it is the one at path; ErrBusy: another process has it.
func owned(f *os.File, path string) (bool, error) {
	if err := lock(f); errors.Is(err, ErrBusy) {
		return false, err
	} else if err != nil {
		return true, nil // nobody can tell
	}
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(opened, there), nil
}
