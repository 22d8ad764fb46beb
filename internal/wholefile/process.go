package wholefile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// process is what this process has under way, and which files it has written.
var process = struct {
	sync.Mutex
	temporary map[string]bool
	written   []string
}{temporary: map[string]bool{}}

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

func within(path string) bool {
	for folder := range process.temporary {
		if strings.HasPrefix(path, folder+string(filepath.Separator)) {
			return true
		}
	}
	return false
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
	process.temporary[path] = true
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
