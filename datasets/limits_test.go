package datasets

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/gzipped"
	"github.com/atomtune/atomtune/internal/must"
)

// TestWatch: what is read of a pipe is told, if no update is in it or it is copied, and nothing of a file.
func TestWatch(t *testing.T) {
	path := write(t, "a.txt", "5\n")
	for _, c := range []struct {
		path, format, content string
		want                  int64
	}{
		{"-", "text", strings.Repeat("# no update\n", 1<<16), 12 << 16}, {"-", "npz", "no archive", 10},
		{path, "text", "", 0},
	} {
		told := int64(0)
		_, _, err := ReadAll(c.path, Options{Format: c.format, Watch: func(read, _ int64) { told = read },
			Stdin: io.MultiReader(strings.NewReader(c.content))})
		if told != c.want || (err == nil) != (c.want == 0) {
			t.Errorf("%s: %d bytes told, want %d: %v", c.format, told, c.want, err)
		}
	}
}

// TestGap: too many bytes without an update are an error soon, before the first update and behind the last,
// and so are endless updates of a few bytes.
func TestGap(t *testing.T) {
	const most = 1 << 20
	if in := newInput("", Options{}); in.mostGap != 1<<30 {
		t.Errorf("%d bytes without an update", in.mostGap)
	}
	comments, storage := strings.Repeat("# no update\n", most), strings.Repeat("\x00", 4*most)
	for _, c := range []struct{ name, format, head, endless string }{
		{"blank lines", "text", "", "\n"}, {"comments", "text", "5\n", "# no update\n"},
		{"comments of edges", "edges", "1 2\n", "% no update\n"}, {"blanks of a picture", "image", "P2 ", " \n"},
		{"comments of a matrix", "mtx", "%%MatrixMarket matrix coordinate pattern general\n9 9 9\n", "%\n"},
		{"packed comments", "text", zip(t, comments), ""}, {"packed behind an update", "text", zip(t, "5\n", comments), ""},
		{"packed members of nothing", "text", zip(t, "5\n"), zip(t, "")},
		{"before a tensor", "torch", torchFile(t, most/2, most/2-1, []int64{1}, []int64{1}, storage), ""},
		{"behind a tensor", "torch", torchFile(t, most/2, 0, []int64{1}, []int64{1}, storage), ""},
		{"stride 0", "torch", torchFile(t, 1, 0, []int64{1 << 40}, []int64{0}, storage[:8]), ""},
		{"stride 0, held", "torch", torchFile(t, 3, 0, []int64{1 << 30, 3}, []int64{0, 1}, storage[:24]), ""},
	} {
		rest := &repeat{piece: []byte(c.endless), left: 1 << 62}
		how := Options{Format: c.format, MaxGapBytes: most, Stdin: strings.NewReader(c.head)}
		if c.endless != "" {
			how.Stdin = io.MultiReader(how.Stdin, rest)
		}
		_, _, err := ReadAll("-", how)
		if read := 1<<62 - rest.left; !errors.Is(err, ErrGap) || read > most+2*readAhead {
			t.Errorf("%s: %d bytes were read, %v", c.name, read, err)
		}
		how.MaxUpdates, how.Stdin = 1000, strings.NewReader(c.head)
		if all, _, err := ReadAll("-", how); strings.HasPrefix(c.name, "stride") && (err != nil || len(all) != 1000) {
			t.Errorf("%s, the first: %d updates, %v", c.name, len(all), err)
		}
	}
}

