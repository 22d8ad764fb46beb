package egielski14

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/hwsim/apps"
)

// TestFiles: the elements of a matrix are sorted by row, each with its column, and those off the
// diagonal of a symmetric one stand for two.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"deep/m.MTX.gz": "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n4 2 1.5\n3 3 2\n2 1 -1\n",
		"p.pgm":         "P2 3 2 15\n0 15 15\n 7 0 0\n",
		"p.pgm.txt":     "no image",
	} {
		file, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		w := gzip.NewWriter(file)
		if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil || file.Close() != nil {
			t.Fatal(err)
		}
	}
	found, list, err := filesOf(folder)
	if len(list.Cells) != 2 || err != nil || len(found[apps.SpMV]) != 1 || len(found[apps.Histogram]) != 1 {
		t.Fatalf("%v, %v, %v", found, list, err)
	}
	m, err := found[apps.SpMV][0].draw()
	if err != nil || !slices.Equal(m.Keys, []uint32{0, 1, 1, 2, 3}) ||
		!slices.Equal(m.Others, []uint32{1, 3, 0, 2, 1}) || m.Bins != 4 || m.Width != 4 {
		t.Errorf("%+v, %v", m, err)
	}
	p, err := found[apps.Histogram][0].draw()
	if err != nil || !slices.Equal(p.Keys, []uint32{0, 240, 240, 112, 0, 0}) || p.Bins != grey {
		t.Errorf("%+v, %v", p, err)
	}
}
