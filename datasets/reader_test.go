package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/must"
	"github.com/google/go-cmp/cmp"
)

// stream is an input and what it must give; bins of 0 are not looked at.
type stream struct {
	name, content string
	opt           Options
	format        string
	want          []uint32
	bins          uint64
}

// streams are small sound inputs of every format.
func streams(t testing.TB) []stream {
	le, be := binary.LittleEndian, binary.BigEndian
	matrix := "%%MatrixMarket matrix coordinate real general\n% note\n\n3 4 5\n3 1 1.5\n1 4 -2\n3 3 0\n\n1 2 1e3\n2 2 7\n"
	symmetric := "%%MatrixMarket MATRIX Coordinate Pattern Symmetric\n3 3 4\n3 1\n2 2\n3 2\n2 1\n"
	graph := "# from to\n5\t2\n1 9\n5\t0 0.5\n1,7,x\n"
	long := npyFile(1, "'<i8'", "True", "(2, 3)", packed(t, le, []int64{1 << 40, 7, -1, 8, 1 << 40, 9}))
	return []stream{
		{"a.npy", npyFile(1, "'<i4'", "False", "(3,)", packed(t, le, []int32{4, 0, 7})), Options{},
			"npy", []uint32{4, 0, 7}, 8},
		{"b.npy", npyFile(2, "'>u8'", "False", "(1, 4)",
			packed(t, be, []uint64{1, 2, 3, 4294967295})), Options{}, "npy", []uint32{1, 2, 3, 4294967295},
			1 << 32},
		{"c.npy", npyFile(3, "'|u1'", "True", "(3L,)", "\x00\x80\xff"), Options{}, "npy",
			[]uint32{0, 128, 255}, 256},
		{"d.npy", npyFile(1, "'>i2'", "False", "(1,)", "\x01\x02"), Options{Bins: 300}, "npy",
			[]uint32{258}, 300},
		{"e.npy", npyRaw(1, `{"shape":(2,),"descr":"|i1","fortran_order":False}`, "\x05\x06"),
			Options{}, "npy", []uint32{5, 6}, 7},
		{"a.u32", packed(t, le, []uint32{9, 8, 4294967295}), Options{}, "u32",
			[]uint32{9, 8, 4294967295}, 1 << 32},
		{"magic.u32", packed(t, le, []uint32{0x00088b1f, 1, 0, 3}), Options{}, "u32",
			[]uint32{0x88b1f, 1, 0, 3}, 0x88b20},
		{"A.U64", packed(t, le, []uint64{9, 8, 7}), Options{Bins: 10}, "u64", []uint32{9, 8, 7},
			10},
		{"a.bin", packed(t, le, []uint64{1, 2}), Options{Format: "u64"}, "u64", []uint32{1, 2}, 3},
		{"keys.npy", npyFile(1, "'<i8'", "False", "(4,)", packed(t, le, []int64{-1, 1 << 60, -1, 3})),
			Options{Keys: true}, "npy", []uint32{0, 1, 0, 2}, 3},
		{"keyrow.npy", long, Options{Row: "0", Keys: true}, "npy", []uint32{0, 1, 0}, 2},
		{"padrow.npy", long, Options{Row: "0", Keys: true, Ignore: "-1"}, "npy", []uint32{0, Inactive, 0}, 1},
		{"pad.f8.npy", npyFile(1, "'<f8'", "False", "(4,)", packed(t, le, []float64{3, -1, 0, -1})),
			Options{Ignore: "-1"}, "npy", []uint32{3, Inactive, 0, Inactive}, 4},
		{"pad.f2.npy", npyFile(1, "'<f2'", "False", "(2,)", packed(t, le, []uint16{0xbc00, 0x4000})),
			Options{Ignore: "-1"}, "npy", []uint32{Inactive, 2}, 3},
		{"keys.u32", packed(t, le, []uint32{9, 4294967295, 9}), Options{Keys: true, Bins: 7}, "u32",
			[]uint32{0, 1, 0}, 7},
		{"whole.npy", npyFile(1, "'<f8'", "False", "(4,)", packed(t, le, []float64{1<<53 - 1, 1 - 1<<53, 1<<53 - 2, 1<<53 - 1})),
			Options{Keys: true}, "npy", []uint32{0, 1, 2, 0}, 3},
		{"beyond.u64", packed(t, le, []uint64{1 << 53, 1<<53 + 1, 1<<53 + 2, 1 << 53}), Options{Keys: true}, "u64",
			[]uint32{0, 1, 2, 0}, 3},
		{"beyond.npy", npyFile(1, "'<i8'", "False", "(4,)", packed(t, le, []int64{-1 << 53, -1<<53 - 1, 1<<53 + 1, 1 << 53})),
			Options{Keys: true, Ignore: "9007199254740993"}, "npy", []uint32{0, 1, Inactive, 2}, 3},
		{"beyond.txt", "9007199254740993\n9007199254740992\n9007199254740993\n", Options{Keys: true}, "text",
			[]uint32{0, 1, 0}, 2},
		{"keys.u64", packed(t, le, []uint64{1 << 63, 1<<64 - 1, 1 << 63, 5}), Options{Keys: true}, "u64",
			[]uint32{0, 1, 0, 2}, 3},
		{"header.edges", "source,target\n5,2\n1,9\n", Options{Axis: AxisCol}, "edges",
			[]uint32{2, 9}, 10},
		{"header.el", "# nodes\nsrc dst weight\n5 2 0.5\n", Options{}, "edges", []uint32{5}, 6},
		{"headless.el", "src dst\n5 2\n", Options{Keys: true}, "edges", []uint32{0, 2}, 3},
		{"wide.el", "1 2 3 4 5\n", Options{Format: "edges"}, "edges", []uint32{1}, 2},
		{"pad.npy", npyFile(1, "'<i8'", "False", "(4,)", packed(t, le, []int64{-1, 7, -1, 3})),
			Options{Ignore: "-1"}, "npy", []uint32{Inactive, 7, Inactive, 3}, 8},
		{"low.npy", npyFile(1, "'|i1'", "False", "(3,)", "\x80\x05\x80"), Options{Ignore: "-128"}, "npy",
			[]uint32{Inactive, 5, Inactive}, 6},
		{"byte.npy", npyFile(1, "'|u1'", "False", "(3,)", "\xff\x05\x01"), Options{Ignore: "-1"}, "npy",
			[]uint32{Inactive, 5, 1}, 6},
		{"none.npy", npyFile(1, "'|u1'", "False", "(2,)", "\xff\x05"), Options{Ignore: "300"}, "npy",
			[]uint32{255, 5}, 256},
		{"pad.u32", packed(t, le, []uint32{9, 4294967295, 1}), Options{Ignore: "-1"}, "u32",
			[]uint32{9, Inactive, 1}, 10},
		{"zero.u32", packed(t, le, []uint32{9, 0, 1}), Options{Ignore: "0", Bins: 12}, "u32",
			[]uint32{9, Inactive, 1}, 12},
		{"pad.u64", packed(t, le, []uint64{1<<64 - 1, 8}), Options{Ignore: "18446744073709551615"},
			"u64", []uint32{Inactive, 8}, 9},
		{"keypad.u64", packed(t, le, []uint64{1<<64 - 1, 1 << 40, 8, 1 << 40}),
			Options{Ignore: "-1", Keys: true}, "u64", []uint32{Inactive, 0, 1, 0}, 2},
		{"pad2.txt", "3\n-1\n-01\n4\n", Options{Ignore: "-1"}, "text",
			[]uint32{3, Inactive, Inactive, 4}, 5},
		{"zero.txt", "3\n0\n-0\n000\n10\n", Options{Ignore: "0"}, "text",
			[]uint32{3, Inactive, Inactive, Inactive, 10}, 11},
		{"nan.csv", "v\n3\nNaN\n4\n", Options{Ignore: "NaN"}, "csv", []uint32{3, Inactive, 4}, 5},
		{"key.txt", "b\nnone\na\nb\n", Options{Ignore: "none", Keys: true, Format: "text"}, "text",
			[]uint32{0, Inactive, 1, 0}, 2},
		{"pad.edges", "1 2\n-1 -1\n3 -1\n", Options{Ignore: "-1"}, "edges", []uint32{1, Inactive, 3}, 4},
		{"pad.el", "1 2\n-1 -1\n3 -1\n", Options{Ignore: "-1", Axis: AxisCol}, "edges",
			[]uint32{2, Inactive, Inactive}, 3},
		{"a.txt", "\ufeff# head\n\n 12 \r\n%x\n00000000000000000000007\n0", Options{}, "text",
			[]uint32{12, 7, 0}, 13},
		{"keys.txt", "b\na\n\nb\nc c\n", Options{Format: "text", Keys: true}, "text",
			[]uint32{0, 1, 0, 2}, 3},
		{"float.txt", "3.300000000000000000e+01\n+5\n0.0\n-1.0e+00\n1e2\n", Options{Ignore: "-1"}, "text",
			[]uint32{33, 5, 0, Inactive, 100}, 101},
		{"bool.txt", "True\nFalse\ntrue\n0\n", Options{}, "text", []uint32{1, 0, 1, 0}, 2},
		{"bool.npy", npyFile(1, "'|b1'", "False", "(3,)", "\x01\x00\x01"), Options{}, "npy", []uint32{1, 0, 1}, 2},
		{"half.npy", npyFile(1, "'<f2'", "False", "(2,)", packed(t, le, []uint16{0x4500, 0})), Options{}, "npy",
			[]uint32{5, 0}, 6},
		{"little.txt", utf16Text(le, "5\r\n6\r\n5\r\n"), Options{}, "text", []uint32{5, 6, 5}, 7},
		{"big.txt", utf16Text(be, "# é\n5\n6\n"), Options{}, "text", []uint32{5, 6}, 7},
		{"excel.csv", utf16Text(le, "Stück;Wert\r\n5;1\r\n6;2\r\n"), Options{Column: "Stück"}, "csv", []uint32{5, 6}, 7},
		{"mark.csv", "\ufeffuser;item\n1;2\n", Options{Column: "user"}, "csv", []uint32{1}, 2},
		{"mark.mtx", "\ufeff%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 1\n2 1 7\n", Options{}, "mtx",
			[]uint32{1}, 2},
		{"float.el", "3.0e+00 4.0e+00\n1 0\n", Options{}, "edges", []uint32{3, 1}, 4},
		{"hash.txt", "# tags of a day\n#go\n#cuda\nrust\n#\n%d\n#go\n", Options{Keys: true}, "text",
			[]uint32{0, 1, 2, 3, 0}, 4},
		{"hash.el", "# from to\n#go rust\n#cuda #go\n", Options{Keys: true}, "edges", []uint32{0, 2}, 3},
		{"tab.tsv", "user\titem\n1\t2,5\n3\t4,5\n", Options{Column: "user"}, "csv", []uint32{1, 3}, 4},
		{"graph.tsv", "# from\tto\n1\t2\n3\t4\n", Options{Axis: AxisCol}, "edges", []uint32{2, 4}, 5},
		{"semicolon.csv", "id;value\n1;0,5\n2;7,25\n", Options{Column: "id"}, "csv", []uint32{1, 2}, 3},
		{"bar.csv", "\"a;b\"|c\n7|2\n", Options{Column: "a;b"}, "csv", []uint32{7}, 8},
		{"empty.csv", "user,item\n1,\n,2\n3,4\n", Options{Column: "user", Ignore: IgnoreNull}, "csv",
			[]uint32{1, Inactive, 3}, 4},
		{"padding.csv", "NaN\n3\n", Options{Column: "0", Ignore: "NaN"}, "csv", []uint32{Inactive, 3}, 4},
		{"float.csv", "3.0,x\n4.0,y\n", Options{Column: "0"}, "csv", []uint32{3, 4}, 5},
		{"pairs.u32", packed(t, le, []uint32{7, 0, 7, 0}), Options{}, "u32", []uint32{7, 0, 7, 0}, 8},
		{"a.csv", "user\n3\n\n1\n", Options{}, "csv", []uint32{3, 1}, 4},
		{"b.csv", "u,\"it\"\"em\"\n3,1\n1,\"0\"\n", Options{Column: `it"em`}, "csv", []uint32{1, 0},
			2},
		{"c.csv", "7,3\n1,0\n", Options{Column: "1"}, "csv", []uint32{3, 0}, 4},
		{"head.csv", "a,b\n1,2\n3,4\n", Options{Column: "1"}, "csv", []uint32{2, 4}, 5},
		{"space.csv", " a , b \n1 , 2\n", Options{Column: "b"}, "csv", []uint32{2}, 3},
		{"quote.csv", "\"a,b\",c\n1,2\n", Options{Column: "a,b"}, "csv", []uint32{1}, 2},
		{"d.csv", "w,city\n1,\"a\nb\"\n2,x\n3,\"a\r\nb\"\n", Options{Column: "city", Keys: true},
			"csv", []uint32{0, 1, 0}, 2},
		{"e.csv", "x,y\nx,z\n", Options{Column: "0", Keys: true}, "csv", []uint32{0, 0}, 1},
		{"a.mtx", matrix, Options{}, "mtx", []uint32{2, 0, 2, 0, 1}, 3},
		{"b.mtx", matrix, Options{Axis: AxisCol, Order: OrderFile}, "mtx", []uint32{0, 3, 2, 1, 1}, 4},
		{"row.mtx", matrix, Options{Order: OrderRow}, "mtx", []uint32{0, 0, 1, 2, 2}, 3},
		{"colrow.mtx", matrix, Options{Axis: AxisCol, Order: OrderRow}, "mtx",
			[]uint32{3, 1, 1, 0, 2}, 4},
		{"rowcol.mtx", matrix, Options{Order: OrderCol}, "mtx", []uint32{2, 0, 1, 2, 0}, 3},
		{"c.mtx", symmetric, Options{Axis: AxisRow}, "mtx", []uint32{2, 0, 1, 2, 1, 1, 0}, 3},
		{"d.mtx", symmetric, Options{Axis: AxisCol}, "mtx", []uint32{0, 2, 1, 1, 2, 0, 1}, 3},
		{"e.mtx", symmetric, Options{Order: OrderRow}, "mtx", []uint32{0, 0, 1, 1, 1, 2, 2}, 3},
		{"f.mtx", symmetric, Options{Axis: AxisCol, Order: OrderRow}, "mtx",
			[]uint32{2, 1, 1, 2, 0, 0, 1}, 3},
		{"skew.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 4\n",
			Options{Axis: AxisCol}, "mtx", []uint32{0, 1}, 2},
		{"herm.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 4 1\n",
			Options{Axis: AxisCol}, "mtx", []uint32{0, 0, 1}, 2},
		{"a.edges", graph, Options{}, "edges", []uint32{5, 1, 5, 1}, 6},
		{"b.edges", graph, Options{Axis: AxisCol}, "edges", []uint32{2, 9, 0, 7}, 10},
		{"row.edges", graph, Options{Order: OrderRow}, "edges", []uint32{1, 1, 5, 5}, 6},
		{"colrow.edges", graph, Options{Axis: AxisCol, Order: OrderRow}, "edges",
			[]uint32{9, 7, 2, 0}, 10},
		{"c.el", "u v\nv u\nu w\n", Options{Axis: AxisCol, Keys: true}, "edges", []uint32{1, 0, 2},
			3},
		{"row.csv", "7,3\n1,0\n7,1\n", Options{Column: "1", Order: OrderRow}, "csv",
			[]uint32{0, 3, 1}, 4},
		{"col.csv", "a,b\n7,3\n1,0\n7,1\n", Options{Column: "b", Order: OrderCol}, "csv",
			[]uint32{0, 1, 3}, 4},
		{"keys.csv", "u,v\nx,y\nu,x\n", Options{Column: "1", Keys: true, Order: OrderRow}, "csv",
			[]uint32{0, 2, 1}, 3},
		{"a.pgm", "P2 # plain\n2 2\n255\n0 255\n#x\n7 8\n", Options{}, "image",
			[]uint32{0, 255, 7, 8}, 256},
		{"b.pgm", "P5\n2 1\n65535\n\x01\x02\xff\xff", Options{}, "image", []uint32{258, 65535},
			65536},
		{"c.pgm", "P5 3 1 100\n\x00\x32\x64", Options{Quantize: 4}, "image", []uint32{0, 1, 3}, 4},
		{"d.pgm", "P2 3 1 18\n0 7 18", Options{}, "image", []uint32{0, 7, 18}, 19},
		{"e.pgm", "P2 3 1 255\n0 7 18", Options{Bins: 19}, "image", []uint32{0, 7, 18}, 19},
	}
}

