package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// fault is a bad input and the error that it must give.
type fault struct {
	name, content string
	opt           Options
	kind          error
	words         string // what the message names: places, values, flags
}

func checkFaults(t *testing.T, faults []fault) {
	t.Helper()
	if len(faults) == 0 {
		t.Fatal("no faults to check")
	}
	for _, f := range faults {
		path := write(t, f.name, f.content)
		_, _, err := ReadAll(path, f.opt)
		if !errors.Is(err, f.kind) {
			t.Errorf("%s: error %v does not wrap %q", f.name, err, f.kind)
			continue
		}
		for _, word := range append(strings.Fields(f.words), path) {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("%s: %v, want it to name %s", f.name, err, word)
			}
		}
		if strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%s: the error has several lines: %q", f.name, err)
		}
	}
}

func TestFileFaults(t *testing.T) {
	zipped := zip(t, strings.Repeat("1\n22\n", 400))
	flipped := []byte(zipped)
	flipped[len(flipped)-5] ^= 1
	checkFaults(t, []fault{
		{"empty", "", Options{}, ErrEmpty, ""},
		{"empty.npy", "", Options{}, ErrEmpty, ""},
		{"empty.txt.gz", zip(t, ""), Options{}, ErrEmpty, ""},
		{"comments.txt", "# a\n\n% b\n", Options{}, ErrEmpty, ""},
		{"plain.txt.gz", "1\n2\n", Options{}, ErrFormat, ""},
		{"head.gz", "\x1f\x8b\x08", Options{}, ErrTruncated, ""},
		{"cut.txt.gz", zipped[:len(zipped)-12], Options{}, ErrTruncated, ""},
		{"sum.txt.gz", string(flipped), Options{}, ErrFormat, ""},
		{"tail.txt.gz", zipped + "tail", Options{}, ErrTruncated, ""},
	})
}

