package datasets

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

func TestFormatByContent(t *testing.T) {
	png := encode(t, "png", testImages()["gray"])
	cases := []struct {
		content string
		opt     Options
		want    string
	}{
		{"1\n2\n", Options{}, "text"},
		{"# c\n\n  7  \n", Options{}, "text"},
		{"apple\npear\n", Options{Keys: true}, "text"},
		{"1 2\n", Options{}, "edges"},
		{"% c\n1\t2 0.5\n", Options{}, "edges"},
		{"1,2\n", Options{}, "edges"},
		{"a b\n", Options{Keys: true}, "edges"},
		{"1 2 0.5 1290000000\n", Options{}, "edges"},
		{"source,target\n1,2\n", Options{}, "edges"},
		{"# c\nsrc dst w\n\n1 2 3\n", Options{}, "edges"},
		{"user,item\n1,2,3\n", Options{Column: "0"}, "csv"},
		{"1,2\n", Options{Column: "1"}, "csv"},
		{"user,item\n", Options{Column: "item"}, "csv"},
		{"user\n1\n", Options{Column: "user"}, "csv"},
		{npyFile(1, "'|u1'", "False", "(1,)", "\x01"), Options{}, "npy"},
		{"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", Options{}, "mtx"},
		{"%%MATRIXMARKET MATRIX COORDINATE PATTERN GENERAL\n1 1 1\n1 1\n", Options{}, "mtx"},
		{png, Options{}, "image"},
		{"P5 1 1 255\n\x07", Options{}, "image"},
	}
	for _, c := range cases {
		for _, content := range []string{c.content, zip(t, c.content)} {
			opt := c.opt
			opt.Stdin = strings.NewReader(content)
			r, err := Open("-", opt)
			if err != nil {
				t.Errorf("%q: %v", c.content, err)
				continue
			}
			if r.Format() != c.want {
				t.Errorf("%q is %s, want %s", c.content, r.Format(), c.want)
			}
		}
	}
}

func TestUnknownContent(t *testing.T) {
	checkFaults(t, []fault{
		{"a.bin", "\x00\x01\x02\x03", Options{}, ErrUnsupported, "--format u32 u64"},
		{"a.bin.gz", zip(t, "\x00\x01"), Options{}, ErrUnsupported, "--format u32 u64"},
		{"a.xyz.gz", zip(t, "0 0 0\n"), Options{}, ErrUnsupported, ""},
		{"a.ply", "ply\n", Options{}, ErrUnsupported, ""},
		{"noname", "ply\nformat ascii 1.0\n", Options{}, ErrUnsupported, ""},
		{"a.txt", "-1.5 0.25 3.5\n", Options{}, ErrUnsupported, `columns "-1.5"`},
		{"b.txt", "some prose here\n", Options{}, ErrFormat, `"some here" --format`},
		{"c.txt", "1 b\n", Options{}, ErrFormat, `:1: "b"`},
		{"d.txt", "name\n1\n", Options{}, ErrFormat, `:1: "name"`},
		{"e.txt", "1\n2\n", Options{Axis: AxisCol}, ErrOptions, ""},
		{"f.mtx", "%%MatrixMarket matrix coordinate pattern general\n", Options{Keys: true}, ErrOptions,
			"u32 u64"},
		{"h.txt", "1 2 3 4 5\n", Options{}, ErrFormat, `"1 2 3 4`},
		{"table.tsv", "user\tcity\titem\n1\tRome\t2\n", Options{}, ErrOptions, `:1: column --column "user" "city"`},
		{"i.txt", "1,2,3,4,5\n", Options{}, ErrOptions, `:1: column --column "1"`},
		{"g.mtx", "%%MatrixMarket matrix coordinate pattern general\n", Options{Column: "1"}, ErrOptions,
			`column "1"`},
	})
}

