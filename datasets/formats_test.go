package datasets

import (
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
		{"i.txt", "1,2,3,4,5\n", Options{}, ErrOptions, `:1: column --column "1"`},
		{"g.mtx", "%%MatrixMarket matrix coordinate pattern general\n", Options{Column: "1"}, ErrOptions,
			`column "1"`},
	})
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
