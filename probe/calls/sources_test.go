package calls

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/probe/job"
)

// TestFileSources: a list is one stream, a matrix two; names must differ.
func TestFileSources(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	list := write("list.txt", "5\n1\n5\n")
	matrix := write("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 4 2\n3 1\n1 4\n")
	sources, err := appendFiles(nil, []string{list, matrix})
	if err != nil || len(sources) != 3 {
		t.Fatalf("%d sources, %v", len(sources), err)
	}
	for i, want := range []struct {
		label   string
		indices []uint32
		bins    uint64
	}{{"list.txt", []uint32{5, 1, 5}, 6}, {"m.mtx@row", []uint32{0, 2}, 3},
		{"m.mtx@col", []uint32{3, 0}, 4}} {
		indices, bins, err := sources[i].load()
		if err != nil || sources[i].label != want.label || !slices.Equal(indices, want.indices) ||
			bins != want.bins {
			t.Errorf("%s: %v of %d, %v; want %+v", sources[i].label, indices, bins, err, want)
		}
	}
	if sources[0].updates != job.UnknownUpdates || sources[1].content != sources[2].content ||
		sources[0].content == sources[1].content {
		t.Errorf("%+v", sources)
	}
	again := write("other/list.txt", "1\n")
	if _, err := appendFiles(nil, []string{list, again}); !errors.Is(err, ErrStream) {
		t.Errorf("two files of one name: error %v", err)
	}
	if _, err := appendFiles(nil, []string{"-"}); !errors.Is(err, ErrStream) {
		t.Errorf("standard input: error %v", err)
	}
	if _, err := appendFiles(nil, []string{filepath.Join(dir, "none.txt")}); !errors.Is(err,
		os.ErrNotExist) {
		t.Errorf("no file: error %v", err)
	}
}

// TestTooManyBins: an index beyond all bounds is an error that names the file and
// the value, before anything is allocated for the targets.
func TestTooManyBins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.txt")
	for text, fits := range map[string]bool{"0\n4294967295\n": false, "0\n268435456\n": false,
		"0\n70000\n": true} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		sources, err := appendFiles(nil, []string{path})
		if err != nil {
			t.Fatal(err)
		}
		_, err = testSuite(h200Description()).prepare(sources[0])
		value := strings.TrimSpace(text[2:])
		if fits && err != nil || !fits && (!errors.Is(err, ErrStream) ||
			!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), value)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
