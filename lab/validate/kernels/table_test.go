package kernels

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/gzipped"

	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/lab/validate"
)

const tableText = `# device: h200
# profile: aa
# behaviour: bb
# seed: 1
# streams: 2
# every: 0
# per form: 3
label,type,value,returns,implementation,simulated_us
"uniform:n=8,k=4,seed=1",u32,loaded,false,naive,12.5
"uniform:n=8,k=4,seed=1",f64,loaded,true,ss,1234567
"zipf:n=8,k=4,seed=1",u32,one,false,"private:r=4,pad=1",3
`

// TestTableRoundTrip: a table is read as it was written, through gzip too.
func TestTableRoundTrip(t *testing.T) {
	packed, err := gzipped.Pack([]byte(tableText))
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{[]byte(tableText), packed} {
		table, err := DecodeKernels("table", data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := table.Encode()
		if err != nil || string(again) != tableText {
			t.Errorf("%v, written again:\n%s", err, again)
		}
		if len(table.Times) != 3 || table.Times[2].US != 3 || !table.Times[1].Call.Returns ||
			table.Plan != (KernelPlan{Streams: 2, PerForm: 3}) {
			t.Errorf("read: %+v", table)
		}
	}
}

// TestTableFaults: a broken table is refused with file, line and value.
func TestTableFaults(t *testing.T) {
	for _, c := range []struct{ old, new, place string }{
		{"# seed: 1", "# seed: one", "table:4"}, {"# streams: 2", "# streams: -2", "table:7"},
		{"# per form: 3", "# per form: -3", "table:7"}, {"# profile: aa\n", "", "table:2"},
		{"# profile: aa", "# profile: ", "table:2"}, {"simulated_us", "us", "table:8"},
		{",12.5", ",0", "table:9"}, {",12.5", ",NaN", "table:9"}, {",12.5", ",Inf", "table:9"}, {",12.5", "", "table:9"},
		{"f64,loaded,true", "f65,loaded,true", "table:10"}, {"f64,loaded,true", "f64,loaded,maybe", "table:10"},
		{"f64,loaded,true,ss", "u32,loaded,false,naive", "table:10"}, {"private:r=4,pad=1", "private:r=x", "table:11"},
		{`"zipf:n=8`, `"zipf:n=8"`, "table:11"}, {`"zipf:n=8,k=4,seed=1"`, "", "table:11"},
	} {
		text := strings.Replace(tableText, c.old, c.new, 1)
		if text == tableText {
			t.Fatalf("%q is not in the table", c.old)
		}
		_, err := DecodeKernels("table", []byte(text))
		if !errors.Is(err, validate.ErrValidate) || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%q: %v, want %s", c.new, err, c.place)
		}
	}
	for _, data := range []string{"", "\x1f\x8bnothing"} {
		if _, err := DecodeKernels("table", []byte(data)); !errors.Is(err, validate.ErrValidate) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// FuzzDecodeKernels: whatever is read as a table is written and read again as
// the same one.
func FuzzDecodeKernels(f *testing.F) {
	f.Add([]byte(tableText))
	f.Add([]byte(strings.Replace(tableText, "12.5", "0x1p-3", 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var table KernelTable
		var err error
		allocation.Bound(t, len(data), func() { table, err = DecodeKernels("table", data) })
		if err != nil {
			return
		}
		text, err := table.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeKernels("table", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if second, err := again.Encode(); err != nil || !bytes.Equal(second, text) {
			t.Fatalf("%v\n%s\n%s", err, text, second)
		}
	})
}
