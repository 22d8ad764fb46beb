package datasets

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/tensor"
)

// fault is a bad input and the one line that it must give.
type fault struct {
	name, content string
	opt           Options
	kind          error
	want          string // FILE stands for the path
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
		got := strings.ReplaceAll(err.Error(), path, "FILE")
		if got != f.want {
			t.Errorf("%s:\n got %s\nwant %s", f.name, got, f.want)
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
		{"empty", "", Options{}, ErrEmpty, "FILE: is empty"},
		{"empty.npy", "", Options{}, ErrEmpty, "FILE: is empty"},
		{"empty.txt.gz", zip(t, ""), Options{}, ErrEmpty, "FILE: is empty"},
		{"comments.txt", "# a\n\n% b\n", Options{}, ErrEmpty, "FILE: the stream holds no update"},
		{"plain.txt.gz", "1\n2\n", Options{}, ErrFormat, "FILE: is named .gz, but is no gzip file"},
		{"head.gz", "\x1f\x8b\x08", Options{}, ErrTruncated, "FILE: broken gzip: unexpected EOF"},
		{"cut.txt.gz", zipped[:len(zipped)-12], Options{}, ErrTruncated,
			"FILE: broken gzip: unexpected EOF"},
		{"sum.txt.gz", string(flipped), Options{}, ErrFormat,
			"FILE: broken gzip: gzip: invalid checksum"},
		{"tail.txt.gz", zipped + "tail", Options{}, ErrTruncated,
			"FILE: broken gzip: unexpected EOF"},
	})
}

func TestMissingFileAndDirectory(t *testing.T) {
	if _, err := Open("no/such/file", Options{}); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "open no/such/file: ") {
		t.Errorf("missing file: %v", err)
	}
	folder := t.TempDir()
	if _, err := Open(folder, Options{}); !errors.Is(err, ErrUnsupported) ||
		err.Error() != folder+": is a directory" {
		t.Errorf("directory: %v", err)
	}
}

