package bench

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/allocation"
	"github.com/atomtune/atomtune/lab/plot"
	"github.com/atomtune/atomtune/speedup"
)

// table makes a table on the H200 with an empty kernel of 2 us. A line is GROUP LABEL UPDATES BINS
// TYPE VALUE and then INDEX IMPLEMENTATION LAUNCH=US, each with ; between, the launch "-" for none.
func table(lines ...string) []byte {
	var w bytes.Buffer
	w.WriteString("# gpu: NVIDIA H200\n# driver: 580.1\n" + strings.Join(columns, ",") + "\n")
	write := func(stream []string, index, implementation, launch, chosen string, us float64) {
		if strings.Contains(chosen, ",") {
			chosen = strconv.Quote(chosen)
		}
		fmt.Fprintf(&w, "%s,\"%s\",%s,%s,100,31.5,%s,%s,%s,%s,%s,%s,%s,%v,%v,%v,10,1,0\n", stream[0], stream[1],
			stream[2], stream[3], "5", stream[4], stream[5], index, implementation, launch, chosen, us, us, us)
	}
	for _, line := range lines {
		parts := strings.Split(line, ";")
		stream := strings.Fields(parts[0])
		write(stream, "", "empty", "1x32x1", "", 2)
		for _, part := range parts[1:] {
			words := strings.Fields(part)
			launch, us, _ := strings.Cut(words[2], "=")
			var v float64
			fmt.Sscan(us, &v)
			write(stream, words[0], words[1], strings.Trim(launch, "-"), strings.Join(words[3:], " "), v)
		}
	}
	return w.Bytes()
}