// A stream is the same from a file, compressed in one member or two, and from a pipe, in chunks of any size.
func TestFormats(t *testing.T) {
	all := streams(t)
	for _, c := range arrayCases() {
		all = append(all, stream{name: c.file, content: read(t, arrayFile(c.file)), opt: c.opt, want: c.want})
	}
	for i, s := range all {
		t.Run(fmt.Sprint("file=", s.name, ",", i), func(t *testing.T) {
			check := func(how string, got []uint32, err error) {
				if diff := cmp.Diff(s.want, got); err != nil || diff != "" {
					t.Errorf("%s: %v; indices (-want +got):\n%s", how, err, diff)
				}
			}
			half := len(s.content) / 2
			for _, path := range []string{write(t, s.name, s.content),
				write(t, s.name+".gz", zip(t, s.content[:half], s.content[half:]))} {
				got, bins, err := ReadAll(path, s.opt)
				check(filepath.Base(path), got, err)
				if s.bins > 0 && bins != s.bins {
					t.Errorf("%s: %d bins, want %d", filepath.Base(path), bins, s.bins)
				}
			}
			if s.format != "" {
				s.opt.Format = s.format
			}
			for _, content := range []string{s.content, zip(t, s.content)} {
				for _, chunk := range []int{1, 3, 1000} {
					got, err := readChunks(content, s.opt, chunk)
					check(fmt.Sprint("chunks of ", chunk), got, err)
				}
			}
		})
	}
}

