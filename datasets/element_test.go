package datasets

import (
	"encoding/binary"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
)

// TestElement: the type of indices is that of the elements or pixels, and 32 bits where the reader makes them.
func TestElement(t *testing.T) {
	bytes := packed(t, binary.LittleEndian, []uint64{1, 2, 0, 1})
	npy := func(descr string) string { return npyFile(1, "'"+descr+"'", "False", "(4,)", bytes[:4*(descr[2]-'0')]) }
	for _, c := range []struct {
		name, content string
		opt           Options
		want          string
	}{
		{"a.npy", npy("|u1"), Options{}, "uint8"}, {"a.npy", npy("<i2"), Options{}, "int16"},
		{"a.npy", npy(">u2"), Options{}, "uint16"}, {"a.npy", npy("<i8"), Options{}, "int64"},
		{"a.npy", npy("<i8"), Options{Keys: true}, "uint32"}, {"a.npy", npy("<f8"), Options{}, "uint32"},
		{"a.u64", bytes, Options{}, "uint64"}, {"a.u32", bytes, Options{}, "uint32"},
		{"a.txt", "1\n2\n", Options{}, "uint32"}, {"a.edges", "1 2\n", Options{Format: "edges"}, "uint32"},
		{"a.pgm", "P2 2 1 255 3 4", Options{}, "uint8"}, {"a.pgm", "P2 2 1 999 3 4", Options{}, "uint16"},
		{"a.pgm", "P2 2 1 999 3 4", Options{Bins: 10}, "uint16"}, {"a.pgm", "P2 2 1 255 3 4", Options{Bins: 1000}, "uint8"},
		{"a.pgm", "P2 2 1 255 3 4", Options{Quantize: 1000}, "uint16"},
	} {
		r := must.Get(Open(write(t, c.name, c.content), c.opt))(t)
		if got := r.Element(); got.Name != c.want {
			t.Errorf("%s %.40q %+v: %s, want %s", c.name, c.content, c.opt, got.Name, c.want)
		}
		must.Do(t, r.Close())
	}
}
