package datasets

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/datasets/tensor"
)

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
		{"l.csv", "user\n3.0\n", Options{}, ErrFormat, `:2: "3.0"`},
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