func TestReaderSaysWhatItReads(t *testing.T) {
	path := write(t, "x.txt.gz", zip(t, strings.Repeat("1\n", 5000)))
	r := must.Get(Open(path, Options{}))(t)
	info := must.Get(os.Stat(path))(t)
	if size := r.Size(); size != info.Size() {
		t.Errorf("Size() = %d, want %d", size, info.Size())
	}
	if r.Name() != path || r.Format() != "text" || r.Bins() != 0 {
		t.Errorf("name %q, format %q, bins %d", r.Name(), r.Format(), r.Bins())
	}
	buf := make([]uint32, 6000)
	if n, err := r.Next(buf); n != 5000 || err != nil {
		t.Errorf("Next = %d, %v, want 5000 updates", n, err)
	}
	if n, err := r.Next(buf); n != 0 || err != io.EOF {
		t.Errorf("Next at the end = %d, %v", n, err)
	}
	if r.BytesRead() != info.Size() {
		t.Errorf("BytesRead() = %d of %d", r.BytesRead(), info.Size())
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := r.Next(buf); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Next after Close: %v", err)
	}
}

// Updates before a fault are given first, the fault then and from there on.
func TestUpdatesBeforeAFault(t *testing.T) {
	r := must.Get(Open("-", Options{Stdin: strings.NewReader("1\n2\nx\n3\n")}))(t)
	buf := make([]uint32, 8)
	n, err := r.Next(buf)
	if n != 2 || err != nil {
		t.Fatalf("Next = %d, %v, want 2 updates", n, err)
	}
	for range 2 {
		if n, err := r.Next(buf); n != 0 || !errors.Is(err, ErrFormat) {
			t.Errorf("Next = %d, %v, want the fault", n, err)
		}
	}
}

// TestFailingAnywhere: a reader that fails at any place of a stream of any format, packed or not, gives
// the error, which names the input, or all of the stream where the rest says nothing; never less.
func TestFailingAnywhere(t *testing.T) {
	broken, checked := errors.New("cable pulled"), 0
	for _, s := range streams(t) {
		s.opt.Format = s.format
		for _, content := range []string{s.content, zip(t, s.content)} {
			step := max(1, len(content)/60)
			for n := 0; n <= len(content); n += step {
				s.opt.Stdin = io.MultiReader(strings.NewReader(content[:n]), failing{broken})
				got, bins, err := ReadAll("-", s.opt)
				whole := err == nil && bins == s.bins && cmp.Equal(s.want, got)
				if !whole && (!errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "stdin: ")) {
					t.Errorf("%s, failing at byte %d of %d: %d of %d updates, error %v", s.name, n, len(content),
						len(got), len(s.want), err)
				}
				checked++
			}
		}
	}
	if checked < 1000 {
		t.Errorf("%d readers", checked)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
