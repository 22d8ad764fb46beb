package probe

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFileSources: a list is one stream, a matrix two; names must differ.
func TestFileSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	list := write("list.txt", "5\n1\n5\n")
	matrix := write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 4 2\n3 1\n1 4\n")
	sources, err := fileSources([]string{list, matrix})
	if err != nil || len(sources) != 3 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	for i, want := range []struct {
		label   string
		indices []uint32
		bins    uint64
	}{{"list.txt", []uint32{5, 1, 5}, 6}, {"m.mtx@row", []uint32{0, 2}, 3}, {"m.mtx@col", []uint32{3, 0}, 4}} {
		indices, bins, err := sources[i].load()
		if err != nil || sources[i].label != want.label || !slices.Equal(indices, want.indices) || bins != want.bins {
			t.Errorf("%s: %v of %d, %v; want %+v", sources[i].label, indices, bins, err, want)
		}
	}
	again := write("other/list.txt", "1\n")
	if _, err := fileSources([]string{list, again}); !errors.Is(err, ErrStream) {
		t.Errorf("two files of one name: error %v", err)
	}
	if _, err := fileSources([]string{"-"}); !errors.Is(err, ErrStream) {
		t.Errorf("standard input: error %v", err)
	}
	if _, err := fileSources([]string{filepath.Join(dir, "none.txt")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}