// TestNoGap: what yields updates is never limited, however long: rare ones, those of a column, sorted ones, and
// what has to be copied first. The part of an array may lie anywhere in its file.
func TestNoGap(t *testing.T) {
	const most = 1 << 20
	comments := strings.Repeat("%"+strings.Repeat("c", 1022)+"\n", 100)
	rare := strings.Repeat("1 2\n"+comments, 40)
	matrix := "%%MatrixMarket matrix coordinate pattern general\n9 9 40\n" + rare
	table := npyFile(1, "'|u1'", "False", "(64, 65536)", strings.Repeat("\x01", 1<<22))
	ends := npyFile(1, "'|u1'", "False", "(2, 4194304)", strings.Repeat("\x01", 1<<23))
	indices := make([]uint32, 1<<20)
	for i := range indices {
		indices[i] = uint32(i) * 2654435761 >> 1 // which does not pack
	}
	random := packed(t, binary.LittleEndian, indices)
	for _, c := range []struct {
		name, content string
		opt           Options
		want          int
	}{
		{"text", strings.ReplaceAll(rare, "1 2", "1"), Options{Format: "text"}, 40},
		{"edges", rare, Options{Format: "edges"}, 40}, {"matrix", matrix, Options{}, 40},
		{"packed", zip(t, rare), Options{Format: "edges"}, 40}, {"sorted", rare, Options{Format: "edges", Order: OrderRow}, 40},
		{"merged", rare, Options{Format: "edges", Order: OrderCol}, 40}, {"column", zip(t, table), Options{Column: "7"}, 64},
		{"strides", torchFile(t, 1<<19, 0, []int64{64}, []int64{8000}, strings.Repeat("\x00", 1<<22)), Options{}, 64},
		{"raw", random, Options{Format: "u32"}, 1 << 20},
		{"picture", "P5 2048 1024 255 " + strings.Repeat("\x07", 1<<21), Options{}, 1 << 21},
		{"copied", rezip(t, emptyZip, "a.npy", npyFile(1, "'<u4'", "False", "(1048576,)", random)), Options{}, 1 << 20},
	} {
		c.opt.MaxGapBytes = most
		if all, err := readChunks(c.content, c.opt, 1<<16); err != nil || len(all) != c.want {
			t.Errorf("%s: %d updates, %v", c.name, len(all), err)
		}
	}
	how := Options{Axis: AxisCol, MaxGapBytes: most}
	if all, _, err := ReadAll(write(t, "ends.npy", ends), how); err != nil || len(all) != 1<<22 {
		t.Errorf("the second row: %d updates, %v", len(all), err)
	}
	if _, err := readChunks(ends, how, 1<<20); !errors.Is(err, ErrGap) {
		t.Errorf("the second row from a pipe: %v", err)
	}
}

