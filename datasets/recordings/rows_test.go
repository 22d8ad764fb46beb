package recordings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/device"
)

const goodRows = "# gpu: G\n# torch: 2\n" +
	"label,updates,rows,unique,max_frequency,type,width,form,slots,median_us,min_us,max_us,repeats,wrong\n" +
	`"uniform:n=99,k=50",99,50,10,60,bf16 to f32,8,torch.index_add_,0,8,7,9,10,3` + "\n" +
	`"uniform:n=99,k=50",99,50,10,60,bf16 to f32,8,hot,4,5,5,5,10,0` + "\n"

func TestDecodeRows(t *testing.T) {
	gpu, all, err := DecodeRows("r.csv", []byte(goodRows))
	if err != nil || gpu != "G" || len(all) != 2 {
		t.Fatal(gpu, all, err)
	}
	want := RowScatter{Label: "uniform:n=99,k=50", Updates: 99, Rows: 50, Unique: 10, MaxFrequency: 60,
		Type: "bf16 to f32", Form: RowForm{"hot", 4}, MedianUS: 5, MinUS: 5, MaxUS: 5, Repeats: 10, Line: 5,
		Call: device.Call{Type: device.F32, Values: device.BF16, Width: 8, IndexBytes: 8, Keeps: true}}
	if diff := cmp.Diff(want, all[1]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if all[0].Form.IsImplementation() || !all[1].Form.IsImplementation() {
		t.Error("PyTorch's call is not an implementation of this list, hot is")
	}
}

// TestBrokenRows changes a good table and demands one error that names the line and the value.
func TestBrokenRows(t *testing.T) {
	replaced := func(old, with string) string { return strings.Replace(goodRows, old, with, 1) }
	last := goodRows[strings.LastIndex(strings.TrimSpace(goodRows), "\n")+1:]
	checkBroken(t, []fault{
		{"", "r.csv:1", ""}, {replaced("# gpu: G\n", ""), "r.csv:1", "gpu"}, {replaced("wrong", "right"), "r.csv:3", ""},
		{goodRows + last, "r.csv:6", "line 5"}, {replaced("4,5,5,5", "4,0,0,5"), "r.csv:5", "median_us 0"},
		{replaced("4,5,5,5", "4,x,5,5"), "r.csv:5", `"x"`}, {replaced("4,5,5,5", "4,6,5,5"), "r.csv:5", "6"},
		{replaced("4,5,5,5", "-1,5,5,5"), "r.csv:5", `"-1"`}, {replaced("hot,4", "hot,3"), "r.csv:5", "3"},
		{replaced("hot", "warm"), "r.csv:5", "warm"}, {replaced("to f32,8", "to f16,8"), "r.csv:4", "f16"},
		{replaced("f32,8", "f32,0"), "r.csv:4", `"0"`}, {replaced("uniform", "file"), "r.csv:4", "file"},
	}, func(text string) error {
		_, _, err := DecodeRows("r.csv", []byte(text))
		return err
	})
}