func TestMissingFileAndDirectory(t *testing.T) {
	for path, want := range map[string]error{"no/such/file": fs.ErrNotExist, t.TempDir(): ErrUnsupported} {
		if _, err := Open(path, Options{}); !errors.Is(err, want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestNPYFaults(t *testing.T) {
	le := binary.LittleEndian
	three := packed(t, le, []int64{1, -3, 5})
	good := npyFile(1, "'<i8'", "False", "(3,)", three)
	checkFaults(t, []fault{
		{"magic.npy", "NUMPY...", Options{}, ErrFormat, `"NUMPY."`},
		{"short.npy", good[:9], Options{}, ErrTruncated, ""},
		{"header.npy", good[:40], Options{}, ErrTruncated, ""},
		{"version.npy", tensor.NPYMagic + "\x04\x00aaaa", Options{}, ErrUnsupported, "4.0 1.0 2.0 3.0"},
		{"huge.npy", tensor.NPYMagic + "\x02\x00\xff\xff\xff\xff", Options{}, ErrFormat, "4294967295 65536"},
		{"negative.npy", good, Options{}, ErrRange, "update 1: -3"},
		{"above.npy", npyFile(1, "'<u8'", "False", "(1,)", packed(t, le, []uint64{1 << 32})), Options{}, ErrRange,
			"update 0: 4294967296 4294967295"},
		{"keys.npy", good, Options{Keys: true, Bins: 1}, ErrRange, "update 1: -3"},
		{"word.npy", good, Options{Ignore: "NaN"}, ErrOptions, "--ignore NaN"},
		{"most.npy", npyFile(1, "'<u4'", "False", "(2,)", packed(t, le, []uint32{0, 4294967295})),
			Options{Ignore: "0"}, ErrRange, "update 1: 4294967295 4294967294"},
		{"padding.npy", npyFile(1, "'|i1'", "False", "(2,)", "\xff\xff"), Options{Ignore: "-1"}, ErrEmpty, ""},
		{"bins.npy", npyFile(1, "'|u1'", "False", "(2,)", "\x01\x0a"), Options{Bins: 10}, ErrRange,
			"update 1: 10"},
		{"promise.npy", npyFile(1, "'<i8'", "False", "(4, 5)", three), Options{}, ErrTruncated, "20 3"},
		{"promise.npy.gz", zip(t, npyFile(1, "'<u8'", "False", "(4, 5)", packed(t, le, []uint64{1, 2}))),
			Options{}, ErrTruncated, "20 2"},
		{"ragged.npy", npyFile(1, "'<u2'", "False", "(2,)", "\x01\x00\x02"), Options{}, ErrTruncated, "2"},
		{"trailing.npy", npyFile(1, "'<u2'", "False", "(1,)", "\x01\x00\x02"), Options{}, ErrTruncated, ""},
		{"trailing.npy.gz", zip(t, npyFile(1, "'<u2'", "False", "(1,)", "\x01\x00\x02")), Options{}, ErrTruncated,
			""},
		{"none.npy", npyFile(1, "'<u2'", "False", "(3, 0)", ""), Options{}, ErrEmpty, ""},
		{"scalar.npy", npyFile(1, "'<u2'", "False", "()", "\x01\x00"), Options{}, ErrUnsupported, ""},
		{"product.npy", npyFile(1, "'|u1'", "False", "(18446744073709551615, 2)", ""), Options{}, ErrFormat,
			"18446744073709551615 2 2^62"},
		{"large.npy", npyFile(1, "'|u1'", "False", "(18446744073709551616,)", ""), Options{}, ErrFormat,
			"18446744073709551616"},
		{"bytes.npy", npyFile(1, "'<u8'", "False", "(18446744073709551615,)", ""), Options{}, ErrFormat,
			"(18446744073709551615,) 2^62"},
		{"float.npy", npyFile(1, "'<f4'", "False", "(1,)", "abcd"), Options{}, ErrRange,
			"update 0: 1.6777999408082104e+22 2^53"},
		{"whole.npy", npyFile(1, "'<f8'", "False", "(2,)", packed(t, le, []float64{1<<53 - 1, 1 << 53})),
			Options{Keys: true}, ErrRange, "update 1: 9.007199254740992e+15 2^53"},
		{"below.npy", npyFile(1, "'<f8'", "False", "(2,)", packed(t, le, []float64{1 - 1<<53, -1 << 53})),
			Options{Keys: true}, ErrRange, "update 1: -9.007199254740992e+15 2^53"},
		{"whole4.npy", npyFile(1, "'>f4'", "False", "(2,)", packed(t, binary.BigEndian, []float32{1<<53 - 1<<29, 1 << 53})),
			Options{Keys: true}, ErrRange, "update 1: 9.007199254740992e+15 2^53"},
		{"half.npy", npyFile(1, "'<f8'", "False", "(2,)", packed(t, le, []float64{1 << 52, 1<<52 - 0.5})),
			Options{Keys: true}, ErrUnsupported, "update 1: 4.5035996273704955e+15"},
		{"nan.npy", npyFile(1, "'<f4'", "False", "(1,)", "\x00\x00\xc0\x7f"), Options{}, ErrUnsupported,
			"update 0: NaN"},
		{"long.npy", npyFile(1, "'<f16'", "False", "(1,)", "abcd"), Options{}, ErrUnsupported, `"<f16"`},
		{"object.npy", npyFile(1, "'|O'", "False", "(1,)", "abcd"), Options{}, ErrUnsupported, `"|O"`},
		{"string.npy", npyFile(1, "'<U4'", "False", "(1,)", "a"), Options{}, ErrUnsupported, `"<U4"`},
		{"native.npy", npyFile(1, "'=i4'", "False", "(1,)", "aaaa"), Options{}, ErrUnsupported, `"=i4"`},
		{"struct.npy", npyFile(1, "[('a', '<i4'), ('b', '<f8')]", "False", "(1,)", "a"), Options{}, ErrUnsupported, ""},
		{"padded.npy", npyFile(1, "'<f4'", "False", "(1,)", "\x00\x00\xc0\x7f"), Options{Ignore: "-1"},
			ErrUnsupported, "update 0: NaN"},
	})
}

// TestSourceCode: a program is not a stream, by name or content, and text that --format names is.
func TestSourceCode(t *testing.T) {
	code := "#include <cuda.h>\n\nvoid f(int a, int b)\n{\n}\n"
	checkFaults(t, []fault{
		{"kernel.cu", "void f(int a, int b)\n", Options{}, ErrUnsupported, "source code"},
		{"kernel.txt", code, Options{}, ErrUnsupported, "source code"},
		{"stdin", code, Options{}, ErrUnsupported, "source code"},
	})
	for name, opt := range map[string]Options{"indices.h": {Format: "text"}, "indices.txt": {}} {
		if x, _, err := ReadAll(write(t, name, "#include nothing\n7\n"), opt); err != nil || len(x) != 1 {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

func TestNPYHeaderFaults(t *testing.T) {
	var faults []fault
	for i, text := range []string{
		"{}", "", "[]", "{'descr': '|u1', 'descr': '|u1'}", "{'a': 1}",
		"{'descr': '|u1', 'shape': (2,)}",
		"{'descr': '|u1', 'descr': '|u1', 'shape': (2,)}",
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2,)} x",
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'a': 1}",
		"{'descr': '|u1' 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '|u1', 'fortran_order': False, 'shape': (2)}",
		"{'descr': '|u1', 'fortran_order': False, 'shape': (-2,)}",
		"{'descr': '|u1', 'fortran_order': 0, 'shape': (2,)}",
		"{'descr': __import__('os'), 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '|u1, 'fortran_order': False, 'shape': (2,)}",
		"{'descr': '|u1",
	} {
		faults = append(faults, fault{fmt.Sprintf("%d.npy", i), npyRaw(1, text, "ab"), Options{}, ErrFormat, ""})
	}
	checkFaults(t, faults)
}

func TestRawFaults(t *testing.T) {
	le := binary.LittleEndian
	checkFaults(t, []fault{
		{"a.u32", "12345", Options{}, ErrTruncated, "5 4"},
		{"a.u64", strings.Repeat("\x00", 12), Options{}, ErrTruncated, "12 8"},
		{"a.u64.gz", zip(t, strings.Repeat("\x00", 12)), Options{}, ErrTruncated, "12 8"},
		{"b.u64", packed(t, le, []uint64{3, 1 << 40}), Options{}, ErrRange, "update 1: 1099511627776 4294967295"},
		{"keys.u32", packed(t, le, []uint32{3, 4, 3, 5}), Options{Keys: true, Bins: 2}, ErrRange, "update 3: 5 2"},
		{"b.u32", packed(t, le, []uint32{3, 4, 5}), Options{Bins: 5}, ErrRange, "update 2: 5"},
		{"cut.u32.gz", "\x1f\x8b\x08\x00", Options{}, ErrTruncated, ""},
	})
}

func TestTextFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.txt", "1\n\nxyz\n", Options{}, ErrFormat, `:3: "xyz"`},
		{"b.txt", "1\n3.5\n", Options{}, ErrFormat, `:2: "3.5"`},
		{"inf.txt", "1\n1e400\n", Options{}, ErrRange, ":2: 1e400 2^53"},
		{"big.txt", "9007199254740992.0\n", Options{}, ErrRange, ":1: 9007199254740992.0 2^53"},
		{"low.txt", "-1.0e+00\n", Options{}, ErrRange, ":1: -1 --ignore"},
		{"hex.txt", "0x10\n", Options{}, ErrFormat, `:1: "0x10"`},
		{"plus.txt", "+-5\n", Options{}, ErrFormat, `:1: "+-5"`},
		{"nan.txt", "nan\n", Options{}, ErrFormat, `:1: "nan"`},
		{"c.txt", "1\n-0007\n", Options{}, ErrRange, ":2: -0007"},
		{"d.txt", "# c\n4294967296\n", Options{}, ErrRange, ":2: 4294967296 4294967295"},
		{"e.txt", "1\n" + strings.Repeat("9", 60) + "\n", Options{}, ErrRange, ":2: 9999 4294967295"},
		{"f.txt", "1\n5", Options{Bins: 5}, ErrRange, ":2: 5"},
		{"g.txt", "1\n2 3\n", Options{}, ErrFormat, `:2: "2 3"`},
		{"h.txt", "1\n\x00\x1b[2J\n", Options{Format: "text"}, ErrFormat, `:2: "\x00\x1b[2J"`},
		{"i.txt", "1\n" + strings.Repeat("7", lineBytes+1) + "\n", Options{}, ErrFormat, ":2: 1048576"},
		{"j.txt", "a\nb\nc\n", Options{Keys: true, Bins: 2}, ErrRange, `:3: "c" 2`},
		{"k.txt", "-\n", Options{}, ErrFormat, `:1: "-"`},
	})
}

