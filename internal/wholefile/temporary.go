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

// prefix begins the names of the temporary files of a path.
func prefix(path string) string { return "." + filepath.Base(path) + "." }

// temporary makes a temporary file for a path. Its lock tells others that its process lives.
func temporary(path string) (*os.File, error) {
	removeAbandoned(path)
	for {
		f, err := begin(path)
		if err != nil {
			return nil, err
		}
		if own, _ := owned(f, f.Name()); own {
			return f, nil
		}
		f.Close() // another process took it for abandoned before it was locked
		forget(f.Name())
	}
}

// create creates the temporary file of a path, with its mode before anything is in it. O_EXCL
// refuses a name that is taken, by a link too.
func create(path string) (*os.File, error) {
	name := fmt.Sprintf("%s%x%s", prefix(path), rand.Uint64(), unfinished)
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), fresh, 0o644)
	if err != nil {
		return nil, err
	}
	if old, wrong := os.Lstat(path); wrong == nil && old.Mode().IsRegular() {
		err = f.Chmod(old.Mode().Perm())
	}
	if err != nil {
		_ = discard(f)
	}
	return f, err
}

// discard removes a file that this process has locked, and only then drops its lock: without one another
// takes a temporary file for abandoned, and a journal for its own. Where an open file cannot be removed,
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
			removeUnlocked(filepath.Join(folder, e.Name()))
		}
	}
}

func removeUnlocked(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lock(f) == nil {
		_ = os.Remove(path) // one that stays does no harm
	}
}