func TestNPYFaults(t *testing.T) {
	le := binary.LittleEndian
	three := packed(t, le, []int64{1, -3, 5})
	good := npyFile(1, "'<i8'", "False", "(3,)", three)
	elements := func(what string) string {
		return "FILE: npy elements are " + what + ", indices are integers or whole floats"
	}
	checkFaults(t, []fault{
		{"magic.npy", "NUMPY...", Options{}, ErrFormat,
			`FILE: does not begin with the npy magic bytes but with "NUMPY."`},
		{"short.npy", good[:9], Options{}, ErrTruncated, "FILE: ends within the npy header"},
		{"header.npy", good[:40], Options{}, ErrTruncated, "FILE: ends within the npy header"},
		{"version.npy", tensor.NPYMagic + "\x04\x00aaaa", Options{}, ErrUnsupported,
			"FILE: npy format 4.0 is none of 1.0, 2.0, 3.0"},
		{"huge.npy", tensor.NPYMagic + "\x02\x00\xff\xff\xff\xff", Options{}, ErrFormat,
			"FILE: npy header of 4294967295 bytes, the most is 65536"},
		{"negative.npy", good, Options{}, ErrRange, "FILE: update 1: index -3 is negative (--ignore -3 takes it for padding)"},
		{"above.npy", npyFile(1, "'<u8'", "False", "(1,)", packed(t, le, []uint64{1 << 32})),
			Options{}, ErrRange, "FILE: update 0: index 4294967296 is above 4294967295 (--keys numbers such keys)"},
		{"keys.npy", good, Options{Keys: true, Bins: 1}, ErrRange,
			"FILE: update 1: -3 is distinct key number 1, and there are 1 bins"},
		{"word.npy", good, Options{Ignore: "NaN"}, ErrOptions,
			"FILE: --ignore NaN is no integer, as indices here are"},
		{"most.npy", npyFile(1, "'<u4'", "False", "(2,)", packed(t, le, []uint32{0, 4294967295})),
			Options{Ignore: "0"}, ErrRange,
			"FILE: update 1: index 4294967295 is above 4294967294 (--keys numbers such keys)"},
		{"padding.npy", npyFile(1, "'|i1'", "False", "(2,)", "\xff\xff"), Options{Ignore: "-1"},
			ErrEmpty, "FILE: the stream holds no update"},
		{"bins.npy", npyFile(1, "'|u1'", "False", "(2,)", "\x01\x0a"), Options{Bins: 10}, ErrRange,
			"FILE: update 1: index 10 is outside of the 10 bins"},
		{"promise.npy", npyFile(1, "'<i8'", "False", "(4, 5)", three), Options{}, ErrTruncated,
			"FILE: the npy header promises 20 elements, the file holds 3"},
		{"promise.npy.gz", zip(t, npyFile(1, "'<u8'", "False", "(4, 5)",
			packed(t, le, []uint64{1, 2}))), Options{}, ErrTruncated,
			"FILE: the npy header promises 20 elements, the file holds 2"},
		{"ragged.npy", npyFile(1, "'<u2'", "False", "(2,)", "\x01\x00\x02"), Options{},
			ErrTruncated, "FILE: the npy header promises 2 elements, the file holds 1"},
		{"trailing.npy", npyFile(1, "'<u2'", "False", "(1,)", "\x01\x00\x02"), Options{},
			ErrTruncated, "FILE: 1 bytes after the 1 elements that the npy header promises"},
		{"trailing.npy.gz", zip(t, npyFile(1, "'<u2'", "False", "(1,)", "\x01\x00\x02")), Options{},
			ErrTruncated, "FILE: more bytes after the 1 elements that the npy header promises"},
		{"none.npy", npyFile(1, "'<u2'", "False", "(3, 0)", ""), Options{}, ErrEmpty,
			"FILE: the stream holds no update"},
		{"scalar.npy", npyFile(1, "'<u2'", "False", "()", "\x01\x00"), Options{}, ErrUnsupported,
			"FILE: array of 0 dimensions, a stream has 1 or more"},
		{"product.npy", npyFile(1, "'|u1'", "False", "(18446744073709551615, 2)", ""), Options{},
			ErrFormat, "FILE: npy shape (18446744073709551615, 2) has more than 2^62 bytes"},
		{"bytes.npy", npyFile(1, "'<u8'", "False", "(18446744073709551615,)", ""), Options{},
			ErrFormat, "FILE: npy shape (18446744073709551615,) has more than 2^62 bytes"},
		{"float.npy", npyFile(1, "'<f4'", "False", "(1,)", "abcd"), Options{}, ErrRange,
			"FILE: update 0: 1.6777999408082104e+22 is beyond 2^53, where floats leave out whole numbers"},
		{"nan.npy", npyFile(1, "'<f4'", "False", "(1,)", "\x00\x00\xc0\x7f"), Options{},
			ErrUnsupported, "FILE: update 0: NaN is no whole number"},
		{"long.npy", npyFile(1, "'<f16'", "False", "(1,)", "abcd"), Options{}, ErrUnsupported,
			elements(`floats ("<f16")`)},
		{"object.npy", npyFile(1, "'|O'", "False", "(1,)", "abcd"), Options{}, ErrUnsupported,
			elements(`Python objects ("|O")`)},
		{"bool.npy", npyFile(1, "'|b1'", "False", "(1,)", "a"), Options{}, ErrUnsupported,
			elements(`booleans ("|b1")`)},
		{"string.npy", npyFile(1, "'<U4'", "False", "(1,)", "a"), Options{}, ErrUnsupported,
			elements(`strings ("<U4")`)},
		{"native.npy", npyFile(1, "'=i4'", "False", "(1,)", "aaaa"), Options{}, ErrUnsupported,
			elements(`of the type "=i4"`)},
		{"struct.npy", npyFile(1, "[('a', '<i4'), ('b', '<f8')]", "False", "(1,)", "a"), Options{},
			ErrUnsupported, elements("structured records")},
	})
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
		content := npyRaw(1, text, "ab")
		faults = append(faults, fault{fmt.Sprintf("%d.npy", i), content, Options{}, ErrFormat,
			"FILE: npy header " + quote([]byte(content[10:len(content)-2])) +
				" is no dictionary of descr, fortran_order and shape"})
	}
	checkFaults(t, append(faults, fault{"large.npy",
		npyFile(1, "'|u1'", "False", "(18446744073709551616,)", ""), Options{}, ErrFormat,
		"FILE: npy shape (18446744073709551616,) has a dimension above 2^64-1"}))
}

