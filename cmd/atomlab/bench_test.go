package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/gzipped"
)

// benchTable is a made-up table of one stream on a GPU.
func benchTable(gpu string) string {
	var w strings.Builder
	fmt.Fprintf(&w, "# gpu: %s\n# torch: 2.0\n", gpu)
	w.WriteString("group,label,updates,bins,unique,distinct_per_warp,max_frequency,type,value,index," +
		"implementation,launch,chosen,median_us,min_us,max_us,repeats,hidden,wrong\n")
	for _, c := range []struct {
		index, name, launch, chosen string
		us                          int
	}{
		{"", "empty", "1x32x1", "", 2}, {"u32", "atomtune", "", "match 132x1024x4", 10},
		{"i64", "atomtune", "", "match 132x1024x4", 12}, {"u32", "naive", "1056x256x1", "", 40},
		{"u32", "match", "132x1024x4", "", 8}, {"u32", "best", "132x1024x4", "match", 8},
		{"i64", "torch.scatter_add_", "", "", 240},
	} {
		fmt.Fprintf(&w, "recorded,\"uniform:n=1048576,k=64\",1048576,64,64,20,17000,f32,loaded,%s,%s,%s,%s,"+
			"%d,%d,%d,10,1,0\n", c.index, c.name, c.launch, c.chosen, c.us, c.us, c.us)
	}
	return w.String()
}

// ladderTable is that of a later run with the ladder beside the call.
func ladderTable(gpu string) string {
	lines := strings.SplitAfter(benchTable(gpu), "\n")
	ladder := strings.NewReplacer(",atomtune,", ",ladder,", "match 132x1024x4", "private 264x256x4")
	return strings.Join(append(lines[:5], ladder.Replace(lines[4])), "")
}

// writeTables writes the tables that the examples of bench read.
func writeTables(t *testing.T) {
	t.Helper()
	packed, err := gzipped.Pack([]byte(benchTable("NVIDIA H200")))
	if err == nil {
		err = os.MkdirAll("lab/bench/recorded", 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"lab/bench/recorded/h200.csv.gz": string(packed),
		"h200.csv":                       benchTable("NVIDIA H200"),
		"h100.csv":                       benchTable("NVIDIA H100 80GB HBM3"),
		"ladder.csv":                     ladderTable("NVIDIA H200"),
		"rows.csv":                       rowTable("NVIDIA H200"),
	} {
		write(t, path, text)
	}
}

// rowTable is a run of two calls that update rows.
func rowTable(gpu string) string {
	const c = `"uniform:n=3000,k=100,seed=1",3000,100,100,43,f32,8,`
	return "# gpu: " + gpu + "\nlabel,updates,rows,unique,max_frequency,type,width,form,slots,median_us,min_us," +
		"max_us,repeats,wrong\n" + c + "automatic,0,9,9,9,10,0\n" + c + "runs,0,8,8,8,10,0\n" + c +
		"hot,4,20,20,20,10,0\n"
}

// TestBenchRows: prices and simulated times of a run, which are kept and not simulated again.
func TestBenchRows(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTables(t)
	var first, again, alone benchRowsDocument
	for _, c := range []struct {
		more string
		doc  *benchRowsDocument
	}{{"", &alone}, {" --simulated s.csv --simulate 1", &first}, {" --simulated s.csv", &again}} {
		decode(t, done(t, strings.Fields("bench rows --json --run rows.csv"+c.more)...), c.doc)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
	for i, f := range first.Forms {
		calls := map[string]int{"runs": 1, "hot": 1}[f.Form]
		if alone.Forms[i].Simulated != nil || calls == 0 != (f.Predicted == nil) ||
			calls == 0 != (f.Simulated == nil) || calls > 0 && (f.Predicted.Calls != 1 || f.Simulated.Calls != 1) {
			t.Errorf("%s: %+v, %+v", f.Form, f.Predicted, f.Simulated)
		}
	}
}

// TestBench: a run as a document, and with --out figures too.
func TestBench(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	writeTables(t)
	read := done(t, "bench", "scatter", "--run", "lab/bench/recorded/h200.csv.gz", "--json")
	var doc benchDocument
	decode(t, read, &doc)
	if len(doc.Reports) != 1 || math.Abs(doc.Reports[0].Comparisons[0].GeometricMean-20) > 1e-9 {
		t.Errorf("%+v", doc)
	}
	text := done(t, "bench", "scatter", "--run", "h200.csv", "--run", "h100.csv", "--out", "doc")
	for _, word := range []string{"NVIDIA H200", "NVIDIA H100", "scatter_add_", "doc/bench-h100.png", "doc/BENCH.md"} {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in\n%s", word, text)
		}
	}
	page, err := os.ReadFile("doc/BENCH.md")
	if err != nil || !bytes.Contains(page, []byte("(bench-h200.svg)")) {
		t.Errorf("doc/BENCH.md: %v\n%s", err, page)
	}
}

// TestBenchMore: implementations that a run lacks come from a table of some alone.
func TestBenchMore(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	writeTables(t)
	alone := done(t, "bench", "scatter", "--run", "h200.csv")
	with := done(t, "bench", "scatter", "--run", "h200.csv", "--more", "ladder.csv", "--out", "doc")
	page, err := os.ReadFile("doc/BENCH.md")
	for text, want := range map[string]bool{alone: false, with: true, string(page): true} {
		if strings.Contains(text, "ladder") != want || err != nil {
			t.Errorf("the ladder stands in it, want %t, %v:\n%s", want, err, text)
		}
	}
}
