package datasets

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type entry struct{ row, col uint32 }

// list gives entries as a format does.
type list struct{ entries []entry }

func (l *list) pair() (row, col uint32, ok bool) {
	if len(l.entries) == 0 {
		return 0, 0, false
	}
	e := l.entries[0]
	l.entries = l.entries[1:]
	return e.row, e.col, true
}

// drain reads the stream in chunks of n.
func drain(d decoder, n int) []uint32 {
	all := []uint32{}
	for more := true; more; {
		to := chunk{buf: make([]uint32, n)}
		more = d.next(&to)
		all = append(all, to.buf[:to.n]...)
	}
	return all
}

// indicesOf are those of one axis.
func indicesOf(entries []entry, axis string) []uint32 {
	indices := []uint32{}
	for _, e := range entries {
		if axis == AxisCol {
			e.row = e.col
		}
		indices = append(indices, e.row)
	}
	return indices
}

// checkOrder demands what a plain stable sort gives, and reports whether runs so short used a temporary file.
func checkOrder(t rapid.TB, entries []entry, opt Options, run, chunk int) (spilled bool) {
	want := slices.Clone(entries)
	slices.SortStableFunc(want, func(a, b entry) int {
		switch opt.Order {
		case OrderRow:
			return cmp.Compare(a.row, b.row)
		case OrderCol:
			return cmp.Compare(a.col, b.col)
		}
		return 0
	})
	for _, run := range []int{run, runEntries} {
		in := newInput("x", Options{})
		d := take(in, opt, &list{entries})
		if m, ok := d.(*merged); ok {
			m.run = run
			spilled = spilled || len(entries) > run
		}
		if diff := gocmp.Diff(indicesOf(want, opt.Axis), drain(d, chunk)); diff != "" {
			t.Fatalf("%+v in runs of %d (-want +got):\n%s", opt, run, diff)
		}
		must.Do(t, in.close())
	}
	return spilled
}

// Each axis in each order is what a plain stable sort gives, with runs so short that the temporary
// file is used, and in memory.
func TestOrderIsAStableSort(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Uint32Range(0, 5), rapid.Uint32Range(0, 1<<22),
			rapid.SampledFrom([]uint32{math.MaxUint32}))
		entries := rapid.SliceOf(rapid.Custom(func(t *rapid.T) entry {
			return entry{number.Draw(t, "row"), number.Draw(t, "col")}
		})).Draw(t, "entries")
		run := rapid.IntRange(1, 20).Draw(t, "run")
		chunk := rapid.IntRange(1, 9).Draw(t, "chunk")
		opt := Options{Axis: rapid.SampledFrom([]string{"", AxisRow, AxisCol}).Draw(t, "axis"),
			Order: rapid.SampledFrom([]string{"", OrderFile, OrderRow, OrderCol}).Draw(t, "order")}
		checkOrder(t, entries, opt, run, chunk)
	})
	many := make([]entry, 50)
	for i := range many {
		many[i] = entry{uint32(i * 7 % 5), uint32(i * 3 % 11)}
	}
	if !checkOrder(t, many, Options{Order: OrderCol}, 7, 3) {
		t.Error("no temporary file was used")
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

// next reads a chunk and returns the error.
func next(d decoder) (err error) {
	defer catch(&err)
	d.next(&chunk{buf: make([]uint32, 1)})
	return nil
}

func TestNoRoomForTheTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	m := take(newInput("x.mtx", Options{}), Options{Order: OrderCol},
		&list{[]entry{{1, 1}, {2, 2}}}).(*merged)
	m.run = 1
	if err := next(m); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("error %v", err)
	}
	must.Do(t, m.in.close())
}

func TestCountOverflow(t *testing.T) {
	s := take(newInput("x.mtx", Options{}), Options{Order: OrderRow}, &list{[]entry{{3, 0}}}).(*sorted)
	s.add(3)
	s.pages[0][3] = math.MaxUint32
	if err := next(s); !errors.Is(err, ErrRange) || !strings.Contains(err.Error(), "x.mtx: row 3 ") {
		t.Errorf("error %v", err)
	}
}

// TestTargets: a reader says which of several numbers it takes, and nothing where there is one.
func TestTargets(t *testing.T) {
	const matrix = "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n2 3\n"
	square := npyFile(1, "'<i4'", "False", "(2, 3)", strings.Repeat("\x01\x00\x00\x00", 6))
	for _, c := range []struct {
		content string
		opt     Options
		want    string
	}{
		{"1 2\n", Options{}, "axis row, the first of each line"},
		{"1 2\n", Options{Axis: AxisCol}, "axis col, the second of each line"},
		{matrix, Options{}, "axis row"},
		{matrix, Options{Axis: AxisCol}, "axis col"},
		{"a,b\n1,2\n", Options{Column: "b"}, "column b"},
		{"a, b \n1,2\n", Options{Column: "1"}, "column b"},
		{"1,2\n", Options{Column: "1"}, "column 1"},
		{"a\n1\n", Options{Format: "csv"}, ""},
		{"1\n2\n", Options{}, ""},
		{square, Options{Axis: AxisCol}, "axis col"},
		{square, Options{Row: "1"}, "row 1"},
		{square, Options{Column: "2"}, "column 2"},
	} {
		c.opt.Stdin = strings.NewReader(c.content)
		r, err := Open("-", c.opt)
		if err != nil || r.Targets() != c.want {
			t.Errorf("%.10q, %+v: %v, %v, want %q", c.content, c.opt, r, err, c.want)
		}
	}
}
