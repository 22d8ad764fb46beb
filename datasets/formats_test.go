package datasets

import (
	"errors"
	"strings"
	"testing"
)

func TestFormatByContent(t *testing.T) {
	png := encodePNG(t, testImages()["gray"])
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

func TestFormatByName(t *testing.T) {
	cases := map[string]string{
		"a.npy": "npy", "a.u32": "u32", "A.U64.GZ": "u64", "a.csv.gz": "csv", "a.mtx": "mtx",
		"a.edges": "edges", "a.el": "edges", "a.pgm": "image", "a.tiff": "image", "a.txt": FormatAuto,
		"a": FormatAuto, "-": FormatAuto,
	}
	for path, want := range cases {
		got := formatByName(&input{name: path}, path, Options{})
		name := FormatAuto
		if got != nil {
			name = got.name
		}
		if name != want {
			t.Errorf("%s is %s, want %s", path, name, want)
		}
	}
}

func TestUnknownContent(t *testing.T) {
	points := "FILE: holds points, which are no index stream; number their cells first"
	checkFaults(t, []fault{
		{"a.bin", "\x00\x01\x02\x03", Options{}, ErrUnsupported,
			"FILE: holds binary data of no known format; pass --format, such as u32 or u64"},
		{"a.bin.gz", zip(t, "\x00\x01"), Options{}, ErrUnsupported,
			"FILE: holds binary data of no known format; pass --format, such as u32 or u64"},
		{"a.xyz.gz", zip(t, "0 0 0\n"), Options{}, ErrUnsupported, points},
		{"a.ply", "ply\n", Options{}, ErrUnsupported, points},
		{"noname", "ply\nformat ascii 1.0\n", Options{}, ErrUnsupported, points},
		{"a.txt", "-1.5 0.25 3.5\n", Options{}, ErrUnsupported,
			`FILE: holds columns of fractions such as "-1.5", which are no index stream`},
		{"b.txt", "some prose here\n", Options{}, ErrFormat,
			`FILE: text of no known format, its first line is "some prose here"; pass --format`},
		{"c.txt", "1 b\n", Options{}, ErrFormat, `FILE:1: "b" is no whole number (--keys numbers any text)`},
		{"d.txt", "name\n1\n", Options{}, ErrFormat, `FILE:1: "name" is no whole number (--keys numbers any text)`},
		{"e.txt", "1\n2\n", Options{Axis: AxisCol}, ErrOptions,
			`FILE: wrong option: axis col applies to npy, npz, torch, safetensors, mtx, edges, not to text`},
		{"f.mtx", "%%MatrixMarket matrix coordinate pattern general\n", Options{Keys: true},
			ErrOptions, `FILE: wrong option: keys apply to npy, npz, torch, safetensors, u32, u64, text, csv, edges, not to mtx`},
		{"h.txt", "1 2 3 4 5\n", Options{}, ErrFormat, `FILE: "1 2 3 4 5" is no edge, which is two ` +
			`nodes and at most two more numbers; put one index on each line, or pass --format edges ` +
			`for the first two of each`},
		{"i.txt", "1,2,3,4,5\n", Options{}, ErrOptions, `FILE:1: choose one column with --column, ` +
			`by its name or number: 0 "1", 1 "2", 2 "3", 3 "4", 4 "5"`},
		{"g.mtx", "%%MatrixMarket matrix coordinate pattern general\n", Options{Column: "1"},
			ErrOptions, `FILE: wrong option: column "1" applies to npy, npz, torch, safetensors, csv, not to mtx`},
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
	bad := map[string]Options{
		`wrong option: format "xml" is none of auto, npy, npz, torch, safetensors, u32, u64, text, csv, mtx, edges, image`: {Format: "xml"},
		`wrong option: axis "diagonal" is neither row nor col`:                                                             {Axis: "diagonal"},
		`wrong option: order "size" is none of file, row, col`:                                                             {Order: "size"},
		`wrong option: order row applies to csv, mtx, edges, not to npy`: {Format: "npy",
			Order: OrderRow},
		`wrong option: ignore -1 applies to npy, npz, torch, safetensors, u32, u64, text, csv, edges, not to mtx`: {Format: "mtx",
			Ignore: "-1"},
		`wrong option: ignore -1 goes with the order of the file: what is ignored has no place in order row`: {
			Format: "edges", Ignore: "-1", Order: OrderRow},
		`wrong option: 4294967296 bins are more than 2^32-1, and one index stands for what is ignored`: {
			Bins: MaxBins, Ignore: "-1"},
		`wrong option: 4294967297 bins are more than 2^32`:                                       {Bins: MaxBins + 1},
		`wrong option: column "x" applies to npy, npz, torch, safetensors, csv, not to text`:     {Format: "text", Column: "x"},
		`wrong option: axis col applies to npy, npz, torch, safetensors, mtx, edges, not to csv`: {Format: "csv", Axis: AxisCol},
		`wrong option: row "-1" is no number`:                                                    {Row: "-1"},
		`wrong option: row 1 applies to npy, npz, torch, safetensors, not to csv`: {Format: "csv",
			Row: "1"},
		`wrong option: array "x" applies to npz, torch, safetensors, not to npy`: {Format: "npy",
			Array: "x"},
		`wrong option: keys apply to npy, npz, torch, safetensors, u32, u64, text, csv, edges, not to image`: {Format: "image", Keys: true},
	}
	for want, o := range bad {
		_, err := Open("-", o)
		if !errors.Is(err, ErrOptions) || err.Error() != want {
			t.Errorf("%+v: %v, want %s", o, err, want)
		}
	}
}
