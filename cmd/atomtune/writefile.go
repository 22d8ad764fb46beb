package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// writable returns an error where the folder of a path that is not empty does
// not exist, or the path is a folder itself: better now than after hours of
// work.
func writable(path string) error {
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