func mustDecode(t *testing.T, lines ...string) *Run {
	t.Helper()
	r, err := Decode("made.csv", table(lines...))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// made are made-up times of four streams.
var made = []string{
	"recorded uniform:a 8388608 4096 f32 loaded;u32 atomtune -=20 naive 132x1024x4;u32 naive 132x1024x4=17;" +
		"i64 atomtune -=30;u32 naive 1056x256x1=16;u32 best 132x1024x1=16 naive;" +
		"i64 torch.scatter_add_ -=600;u32 atomtune:plan -=16;u32 atomtune:deterministic -=32",
	"recorded zipf:b 1048576 4096 f32 loaded;u32 atomtune -=10;i64 atomtune -=12;u32 naive 1056x256x1=90;" +
		"u32 best 132x1024x1=8 hot:s=64;i64 torch.scatter_add_ -=60",
	"skewed uniform:n=9 9000 64 u32 one;u32 atomtune -=10;u32 cub::HistogramEven -=40;i64 atomtune -=10;" +
		"i64 torch.bincount -=1000",
	"skewed zipf:n=9 9000 64 u32 one;u32 atomtune -=14;u32 cub::HistogramEven -=7;i64 atomtune -=14;" +
		"i64 torch.bincount -=140",
}

// TestFloor: with 32-bit indices the floor is that of closed forms, but for the launch; 64-bit ones
// add 4 bytes an update.
func TestFloor(t *testing.T) {
	p, err := profileOf("NVIDIA H200")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []Kind{{device.F32, device.Loaded}, {device.F64, device.Loaded}, {device.U32, device.One}} {
		for _, n := range []uint64{1 << 16, 1 << 26} {
			c := Case{Stream{Updates: n, Bins: 5000, Unique: 4000}, k, nil}
			b, err := speedup.CompileAll(nil, p, device.Call{Type: k.Type, Operand: k.Operand,
				Keeps: k.Operand == device.Loaded})
			if err != nil {
				t.Fatal(err)
			}
			want := b.Floor(&collision.Stats{Updates: n, Bins: 5000, Unique: 4000})
			first := p.Launch.First.Value
			got := c.floorUS(p, first, "u32")
			if math.Abs(got-want.US) > 1e-9*want.US {
				t.Errorf("%s, %d updates: %v us, closed forms say %v", k, n, got, want.US)
			}
			rate := p.Memory.DRAMRate.Value
			if n == 1<<16 {
				rate = p.Memory.L2Rate.Value
			}
			if wide := c.floorUS(p, first, "i64"); math.Abs(wide-got-4e6*float64(n)/rate) > 1e-6*wide {
				t.Errorf("%s, %d updates: %v us with wide indices, %v with narrow ones", k, n, wide, got)
			}
		}
	}
}

// TestComparisons: ratios are with the same indices, by hand.
func TestComparisons(t *testing.T) {
	r, err := NewReport(mustDecode(t, made...))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Comparison{}
	for _, c := range r.Comparisons {
		got[c.Rival+" "+c.Kind] = c
	}
	for name, want := range map[string][3]float64{ // mean, least, streams
		"PyTorch scatter_add_ f32 loaded": {10, 5, 2},
		"plain atomics f32 loaded":        {math.Sqrt(0.8 * 9), 0.8, 2},
		"CUB HistogramEven u32 one":       {math.Sqrt(4 * 0.5), 0.5, 2},
		"PyTorch bincount u32 one":        {math.Sqrt(100 * 10), 10, 2},
	} {
		c := got[name]
		if math.Abs(c.GeometricMean-want[0]) > 1e-9 || math.Abs(c.Least-want[1]) > 1e-9 ||
			c.Streams != int(want[2]) {
			t.Errorf("%s: %+v, want %v", name, c, want)
		}
	}
	if len(got) != 5 { // those, and the best implementation
		t.Errorf("%d comparisons: %v", len(got), got)
	}
	if c := got["plain atomics f32 loaded"]; c.Planned == nil || c.Planned.GeometricMean != 1 ||
		c.Planned.Streams != 1 || !(c.FloorPercent > 0 && c.FloorPercent < 100) ||
		c.RivalPercent >= c.FloorPercent {
		t.Errorf("plain atomics: %+v", c)
	}
}

// TestStatements: each value by hand, and whether it is met.
func TestStatements(t *testing.T) {
	r, err := NewReport(mustDecode(t, made...))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		text  string
		value float64
		rows  int
		met   bool
	}{
		{"the call over the best of all forms and launches, mean from 2^23", 1.25, 1, false},
		{"the call over the best of all forms and launches, mean from 2^20", 1.25, 2, true},
		{"the call over the best of all forms and launches, at worst", 1.25, 2, true},
		{"with a plan over the best of all forms and launches, mean from 2^23", 1, 1, true},
		{"the call beyond the form that it runs, at worst", 3, 1, true},
		{"with a plan over plain atomics", 1, 1, true},
		{"the call beyond plain atomics", 4, 2, true},
		{"PyTorch scatter_add_ over the call, recorded streams, mean", 10, 2, false},
		{"PyTorch scatter_add_ over the call with a plan", 0, 0, false},
		{"PyTorch scatter_add_ over the call, all streams, at worst", 5, 2, true},
		{"CUB HistogramEven over the call, recorded streams, mean", 0, 0, false},
		{"CUB HistogramEven over the call, all streams, at worst", 0.5, 2, false},
		{"skewed streams over the uniform one", 1.4, 1, false},
		{"deterministic over the best form", 2, 1, false},
		{"streams of real data", 0, 0, false},
		{"wrong results", 0, 4, true},
	} {
		found := 0
		for _, s := range r.Statements {
			if !strings.HasPrefix(s.Text, want.text) {
				continue
			}
			found++
			if math.Abs(s.Value-want.value) > 1e-9 || s.Rows != want.rows || s.Met != want.met {
				t.Errorf("%s: %v of %d rows, met %v; want %+v", s.Text, s.Value, s.Rows, s.Met, want)
			}
		}
		if found != 1 {
			t.Errorf("%d statements begin with %q", found, want.text)
		}
	}
	if l := r.Losses; len(l) != 2 || l[0].Times != 1.25 || l[0].Best != "naive" && l[0].Best != "hot:s=64" {
		t.Errorf("losses %+v", l)
	}
}