// What its first bytes tell is named, whatever it is taken for, and no error advises to read it as raw 32-bit
// indices.
func TestForeign(t *testing.T) {
	tar := "name" + strings.Repeat("\x00", 253) + "ustar\x0000" + strings.Repeat("\x00", 248)
	text := utf16Text(binary.LittleEndian, strings.Repeat("17\r\n", 9))[2:]
	for content, word := range map[string]string{
		rezip(t, emptyZip, "a.txt", "1\n"): "zip", tar: "tar", text: "UTF-16", "BZh91AY&SY123": "bzip2",
		"7z\xbc\xaf\x27\x1c\x00\x04": "7z", "\x89HDF\r\n\x1a\n0000": "HDF5", zip(t, zip(t, "1\n2\n")): "gzip",
	} {
		for _, format := range []string{"", "u32", "u64", "text", "csv", "edges"} {
			_, _, err := ReadAll(write(t, "index.bin", content), Options{Format: format})
			if !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "u32") {
				t.Errorf("%s as %q: %v", word, format, err)
			}
		}
	}
}

// 64-bit indices are not read as 32-bit ones, nor is that advised.
func TestWideIndices(t *testing.T) {
	var wide []uint64
	for i := range uint64(100) {
		wide = append(wide, i*i)
	}
	if _, _, err := ReadAll(write(t, "few.bin", packed(t, binary.LittleEndian, wide[:9])), Options{}); err == nil ||
		!strings.Contains(err.Error(), "u64") || strings.Contains(err.Error(), "u32 or") {
		t.Errorf("few indices: %v", err)
	}
	content := packed(t, binary.LittleEndian, wide)
	for _, name := range []string{"index.bin", "index.u32"} {
		_, _, err := ReadAll(write(t, name, content), Options{})
		if err == nil || !strings.Contains(err.Error(), "u64") || strings.Contains(err.Error(), "u32 or") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, _, err := ReadAll(write(t, "index.u64", content), Options{}); err != nil || len(got) != 100 || got[99] != 99*99 {
		t.Errorf("%v, %v", got, err)
	}
}

// Lines that keys leave out are counted.
func TestComments(t *testing.T) {
	r, err := Open(write(t, "a.txt", "# tags\n\n#go\n# more\n#go\n"), Options{Keys: true})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Next(make([]uint32, 9)); n != 2 || err != nil || r.Comments() != 2 {
		t.Errorf("%d updates, %v, %d comments", n, err, r.Comments())
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	good := []Options{{}, {Format: FormatAuto, Axis: AxisCol, Keys: true, Column: "x",
		Bins: MaxBins}, {Format: "csv", Keys: true, Column: "x"}}
	for _, o := range good {
		if err := o.Validate(); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	for _, bad := range []struct {
		opt  Options
		word string
	}{
		{Options{Format: "xml"}, `"xml"`}, {Options{Axis: "diagonal"}, `"diagonal"`}, {Options{Order: "size"}, `"size"`},
		{Options{Channel: "x"}, "luminance"},
		{Options{Format: "npy", Order: OrderRow}, "order"}, {Options{Format: "mtx", Ignore: "-1"}, "ignore -1"},
		{Options{Format: "edges", Ignore: "-1", Order: OrderRow}, "order"},
		{Options{Bins: MaxBins, Ignore: "-1"}, "4294967296"}, {Options{Bins: MaxBins + 1}, "4294967297"},
		{Options{Format: "text", Column: "x"}, `"x"`}, {Options{Format: "csv", Axis: AxisCol}, "axis"},
		{Options{Row: "-1"}, `"-1"`}, {Options{Format: "csv", Row: "1"}, "row 1"},
		{Options{Format: "npy", Array: "x"}, `"x"`}, {Options{Format: "image", Keys: true}, "keys"},
	} {
		if _, err := Open("-", bad.opt); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), bad.word) {
			t.Errorf("%+v: %v, want it to name %s", bad.opt, err, bad.word)
		}
	}
}
