package wholefile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// unfinished ends the names of temporary files.
const unfinished = ".unfinished"

func prefix(path string) string { return "." + filepath.Base(path) + "." }

// temporary makes a temporary file for a path, with its mode before anything is in it. Its lock tells others
// that its process lives.
func temporary(path string) (*os.File, error) {
	removeAbandoned(path)
	for {
		f, err := create(path)
		if err != nil {
			return nil, err
		}
		if old, wrong := os.Lstat(path); wrong == nil && old.Mode().IsRegular() {
			err = f.Chmod(old.Mode().Perm())
		}
		if err != nil {
			return nil, errors.Join(err, abandon(f))
		}
		if own, _ := owned(f, f.Name()); own {
			return f, nil
		}
		f.Close() // another process took it for abandoned before it was locked
		forget(f.Name())
	}
}

// create creates a file under a new name. O_EXCL refuses one that is taken, by a link too.
func create(path string) (*os.File, error) {
	process.Lock()
	defer process.Unlock()
	name := fmt.Sprintf("%s%x%s", prefix(path), rand.Uint64(), unfinished)
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		process.temporary[f.Name()] = true
	}
	return f, err
}

func abandon(f *os.File) error {
	defer forget(f.Name())
	return discard(f)
}

// discard removes a file that this process has locked, and only then drops its lock: without one another
// takes a temporary file for abandoned, and a checkpoint for its own. Where an open file cannot be removed,
// none is locked.
func discard(f *os.File) error {
	if renamesOpen {
		return errors.Join(os.Remove(f.Name()), f.Close())
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// removeAbandoned removes the temporary files of a path that no process has locked.
func removeAbandoned(path string) {
	folder := filepath.Dir(path)
	entries, _ := os.ReadDir(folder) // a folder that cannot be read may yet be written
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix(path)) && strings.HasSuffix(e.Name(), unfinished) {
			if f, err := os.OpenFile(filepath.Join(folder, e.Name()), os.O_WRONLY, 0); err == nil {
				if lock(f) == nil {
					_ = os.Remove(f.Name()) // one that stays does no harm
				}
				f.Close()
			}
		}
	}
}