// twins is a table of two columns of one name.
type twins struct{}

func (twins) Len() int                         { return 2 }
func (twins) Column(int) (string, tensor.Type) { return "user", tensor.Int32 }
func (twins) Read(int) (Values, error)         { panic("no column was chosen") }

func TestTableFaults(t *testing.T) {
	further := []Format{{Name: "twins", Open: func(io.ReaderAt, int64) (Table, error) { return twins{}, nil },
		Begins: func([]byte) bool { return false }}}
	checkFaults(t, []fault{
		{"a", "twins", Options{Format: "twins", Further: further, Column: "user"}, ErrOptions,
			`columns "user" int32`},
		{"b", "twins", Options{Format: "twins", Further: further}, ErrOptions, `column --column "user" int32`},
		{"c", "twins", Options{Format: "twins", Further: further, Column: "item"}, ErrOptions,
			`column "item" "user" int32`},
	})
}

func TestCSVFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.csv", "user,item\n1,2\n", Options{}, ErrOptions, `:1: column --column "user"`},
		{"b.csv", "\nuser,item\n1,2\n", Options{Column: "stamp"}, ErrOptions, `:2: --column "stamp" "user"`},
		{"c.csv", "user,item\n1,2\n", Options{Column: "2"}, ErrOptions, `:1: --column 2 "user"`},
		{"d.csv", "user,user\n1,2\n", Options{Column: "user"}, ErrOptions, `:1: --column "user" columns`},
		{"e.csv", "user,item\n1,2\n1\n", Options{Column: "user"}, ErrFormat, ":3: row 2"},
		{"f.csv", "user,item\n\"1\",2,3\n", Options{Column: "user"}, ErrFormat, ":2: 3 row 2"},
		{"g.csv", "user\n\"1\n2\n", Options{}, ErrFormat, `:2: "`},
		{"h.csv", "user\n\"1\"x\"\"\n", Options{}, ErrFormat, `:2: "`},
		{"i.csv", "user\n1\"\"\n", Options{}, ErrFormat, `:2: "`},
		{"j.csv", "user\n", Options{}, ErrEmpty, ""},
		{"k.csv", "\n\n", Options{}, ErrEmpty, "row"},
		{"l.csv", "user\n3.5\n", Options{}, ErrFormat, `:2: "3.5"`},
		{"first.csv", "3.5\n1\n", Options{}, ErrFormat, `:1: "3.5"`},
		{"m.csv", "user,item\n1,\n", Options{Column: "item"}, ErrFormat, `:2: ""`},
		{"n.csv", "-1\n", Options{}, ErrRange, ":1: -1"},
		{"o.csv", "a\n\"x\n1\"\n", Options{}, ErrFormat, `:2: "x\n1"`},
		{"p.csv", "a,b,c\n1,2,3\n", Options{Column: "b", Order: OrderRow}, ErrOptions, `:1: --order row "a"`},
	})
}