// TestMaxUpdates: Next, Each and Random give the first updates, and Cut says whether there are more.
func TestMaxUpdates(t *testing.T) {
	for name, content := range map[string]string{
		"a.u32": "\x05\x00\x00\x00\x03\x00\x00\x00\x09\x00\x00\x00", "a.txt": "5\n3\n9\n", "b.txt": "5\n3\nx\n",
	} {
		path := write(t, name, content)
		for _, most := range []uint64{1, 2, 3, 4} {
			if name == "b.txt" && most > 2 {
				continue
			}
			want := []uint32{5, 3, 9}[:min(most, 3)]
			open := func() *Reader {
				return must.Get(Open(path, Options{MaxUpdates: most}))(t)
			}
			check := func(how string, r *Reader, got []uint32) {
				if !slices.Equal(got, want) || r.Cut() != (most < 3) {
					t.Errorf("%s: the first %d by %s: %v, cut %t", name, most, how, got, r.Cut())
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			r, list, buf := open(), []uint32(nil), make([]uint32, 2)
			for n, err := r.Next(buf); err != io.EOF; n, err = r.Next(buf) {
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, buf[:n]...)
			}
			check("Next", r, list)
			r, list = open(), nil
			for part, err := range r.Chunks() {
				must.Do(t, err)
				list = append(list, part...)
			}
			check("Chunks", r, list)
			if r = open(); name != "a.u32" {
				r.Close()
				continue
			}
			random := r.random()
			list = make([]uint32, random.Len())
			must.Do(t, random.Read(list, 0))
			check("Random", r, list)
		}
	}
	list, bins, err := ReadAll("-", Options{Stdin: &repeat{piece: make([]byte, 4), left: 1 << 62}, Format: "u32", MaxUpdates: 1 << 17})
	if err != nil || len(list) != 1<<17 || bins != 1 {
		t.Errorf("endless: %d updates of %d bins, %v", len(list), bins, err)
	}
}

// TestMaxHeldBytes: distinct keys take no more memory than is allowed, endless ones neither.
func TestMaxHeldBytes(t *testing.T) {
	for _, c := range []struct {
		format, content string
		bytes           uint64
	}{
		{"text", "a\nbb\na\n", 2*textKeyBytes + 3}, {"csv", "a\nbb\na\n", 2*textKeyBytes + 3},
		{"edges", "a bb\n", 2*textKeyBytes + 3},
		{"u64", "\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00", 2 * integerKeyBytes},
	} {
		path := write(t, "keys", c.content)
		how := Options{Format: c.format, Keys: true, MaxHeldBytes: c.bytes}
		if _, _, err := ReadAll(path, how); err != nil {
			t.Errorf("%s: %v", c.format, err)
		}
		how.MaxHeldBytes--
		if _, _, err := ReadAll(path, how); !errors.Is(err, ErrLarge) {
			t.Errorf("%s, one byte less: %v", c.format, err)
		}
	}
}

// TestMaxCopiedBytes: no temporary file has more than is allowed, whatever an input without an end holds,
// and none is left.
func TestMaxCopiedBytes(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for format, text := range map[string]string{"npz": "PK\x03\x04", "torch": "PK\x03\x04", "edges": "1 2\n1 3\n"} {
		endless := &repeat{piece: []byte(text), left: 1 << 62}
		how := Options{Format: format, Stdin: endless, MaxCopiedBytes: 1 << 18}
		if format == "edges" {
			how.Order, how.Axis = OrderRow, AxisCol
		}
		r, err := Open("-", how)
		if err == nil {
			r.dec.(*merged).run = 1 << 12
			_, err = r.Next(make([]uint32, 1))
			err = errors.Join(err, r.Close())
		}
		if !errors.Is(err, ErrLarge) {
			t.Errorf("%s: %v", format, err)
		}
		if read := 1<<62 - endless.left; read > 1<<19 {
			t.Errorf("%s: %d bytes were read", format, read)
		}
	}
	archive := read(t, arrayFile("graph.npz"))
	for most, fits := range map[uint64]bool{uint64(len(archive)): true, uint64(len(archive)) - 1: false} {
		_, _, err := ReadAll("-", Options{Stdin: strings.NewReader(archive), Array: "batch", MaxCopiedBytes: most})
		if large := errors.Is(err, ErrLarge); large == fits {
			t.Errorf("%d of %d bytes: %v", most, len(archive), err)
		}
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

// TestCountsOfLines: counts of lines that are sorted take no more memory than is allowed.
func TestCountsOfLines(t *testing.T) {
	how := Options{Format: "edges", Order: OrderRow, MaxHeldBytes: 2 * 4 * pageCounts}
	for lines, fits := range map[string]bool{"0 1\n16384 1\n": true, "0 1\n16384 1\n32768 1\n": false} {
		how.Stdin = strings.NewReader(lines)
		_, _, err := ReadAll("-", how)
		if large := errors.Is(err, ErrLarge); large == fits {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

// allOf collects what Chunks gives.
func allOf(t *testing.T, path string, opt Options) (all []uint32, err error) {
	t.Helper()
	r, err := Open(path, opt)
	if err != nil {
		t.Fatal(err)
	}
	var indices []uint32
	for indices, err = range r.Chunks() {
		all = append(all, indices...)
	}
	if n, next := r.Next(make([]uint32, 1)); err == nil && (n != 0 || next != io.EOF) {
		t.Errorf("%s: %d updates and %v after the last", path, n, next)
	}
	if err == nil && r.Size() > 0 && r.BytesRead() != r.Size() {
		t.Errorf("%s: %d of %d bytes", path, r.BytesRead(), r.Size())
	}
	return all, errors.Join(err, r.Close())
}

// TestChunks: from files of every kind, and from a pipe, come the updates that ReadAll reads.
func TestChunks(t *testing.T) {
	const n = chunkRead + 12345
	indices, wide := make([]uint32, n), make([]uint64, n)
	var text strings.Builder
	for i := range indices {
		indices[i] = uint32(i) * 2654435761 >> 12
		wide[i] = uint64(indices[i])
		fmt.Fprintln(&text, indices[i])
	}
	raw := packed(t, binary.LittleEndian, indices)
	zipped := must.Get(gzipped.Pack([]byte(raw)))(t)
	for _, path := range []string{write(t, "a.u32", raw), write(t, "a.u64", packed(t, binary.LittleEndian, wide)),
		write(t, "a.txt", text.String()), write(t, "a.u32.gz", string(zipped))} {
		if all, err := allOf(t, path, Options{}); err != nil || !slices.Equal(all, indices) {
			t.Errorf("%s: %d updates of %d, %v", path, len(all), n, err)
		}
	}
	all, err := allOf(t, "-", Options{Format: "u32", Stdin: io.MultiReader(strings.NewReader(raw))})
	if err != nil || !slices.Equal(all, indices) {
		t.Errorf("a pipe: %d updates, %v", len(all), err)
	}
}

// TestChunksEnd: the caller may leave the loop, and the first error of the input is the last that it gives.
func TestChunksEnd(t *testing.T) {
	raw := strings.Repeat("\x01\x00\x00\x00", 3*chunkRead)
	for _, path := range []string{write(t, "a.u32", raw), write(t, "a.txt", strings.Repeat("1\n", 3*chunkRead))} {
		r := must.Get(Open(path, Options{}))(t)
		for chunk, err := range r.Chunks() {
			if err != nil || len(chunk) == 0 {
				t.Errorf("%s: %d updates, %v", path, len(chunk), err)
			}
			break
		}
		must.Do(t, r.Close())
	}
	late := bytes.Repeat([]byte("1\n"), chunkRead+5)
	path := write(t, "late.txt", string(late)+"x\n")
	if all, err := allOf(t, path, Options{}); !errors.Is(err, ErrFormat) || len(all) != chunkRead+5 ||
		!strings.Contains(err.Error(), fmt.Sprintf("late.txt:%d:", chunkRead+6)) {
		t.Errorf("%d updates before %v", len(all), err)
	}
	if _, err := allOf(t, write(t, "b.u32", raw), Options{Bins: 1}); !errors.Is(err, ErrRange) {
		t.Errorf("an index above the bins: %v", err)
	}
}
