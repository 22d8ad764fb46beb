package calls

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/microbench/job"
)

// TestReadSpecs: a list of streams, and what is wrong with one.
func TestReadSpecs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "specs.txt")
	for text, want := range map[string]string{
		"# two\nuniform:n=100,k=9,seed=1\n\n  runs:n=200,k=9,seed=1,len=3,fixed=0 # long\n": "",
		"uniform:n=100,k=9,seed=1\nunifrom:n=1,k=1":                                         "specs.txt:2: ",
		"uniform:n=100,k=9\nuniform:n=100,k=9":                                              "specs.txt:2: uniform:n=100,k=9,seed=0",
		"# none\n":                                                                          "specs.txt",
	} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		list, err := ReadSpecs(path)
		if want == "" {
			if err != nil || len(list) != 2 || list[0].N != 200 || list[1].N != 100 {
				t.Errorf("%v, %v", list, err)
			}
		} else if !errors.Is(err, ErrStream) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadSpecs(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestReference counts and sums like a map.
func TestReference(t *testing.T) {
	indices := []uint32{3, 0, 3, 3, 1, 0}
	r := newReference(indices, 5)
	sums, counts := map[uint32]uint64{}, map[uint32]uint32{}
	for u, i := range indices {
		v := valueOf(uint64(u))
		if v < 1 || v > 3 {
			t.Errorf("value %d", v)
		}
		sums[i] += uint64(v)
		counts[i]++
	}
	for k := range uint32(5) {
		if r.sums[k] != sums[k] || r.counts[k] != counts[k] {
			t.Errorf("target %d: %d of %d updates, want %d of %d", k, r.sums[k], r.counts[k], sums[k],
				counts[k])
		}
	}
	seen := [4]int{}
	for u := range uint64(30000) {
		seen[valueOf(u)]++
	}
	for v := 1; v <= 3; v++ {
		if seen[v] < 9500 || seen[v] > 10500 {
			t.Errorf("value %d comes %d times of 30000", v, seen[v])
		}
	}
}

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

// FuzzSpecs: a list of streams is of streams that differ, or an error that names its line.
func FuzzSpecs(f *testing.F) {
	f.Add("uniform:n=100,k=10 # a note\n\nzipf:n=100,k=10,seed=3\n")
	f.Add("uniform:n=100,k=10\nuniform:k=10,n=100\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseSpecs("f", text)
		// A line takes a name, a map of its parameters, and their text.
		lines := strings.Count(text, "\n") + 1
		allocation.BoundBeyond(t, len(text), lines<<11, func() { list, err = parseSpecs("f", text) })
		if err != nil {
			if !errors.Is(err, ErrStream) || !strings.Contains(err.Error(), "f:") {
				t.Error(err)
			}
			return
		}
		seen := map[string]bool{}
		for _, s := range list {
			if seen[s.String()] {
				t.Errorf("%s is given twice", s)
			}
			seen[s.String()] = true
		}
	})
}
