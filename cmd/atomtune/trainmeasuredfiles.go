package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// inFolder is a file of a folder, without the .gz behind its name where only that
// is there.
func inFolder(folder, name string) string {
	packed := filepath.Join(folder, name)
	plain := strings.TrimSuffix(packed, ".gz")
	if _, err := os.Stat(packed); errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(plain); err == nil {
			return plain
		}
	}
	return packed
}

// sameGPU reports whether a GPU is the one of the profile's title, or not known.
// Some drivers put the maker before the name and others do not.
func sameGPU(gpu, title string) bool {
	bare := func(name string) string { return strings.TrimPrefix(strings.ToLower(name), "nvidia ") }
	return gpu == "" || bare(gpu) == bare(title)
}
