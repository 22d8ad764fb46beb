package datasets

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/must"
)

func arrayOf(t *testing.T, shape string, indices ...uint32) string {
	return npyFile(1, "'<u4'", "False", shape, packed(t, binary.LittleEndian, indices))
}

// TestRowsOfArrays: each row of a batch has targets of its own, and pointers of CSR stand for the rows of entries.
func TestRowsOfArrays(t *testing.T) {
	for _, c := range []struct {
		content string
		opt     Options
		want    []uint32
		bins    uint64
	}{
		{arrayOf(t, "(3, 2)", 0, 4, 1, 1, 4, 0), Options{Batch: true, Bins: 5}, []uint32{0, 4, 6, 6, 14, 10}, 15},
		{arrayOf(t, "(2, 3)", 0, 4, 1, 1, 4, 0), Options{Batch: true, Bins: 5}, []uint32{0, 4, 1, 6, 9, 5}, 10},
		{arrayOf(t, "(2, 2, 1)", 0, 4, 1, 2), Options{Batch: true, Bins: 5}, []uint32{0, 9, 11, 17}, 20},
		{arrayOf(t, "(2, 2)", 0, 1<<32-1, 1, 1), Options{Batch: true, Bins: 5, Ignore: "-1"}, []uint32{0, Inactive, 6, 6}, 10},
		{arrayOf(t, "(5,)", 0, 2, 2, 3, 6), Options{CSR: true}, []uint32{0, 0, 2, 3, 3, 3}, 4},
		{arrayOf(t, "(3,)", 0, 2, 2), Options{CSR: true, Bins: 7}, []uint32{0, 0}, 7},
	} {
		path := write(t, "a.npy", c.content)
		got, bins, err := ReadAll(path, c.opt)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" || bins != c.bins {
			t.Errorf("%+v: %d bins, %v %s", c.opt, bins, err, diff)
		}
		for _, size := range []int{1, 2, 5} {
			if got, err := readChunks(c.content, c.opt, size); err != nil || !cmp.Equal(c.want, got) {
				t.Errorf("%+v in chunks of %d: %v, %v", c.opt, size, got, err)
			}
		}
		r := must.Get(Open(path, c.opt))(t)
		if r.random() != nil {
			t.Errorf("%+v can be read at any place", c.opt)
		}
		must.Do(t, r.Close())
	}
	for _, o := range []Options{{Batch: true}, {Batch: true, Bins: 2, Row: "0"}, {CSR: true, Ignore: "-1"},
		{CSR: true, Batch: true, Bins: 2}, {CSR: true, Keys: true}} {
		if err := o.Validate(); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	two := arrayOf(t, "(2, 2)", 0, 1, 1, 1)
	checkFaults(t, []fault{
		{"b.npy", two, Options{Batch: true, Bins: 1}, ErrRange, "1"},
		{"c.npy", two, Options{Batch: true, Bins: 1 << 32}, ErrOptions, "4294967296"},
		{"e.npy", arrayOf(t, "(2,)", 0, 1), Options{Batch: true, Bins: 2}, ErrOptions, ""},
		{"f.txt", "0\n1\n", Options{Batch: true, Bins: 2}, ErrOptions, ""},
		{"g.txt", "0\n1\n", Options{CSR: true}, ErrOptions, ""},
		{"h.npy", arrayOf(t, "(3,)", 0, 3, 2), Options{CSR: true}, ErrFormat, "2 3"},
		{"i.npy", arrayOf(t, "(2,)", 1, 3), Options{CSR: true}, ErrFormat, "0 1"},
		{"j.npy", arrayOf(t, "(3,)", 0, 1, 2), Options{CSR: true, Bins: 1}, ErrRange, "2 1"},
		{"k.npy", arrayOf(t, "(3,)", 0, 0, 0), Options{CSR: true}, ErrEmpty, ""},
	})
}

// TestSparse: a file with the arrays of a sparse matrix is told from one of several streams.
func TestSparse(t *testing.T) {
	const empty = "PK\x05\x06" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" // archive
	content := rezip(t, empty, "indices.npy", arrayOf(t, "(3,)", 5, 0, 5))
	content = rezip(t, content, "indptr.npy", arrayOf(t, "(3,)", 0, 1, 3))
	checkFaults(t, []fault{{"a.npz", content, Options{}, ErrOptions, ""}})
	for _, c := range []struct {
		opt  Options
		want []uint32
	}{{Options{CSR: true}, []uint32{0, 1, 1}}, {Options{Array: "indices"}, []uint32{5, 0, 5}}} {
		if got, _, err := ReadAll(write(t, "a.npz", content), c.opt); err != nil || !cmp.Equal(c.want, got) {
			t.Errorf("%+v: %v, %v", c.opt, got, err)
		}
	}
}

// TestExpanded: rows of one index each are noticed however the array is read, and only such.
func TestExpanded(t *testing.T) {
	for _, c := range []struct {
		name, content string
		want          uint64
	}{
		{"a.npy", arrayOf(t, "(3, 4)", 7, 7, 7, 7, 1, 1, 1, 1, 7, 7, 7, 7), 4},
		{"a.npy", arrayOf(t, "(3, 4)", 7, 7, 7, 7, 1, 1, 1, 1, 7, 7, 7, 6), 0},
		{"a.npy", arrayOf(t, "(3, 4)", 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7), 0},
		{"a.npy", arrayOf(t, "(4, 1)", 7, 1, 2, 3), 0},
		{"a.npy", arrayOf(t, "(4,)", 7, 7, 1, 1), 0},
		{"a.txt", "7\n7\n1\n1\n", 0},
	} {
		for _, path := range []string{write(t, c.name, c.content), write(t, c.name+".gz", zip(t, c.content))} {
			r := must.Get(Open(path, Options{}))(t)
			var err error
			for buf := make([]uint32, 100); err == nil; {
				_, err = r.Next(buf)
			}
			if got := r.Expanded(); err != io.EOF || got != c.want {
				t.Errorf("%s: rows of %d, want %d; %v", path, got, c.want, err)
			}
			must.Do(t, r.Close())
		}
	}
}
