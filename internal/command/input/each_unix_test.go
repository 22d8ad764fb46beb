//go:build unix

package input

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
)

// TestChanged: a file that is cut off or written while it is counted is an error.
func TestChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.u32")
	for name, do := range map[string]func(indices []uint32) error{
		"cut off": func([]uint32) error { return os.Truncate(path, 1<<20) },
		"written": func([]uint32) error {
			later := time.Now().Add(time.Hour)
			return os.Chtimes(path, later, later)
		},
	} {
		if err := os.WriteFile(path, make([]byte, 4<<20), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := datasets.Open(path, datasets.Options{})
		if err != nil {
			t.Fatal(err)
		}
		acc, err := collision.NewAccumulator(collision.Options{Workers: 4})
		if err != nil {
			t.Fatal(err)
		}
		for indices, failed := range r.Chunks() {
			if err = failed; err == nil {
				err = errors.Join(do(indices), acc.Add(indices))
			}
			if err != nil {
				break
			}
		}
		if !errors.Is(err, datasets.ErrTruncated) || r.Close() != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