// TestWrongResultsCount: a wrong result stands in no ratio, and a statement counts it.
func TestWrongResultsCount(t *testing.T) {
	text := bytes.Replace(table(made...), []byte("torch.scatter_add_,,,600,600,600,10,1,0"),
		[]byte("torch.scatter_add_,,,600,600,600,10,1,7"), 1)
	run, err := Decode("made.csv", text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReport(run)
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Comparisons[0]; c.Rival != "PyTorch scatter_add_" || c.Streams != 1 || c.Least != 5 {
		t.Errorf("%+v", c)
	}
	if s := r.Statements[len(r.Statements)-1]; s.Value != 1 || s.Met {
		t.Errorf("%+v", s)
	}
}

// TestFaults: what is not a table is refused, with file and line.
func TestFaults(t *testing.T) {
	good := string(table(made[0]))
	for _, c := range []struct{ from, to, says string }{
		{"# gpu: NVIDIA H200\n", "", ""}, {"group,label", "label,group", "made.csv:3:"},
		{",8388608,", ",-1,", "made.csv:4:"}, {",f32,", ",f31,", "made.csv:4:"},
		{",2,2,2,10,", ",2,3,2,10,", "made.csv:4:"}, {",20,20,20,10,1,0", ",NaN,20,20,10,1,0", "made.csv:5:"},
		{",20,20,20,10,1,0", ",20,20,20,10,1", "made.csv:5:"}, {"i64,atomtune,", "u32,atomtune,", ""},
		{",empty,", ",full,", ""},
	} {
		text := strings.Replace(good, c.from, c.to, 1)
		if _, err := Decode("made.csv", []byte(text)); !errors.Is(err, ErrRun) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %q: error %v, want %q", c.to, c.from, err, c.says)
		}
	}
	run := mustDecode(t, made[0])
	run.GPU = "NVIDIA T4"
	if _, err := NewReport(run); !errors.Is(err, ErrRun) {
		t.Errorf("a GPU without a profile: error %v", err)
	}
}

// TestFigure: a panel for each kind of call, and in it lines of sorted times over the floor.
func TestFigure(t *testing.T) {
	r, err := NewReport(mustDecode(t, made...))
	if err != nil {
		t.Fatal(err)
	}
	if page := r.Figure(); len(page.Panels) != 2 {
		t.Fatalf("%d panels", len(page.Panels))
	}
	if all := r.Figures(); len(all) != 1 { // without real data
		t.Errorf("figures %v", all)
	}
	y := r.overFloor(Kind{device.F32, device.Loaded}, Place{"u32", call, ""})
	if len(y) != 2 || y[0] > y[1] || y[0] < 1 {
		t.Errorf("times over the floor %v", y)
	}
}

// TestPlainly: the bars of a kind of real data are the geometric means of its streams.
func TestPlainly(t *testing.T) {
	r, err := NewReport(mustDecode(t, append(slices.Clone(made),
		"real cat.png@grey 9000 256 f32 loaded;u32 atomtune -=4;u32 naive 1056x256x1=100",
		"real cat.png@red 9000 256 f32 loaded;u32 atomtune -=9;u32 naive 1056x256x1=400",
		"real web.txt@row 9000 9 f32 loaded;u32 atomtune -=7;u32 naive 1056x256x1=5",
		"real web.txt@row 9000 9 u32 one;u32 atomtune -=3;u32 naive 1056x256x1=2")...))
	if err != nil {
		t.Fatal(err)
	}
	page, drawn := r.plainly()
	if !drawn || len(r.Figures()) != 2 {
		t.Fatalf("figures %v", r.Figures())
	}
	bars := page.Panels[0].(plot.Bars)
	for i, want := range [][]float64{{200, 5}, {6, 7}} {
		if got := bars.Series[i].Values; len(got) != 2 || math.Abs(got[0]-want[0]) > 1e-9 || math.Abs(got[1]-want[1]) > 1e-9 {
			t.Errorf("%s: %v, want %v", bars.Series[i].Name, got, want)
		}
	}
}

// FuzzDecode: any text is a table of times above 0, or an error that names it.
func FuzzDecode(f *testing.F) {
	f.Add(table(made[0]))
	f.Add([]byte("# gpu: G\n" + strings.Join(columns, ",") + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r *Run
		var err error
		// Few bytes of a row are a case with a map.
		rows := strings.Count(string(data), "\n")
		allocation.BoundBeyond(t, len(data), rows<<11, func() { r, err = Decode("b.csv", data) })
		if err != nil {
			if !errors.Is(err, ErrRun) || !strings.Contains(err.Error(), "b.csv") {
				t.Error(err)
			}
			return
		}
		for _, c := range r.Cases {
			for place, v := range c.Times {
				if !(v.MinUS <= v.US && v.US <= v.MaxUS && v.US > 0) {
					t.Errorf("%v: %+v", place, v)
				}
			}
		}
	})
}
