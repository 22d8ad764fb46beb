package datasets

import (
	"io"
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
			`FILE: two columns are named "user": 0 "user" int32, 1 "user" int32`},
		{"b", "twins", Options{Format: "twins", Further: further}, ErrOptions,
			`FILE: choose one column with --column, by its name or number: 0 "user" int32, 1 "user" int32`},
		{"c", "twins", Options{Format: "twins", Further: further, Column: "item"}, ErrOptions,
			`FILE: there is no column "item", only 0 "user" int32, 1 "user" int32`},
	})
}

func TestCSVFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.csv", "user,item\n1,2\n", Options{}, ErrOptions,
			`FILE:1: choose one column with --column, by its name or number: 0 "user", 1 "item"`},
		{"b.csv", "\nuser,item\n1,2\n", Options{Column: "stamp"}, ErrOptions,
			`FILE:2: --column "stamp": there is no such column, only 0 "user", 1 "item"`},
		{"c.csv", "user,item\n1,2\n", Options{Column: "2"}, ErrOptions,
			`FILE:1: --column 2: there is no such column, only 0 "user", 1 "item"`},
		{"d.csv", "user,user\n1,2\n", Options{Column: "user"}, ErrOptions,
			`FILE:1: --column "user": two columns are named so: 0 "user", 1 "user"`},
		{"e.csv", "user,item\n1,2\n1\n", Options{Column: "user"}, ErrFormat,
			`FILE:3: 1 fields, and the first row has 2`},
		{"f.csv", "user,item\n\"1\",2,3\n", Options{Column: "user"}, ErrFormat,
			`FILE:2: 3 fields, and the first row has 2`},
		{"g.csv", "user\n\"1\n2\n", Options{}, ErrFormat,
			`FILE:2: extraneous or missing " in quoted-field`},
		{"h.csv", "user\n\"1\"x\"\"\n", Options{}, ErrFormat,
			`FILE:2: extraneous or missing " in quoted-field`},
		{"i.csv", "user\n1\"\"\n", Options{}, ErrFormat,
			`FILE:2: bare " in non-quoted-field`},
		{"j.csv", "user\n", Options{}, ErrEmpty, `FILE: the stream holds no update`},
		{"k.csv", "\n\n", Options{}, ErrEmpty, `FILE: holds no row`},
		{"l.csv", "user\n3.0\n", Options{}, ErrFormat, `FILE:2: "3.0" is no whole number (--keys numbers any text)`},
		{"m.csv", "user,item\n1,\n", Options{Column: "item"}, ErrFormat, `FILE:2: "" is no whole number (--keys numbers any text)`},
		{"n.csv", "-1\n", Options{}, ErrRange, `FILE:1: index -1 is negative (--ignore -1 takes it for padding)`},
		{"o.csv", "a\n\"x\n1\"\n", Options{}, ErrFormat, `FILE:2: "x\n1" is no whole number (--keys numbers any text)`},
		{"p.csv", "a,b,c\n1,2,3\n", Options{Column: "b", Order: OrderRow}, ErrOptions,
			`FILE:1: --order row needs two columns, and there are 0 "a", 1 "b", 2 "c"`},
	})
}

