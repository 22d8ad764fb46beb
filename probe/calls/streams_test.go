package calls

import (
	"errors"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/internal/must"
)

// TestStreamsCoverTheSpace: a full run has valid streams that differ, of every family and number of targets.
func TestStreamsCoverTheSpace(t *testing.T) {
	seen, families, targets, updates := map[string]bool{}, map[string]int{}, map[int]int{}, 0
	for _, s := range Streams(false) {
		if _, err := s.Complete(); err != nil || s.N < 1<<18 || s.N > 1<<25 || s.K > 1<<24 || seen[s.String()] {
			t.Errorf("%s: %v", s, err)
		}
		seen[s.String()] = true
		families[s.Family]++
		targets[bits.Len32(s.K-1)]++
		updates += s.N
	}
	for _, f := range synth.Families() {
		if families[f.Name] < 4 {
			t.Errorf("%d streams of family %s", families[f.Name], f.Name)
		}
	}
	for power := range 25 {
		if targets[power] < 3 {
			t.Errorf("%d streams of about 2^%d targets", targets[power], power)
		}
	}
	if updates > 1<<30 {
		t.Errorf("%d updates in all: a run would take long", updates)
	}
}

// TestDrawnStreams: as many as are asked for, all different and valid, of every family,
// the same from the same seed and others from another.
func TestDrawnStreams(t *testing.T) {
	list := drawSpecs(200, 7)
	seen, families := map[string]bool{}, map[string]bool{}
	for _, s := range list {
		if _, err := s.Complete(); err != nil || s.N < 1<<18 || s.N > 1<<23 || seen[s.String()] {
			t.Errorf("%s: %v", s, err)
		}
		seen[s.String()], families[s.Family] = true, true
	}
	if len(list) != 200 || len(families) != len(synth.Families()) {
		t.Errorf("%d streams of %d families", len(list), len(families))
	}
	same := 0
	for _, s := range drawSpecs(200, 8) {
		if seen[s.String()] {
			same++
		}
	}
	for _, s := range drawSpecs(200, 7) {
		if !seen[s.String()] {
			t.Errorf("%s is not drawn again", s)
		}
	}
	if same > 0 {
		t.Errorf("%d streams of another seed are the same", same)
	}
}

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