func TestRawFaults(t *testing.T) {
	le := binary.LittleEndian
	checkFaults(t, []fault{
		{"a.u32", "12345", Options{}, ErrTruncated,
			"FILE: 5 bytes are no multiple of the 4 of an index"},
		{"a.u64", strings.Repeat("\x00", 12), Options{}, ErrTruncated,
			"FILE: 12 bytes are no multiple of the 8 of an index"},
		{"a.u64.gz", zip(t, strings.Repeat("\x00", 12)), Options{}, ErrTruncated,
			"FILE: 12 bytes are no multiple of the 8 of an index"},
		{"b.u64", packed(t, le, []uint64{3, 1 << 40}), Options{}, ErrRange,
			"FILE: update 1: index 1099511627776 is above 4294967295 (--keys numbers such keys)"},
		{"keys.u32", packed(t, le, []uint32{3, 4, 3, 5}), Options{Keys: true, Bins: 2}, ErrRange,
			"FILE: update 3: 5 is distinct key number 2, and there are 2 bins"},
		{"b.u32", packed(t, le, []uint32{3, 4, 5}), Options{Bins: 5}, ErrRange,
			"FILE: update 2: index 5 is outside of the 5 bins"},
		{"cut.u32.gz", "\x1f\x8b\x08\x00", Options{}, ErrTruncated,
			"FILE: broken gzip: unexpected EOF"},
	})
}

func TestTextFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.txt", "1\n\nxyz\n", Options{}, ErrFormat, `FILE:3: "xyz" is no whole number (--keys numbers any text)`},
		{"b.txt", "1\n3.0\n", Options{}, ErrFormat, `FILE:2: "3.0" is no whole number (--keys numbers any text)`},
		{"c.txt", "1\n-0007\n", Options{}, ErrRange, `FILE:2: index -0007 is negative (--ignore -0007 takes it for padding)`},
		{"d.txt", "# c\n4294967296\n", Options{}, ErrRange,
			`FILE:2: index 4294967296 is above 4294967295 (--keys numbers such keys)`},
		{"e.txt", "1\n" + strings.Repeat("9", 60) + "\n", Options{}, ErrRange,
			`FILE:2: index ` + strings.Repeat("9", 40) + `... is above 4294967295 (--keys numbers such keys)`},
		{"f.txt", "1\n5", Options{Bins: 5}, ErrRange, `FILE:2: index 5 is outside of the 5 bins`},
		{"g.txt", "1\n2 3\n", Options{}, ErrFormat, `FILE:2: "2 3" is no whole number (--keys numbers any text)`},
		{"h.txt", "1\n\x00\x1b[2J\n", Options{Format: "text"}, ErrFormat,
			`FILE:2: "\x00\x1b[2J" is no whole number (--keys numbers any text)`},
		{"i.txt", "1\n" + strings.Repeat("7", lineBytes+1) + "\n", Options{}, ErrFormat,
			`FILE:2: line of more than 1048576 bytes`},
		{"j.txt", "a\nb\nc\n", Options{Keys: true, Bins: 2}, ErrRange,
			`FILE:3: "c" is distinct key number 2, and there are 2 bins`},
		{"k.txt", "-\n", Options{}, ErrFormat, `FILE:1: "-" is no whole number (--keys numbers any text)`},
	})
}