func TestEndlessQuoteIsBounded(t *testing.T) {
	text := io.MultiReader(strings.NewReader("k\n\""), &repeat{piece: []byte("1234567,\n"), left: 8 << 20})
	if _, _, err := ReadAll("-", Options{Format: "csv", Stdin: text}); !errors.Is(err, ErrFormat) {
		t.Errorf("error %v", err)
	}
}

func TestMTXFaults(t *testing.T) {
	banner := func(rest string) string { return "%%MatrixMarket matrix coordinate " + rest }
	general := banner("real general\n")
	checkFaults(t, []fault{
		{"a.mtx", "3 3 1\n1 1 2\n", Options{}, ErrFormat, `:1: "3 3 1"`},
		{"b.mtx", "%%MatrixMarket matrix\n", Options{}, ErrFormat, `:1: 2 "%%MatrixMarket SYMMETRY"`},
		{"c.mtx", "%%MatrixMarket matrix array real general\n", Options{}, ErrUnsupported, ":1:"},
		{"d.mtx", "%%MatrixMarket vector coordinate real general\n", Options{}, ErrUnsupported, `:1: "vector"`},
		{"e.mtx", "%%MatrixMarket matrix sparse real general\n", Options{}, ErrFormat, `:1: "sparse"`},
		{"f.mtx", banner("float general\n"), Options{}, ErrFormat, `:1: "float"`},
		{"g.mtx", banner("real diagonal\n"), Options{}, ErrFormat, `:1: "diagonal"`},
		{"h.mtx", banner("pattern hermitian\n"), Options{}, ErrFormat, ":1:"},
		{"i.mtx", banner("pattern skew-symmetric\n"), Options{}, ErrFormat, ":1:"},
		{"j.mtx", general + "% only comments\n", Options{}, ErrTruncated, ""},
		{"k.mtx", general + "3 3\n", Options{}, ErrFormat, `:2: "3 3" columns`},
		{"l.mtx", general + "3 x 1\n", Options{}, ErrFormat, `:2: "x"`},
		{"m.mtx", general + "4294967297 3 1\n", Options{}, ErrRange, ":2: 4294967297 rows 3"},
		{"n.mtx", banner("real symmetric\n2 3 1\n"), Options{}, ErrFormat, ":2: 2 rows 3"},
		{"o.mtx", general + "3 3 2\n1 1 5\n", Options{}, ErrTruncated, "2"},
		{"p.mtx", general + "3 3 1\n1 1 5\n\n2 2 5\n", Options{}, ErrTruncated, ":5:"},
		{"q.mtx", general + "3 3 1\n0 1 5\n", Options{}, ErrRange, ":3: row"},
		{"r.mtx", general + "3 3 1\n1 0 5\n", Options{}, ErrRange, ":3: column"},
		{"s.mtx", general + "3 3 1\n4 1 5\n", Options{}, ErrRange, ":3: row 4 3"},
		{"t.mtx", general + "3 3 1\n1 -1 5\n", Options{}, ErrRange, ":3: column -1"},
		{"u.mtx", general + "3 3 1\n1 1.0 5\n", Options{}, ErrFormat, `:3: column "1.0"`},
		{"v.mtx", general + "3 3 1\n1 1\n", Options{}, ErrFormat, `:3: "1 1"`},
		{"w.mtx", banner("pattern general\n3 3 1\n1 1 1\n"), Options{}, ErrFormat, `:3: "1 1"`},
		{"x.mtx", general + "3 3 1\n3 1 5\n", Options{Bins: 2}, ErrRange, ":3: row 3 2"},
		{"y.mtx", general + "%%MatrixMarket matrix coordinate real general\n", Options{}, ErrFormat, ":2:"},
		{"z.mtx", general + "1 1 1\n%%MatrixMarket matrix coordinate real general\n", Options{}, ErrFormat, ":3:"},
		{"skew.mtx", banner("real skew-symmetric\n2 2 1\n2 2 1\n"), Options{}, ErrFormat, ":3: 2"},
		{"both.mtx", banner("pattern symmetric\n2 2 2\n2 1\n1 2\n"), Options{}, ErrFormat, ":4: 2"},
		{"mirror.mtx", banner("pattern symmetric\n3 3 1\n3 1\n"), Options{Bins: 2, Axis: AxisCol}, ErrRange,
			":3: row 3 2"},
		{"none.mtx", general + "3 3 0\n", Options{}, ErrEmpty, ""},
		{"huge.mtx", general + "3 3 1\n99999999999999999999999 1 5\n", Options{}, ErrRange,
			":3: row 99999999999999999999999 3"},
	})
}

func TestEdgeFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.edges", "1 2\n3\n", Options{}, ErrFormat, `:2: "3"`},
		{"b.edges", "1 2\na 3\n", Options{}, ErrFormat, `:2: "a"`},
		{"c.edges", "1 2\n3 b\n", Options{}, ErrFormat, `:2: "b"`},
		{"d.edges", "1 2\n3 -4\n", Options{}, ErrRange, ":2: -4"},
		{"e.edges", "1 2\n3 4294967296\n", Options{}, ErrRange, ":2: 4294967296 4294967295"},
		{"f.edges", "1 9\n3 4\n", Options{Bins: 3}, ErrRange, ":2: 3"},
		{"g.edges", "1 9\n3 4\n", Options{Bins: 9, Axis: AxisCol}, ErrRange, ":1: 9"},
		{"h.edges", "1,,2\n", Options{}, ErrFormat, `:1: ""`},
		{"j.edges", "source,target\nuser,item\n", Options{}, ErrFormat, `:2: "user"`},
		{"k.edges", "source,target\n", Options{}, ErrEmpty, ""},
		{"i.edges", "# nothing\n", Options{}, ErrEmpty, ""},
	})
}
