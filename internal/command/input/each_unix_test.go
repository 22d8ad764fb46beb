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

// TestCutOff: a file that is cut off while several goroutines count it is an error.
func TestCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.u32")
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
	err = r.Each(func(indices []uint32) error {
		if err := os.Truncate(path, 1<<20); err != nil {
			t.Fatal(err)
		}
		return acc.Add(indices)
	})
	if !errors.Is(err, datasets.ErrTruncated) {
		t.Errorf("%v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestChanged: a file that is written while it is counted where it is in memory is an error, also where
// those who count it meet other indices than before.
func TestChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.u32")
	if err := os.WriteFile(path, make([]byte, 4<<10), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, panics := range []bool{false, true} {
		r, err := datasets.Open(path, datasets.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = r.Each(func(indices []uint32) error {
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(path, later, later); err != nil {
				t.Fatal(err)
			}
			if panics {
				_ = indices[:1][len(indices)]
			}
			return nil
		})
		if !errors.Is(err, datasets.ErrTruncated) {
			t.Errorf("panics %t: %v", panics, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}