func TestMTXFaults(t *testing.T) {
	banner := func(rest string) string { return "%%MatrixMarket matrix coordinate " + rest }
	general := banner("real general\n")
	checkFaults(t, []fault{
		{"a.mtx", "3 3 1\n1 1 2\n", Options{}, ErrFormat,
			`FILE:1: "3 3 1" is no %%MatrixMarket header`},
		{"b.mtx", "%%MatrixMarket matrix\n", Options{}, ErrFormat,
			`FILE:1: the header has 2 words, not the five of "%%MatrixMarket matrix coordinate FIELD SYMMETRY"`},
		{"c.mtx", "%%MatrixMarket matrix array real general\n", Options{}, ErrUnsupported,
			`FILE:1: holds a dense matrix (array), which has no indices; only coordinate is read`},
		{"d.mtx", "%%MatrixMarket vector coordinate real general\n", Options{}, ErrUnsupported,
			`FILE:1: holds a "vector", not a matrix`},
		{"e.mtx", "%%MatrixMarket matrix sparse real general\n", Options{}, ErrFormat,
			`FILE:1: "sparse" is no Matrix Market layout`},
		{"f.mtx", banner("float general\n"), Options{}, ErrFormat,
			`FILE:1: "float" is no Matrix Market field`},
		{"g.mtx", banner("real diagonal\n"), Options{}, ErrFormat,
			`FILE:1: "diagonal" is no Matrix Market symmetry`},
		{"h.mtx", banner("pattern hermitian\n"), Options{}, ErrFormat,
			`FILE:1: a pattern matrix cannot be hermitian`},
		{"i.mtx", banner("pattern skew-symmetric\n"), Options{}, ErrFormat,
			`FILE:1: a pattern matrix cannot be skew-symmetric`},
		{"j.mtx", general + "% only comments\n", Options{}, ErrTruncated,
			`FILE: ends before the line of the matrix's size`},
		{"k.mtx", general + "3 3\n", Options{}, ErrFormat,
			`FILE:2: "3 3" is no size line of rows, columns and entries`},
		{"l.mtx", general + "3 x 1\n", Options{}, ErrFormat, `FILE:2: size "x" is no count`},
		{"m.mtx", general + "4294967297 3 1\n", Options{}, ErrRange,
			`FILE:2: 4294967297 rows and 3 columns, the most is 4294967296`},
		{"n.mtx", banner("real symmetric\n2 3 1\n"), Options{}, ErrFormat,
			`FILE:2: a symmetric matrix cannot have 2 rows and 3 columns`},
		{"o.mtx", general + "3 3 2\n1 1 5\n", Options{}, ErrTruncated,
			`FILE: the header promises 2 entries, the file holds 1`},
		{"p.mtx", general + "3 3 1\n1 1 5\n\n2 2 5\n", Options{}, ErrTruncated,
			`FILE:5: one entry more than the 1 that the header promises`},
		{"q.mtx", general + "3 3 1\n0 1 5\n", Options{}, ErrRange,
			`FILE:3: row index 0, and Matrix Market counts from 1`},
		{"r.mtx", general + "3 3 1\n1 0 5\n", Options{}, ErrRange,
			`FILE:3: column index 0, and Matrix Market counts from 1`},
		{"s.mtx", general + "3 3 1\n4 1 5\n", Options{}, ErrRange,
			`FILE:3: row index 4 is above the 3 that the header declares`},
		{"t.mtx", general + "3 3 1\n1 -1 5\n", Options{}, ErrRange,
			`FILE:3: column index -1 is negative`},
		{"u.mtx", general + "3 3 1\n1 1.0 5\n", Options{}, ErrFormat,
			`FILE:3: column index "1.0" is no number`},
		{"v.mtx", general + "3 3 1\n1 1\n", Options{}, ErrFormat,
			`FILE:3: "1 1" is no real entry of two indices and 1 values`},
		{"w.mtx", banner("pattern general\n3 3 1\n1 1 1\n"), Options{}, ErrFormat,
			`FILE:3: "1 1 1" is no pattern entry of two indices and 0 values`},
		{"x.mtx", general + "3 3 1\n3 1 5\n", Options{Bins: 2}, ErrRange,
			`FILE:3: row index 3 is outside of the 2 bins`},
		{"y.mtx", general + "%%MatrixMarket matrix coordinate real general\n", Options{}, ErrFormat,
			`FILE:2: second %%MatrixMarket header`},
		{"z.mtx", general + "1 1 1\n%%MatrixMarket matrix coordinate real general\n", Options{},
			ErrFormat, `FILE:3: second %%MatrixMarket header`},
		{"skew.mtx", banner("real skew-symmetric\n2 2 1\n2 2 1\n"), Options{}, ErrFormat,
			`FILE:3: entry (2, 2) on the diagonal of a skew-symmetric matrix`},
		{"both.mtx", banner("pattern symmetric\n2 2 2\n2 1\n1 2\n"), Options{}, ErrFormat,
			`FILE:4: entry (1, 2) of a symmetric matrix, whose entries so far are in the other triangle`},
		{"mirror.mtx", banner("pattern symmetric\n3 3 1\n3 1\n"), Options{Bins: 2, Axis: AxisCol},
			ErrRange, `FILE:3: row index 3 is outside of the 2 bins`},
		{"none.mtx", general + "3 3 0\n", Options{}, ErrEmpty, `FILE: the stream holds no update`},
		{"huge.mtx", general + "3 3 1\n99999999999999999999999 1 5\n", Options{}, ErrRange,
			`FILE:3: row index 99999999999999999999999 is above the 3 that the header declares`},
	})
}

func TestEdgeFaults(t *testing.T) {
	checkFaults(t, []fault{
		{"a.edges", "1 2\n3\n", Options{}, ErrFormat, `FILE:2: "3" is one column, an edge has two`},
		{"b.edges", "1 2\na 3\n", Options{}, ErrFormat, `FILE:2: "a" is no whole number (--keys numbers any text)`},
		{"c.edges", "1 2\n3 b\n", Options{}, ErrFormat, `FILE:2: "b" is no whole number (--keys numbers any text)`},
		{"d.edges", "1 2\n3 -4\n", Options{}, ErrRange, `FILE:2: index -4 is negative (--ignore -4 takes it for padding)`},
		{"e.edges", "1 2\n3 4294967296\n", Options{}, ErrRange,
			`FILE:2: index 4294967296 is above 4294967295 (--keys numbers such keys)`},
		{"f.edges", "1 9\n3 4\n", Options{Bins: 3}, ErrRange,
			`FILE:2: index 3 is outside of the 3 bins`},
		{"g.edges", "1 9\n3 4\n", Options{Bins: 9, Axis: AxisCol}, ErrRange,
			`FILE:1: index 9 is outside of the 9 bins`},
		{"h.edges", "1,,2\n", Options{}, ErrFormat, `FILE:1: "" is no whole number (--keys numbers any text)`},
		{"j.edges", "source,target\nuser,item\n", Options{}, ErrFormat,
			`FILE:2: "user" is no whole number (--keys numbers any text)`},
		{"k.edges", "source,target\n", Options{}, ErrEmpty, `FILE: the stream holds no update`},
		{"i.edges", "# nothing\n", Options{}, ErrEmpty, `FILE: the stream holds no update`},
	})
}
