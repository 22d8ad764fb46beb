package datasets

import (
	"cmp"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type entry struct{ row, col uint32 }

// scanOf adds entries as a format does.
func scanOf(entries []entry) func(add func(row, col uint32)) {
	return func(add func(row, col uint32)) {
		for _, e := range entries {
			add(e.row, e.col)
		}
	}
}

// drain reads the stream in chunks of n.
func drain(t interface{ Fatal(...any) }, d decoder, n int) []uint32 {
	all := []uint32{}
	for more := true; more; {
		to := chunk{buf: make([]uint32, n)}
		more = d.next(&to)
		all = append(all, to.buf[:to.n]...)
	}
	if c, ok := d.(io.Closer); ok {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// addAll adds the entries and returns the error.
func addAll(add func(row, col uint32), entries ...entry) (err error) {
	defer catch(&err)
	scanOf(entries)(add)
	return nil
}

// Both axes give what a plain stable sort by row gives, with runs so short
// that the temporary file is used, and in memory.
func TestOrderIsAStableSortByRow(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	spilled := 0
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Uint32Range(0, 1<<22),
			rapid.SampledFrom([]uint32{math.MaxUint32}))
		entries := rapid.SliceOf(rapid.Custom(func(t *rapid.T) entry {
			return entry{number.Draw(t, "row"), rapid.Uint32().Draw(t, "col")}
		})).Draw(t, "entries")
		run := rapid.IntRange(1, 20).Draw(t, "run")
		chunk := rapid.IntRange(1, 9).Draw(t, "chunk")
		if len(entries) > run {
			spilled++
		}
		sorted := slices.Clone(entries)
		slices.SortStableFunc(sorted, func(a, b entry) int { return cmp.Compare(a.row, b.row) })
		rowsWant, colsWant := []uint32{}, []uint32{}
		for _, e := range sorted {
			rowsWant, colsWant = append(rowsWant, e.row), append(colsWant, e.col)
		}
		in := &input{name: "x"}
		if diff := gocmp.Diff(rowsWant, drain(t, &rows{in: in, scan: scanOf(entries)},
			chunk)); diff != "" {
			t.Fatalf("rows (-want +got):\n%s", diff)
		}
		for _, run := range []int{run, runEntries} {
			if diff := gocmp.Diff(colsWant, drain(t, &columns{in: in, scan: scanOf(entries),
				run: run}, chunk)); diff != "" {
				t.Fatalf("columns in runs of %d (-want +got):\n%s", run, diff)
			}
		}
	})
	if spilled == 0 {
		t.Error("no case used the temporary file")
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

func TestNoRoomForTheTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	c := &columns{in: &input{name: "x.mtx"}, run: 1}
	if err := addAll(c.add, entry{1, 1}, entry{2, 2}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func TestRowCountOverflow(t *testing.T) {
	r := &rows{in: &input{name: "x.mtx"}}
	if err := addAll(r.add, entry{3, 0}); err != nil {
		t.Fatal(err)
	}
	r.pages[0][3] = math.MaxUint32
	if err := addAll(r.add, entry{3, 0}); !errors.Is(err, ErrRange) {
		t.Errorf("error %v", err)
	}
}
