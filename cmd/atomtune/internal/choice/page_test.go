package choice

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/commandtest"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/internal/must"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
)

// choose returns the document of a choice for a stream that is made.
func choose(t *testing.T, spec, on string, o tuner.Options) Document {
	t.Helper()
	d, err := device.Builtin(on)
	if err != nil {
		t.Fatal(err)
	}
	s, err := synth.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	indices, err := synth.Generate(s)
	if err != nil {
		t.Fatal(err)
	}
	doc := Document{Profile: d}
	stats, err := collision.Analyze(indices, collision.Options{Bins: uint64(s.K), Rows: o.Call.Wide(),
		WarpSize: int(d.Core.WarpLanes.Value)})
	if err != nil {
		t.Fatal(err)
	}
	if doc.Decision, err = tuner.Choose(&stats, d, o); err != nil {
		t.Fatal(err)
	}
	doc.Stream.Origin = &tuner.Origin{File: "synth:" + spec, Format: "synth"}
	return doc
}

// printed is the document on a page of so many columns.
func printed(doc Document, columns int, bold bool) string {
	p := &report.Page{Buffer: &bytes.Buffer{}, Width: columns, Bold: bold}
	Print(p, doc)
	return p.String()
}

// TestRows: a choice for rows has code and a legend of all that it names, and its lines fit terminals.
func TestRows(t *testing.T) {
	const half, sorted = "hotspot:n=200000,k=16384,h=1,p=0.5,seed=1", "sorted:n=200000,k=16384,seed=1"
	for _, c := range []struct {
		spec, device string
		call         device.Call
	}{
		{half, "h200", device.Call{Type: device.F32, Width: 128}},
		{sorted, "h100", device.Call{Type: device.F32, Values: device.BF16, Width: 3, Keeps: true}},
		{"uniform:n=2,k=1", "b200", device.Call{Type: device.BF16, Width: device.MostWidth}},
		{"uniform:n=50000,k=4000000", "a100", device.Call{Type: device.F64, Width: 1}},
		{half, "h200", device.Call{Type: device.I64, Op: device.Max, Width: 16}},
	} {
		o := tuner.Options{Call: c.call, SearchLaunch: true}
		doc := choose(t, c.spec, c.device, o)
		if err := doc.Complete(must.Get(tuner.New(doc.Profile, o))(t), &input.Source{}, datasets.Options{}); err != nil {
			t.Fatal(err)
		}
		clears := c.call.Op != device.Add && !c.call.Keeps
		if (len(doc.Code) == 0) != clears || doc.ValueType != c.call.ValueType().String() || doc.Width != c.call.Width {
			t.Errorf("%s: code %q, values %s, width %d", c.call.Words(), doc.Code, doc.ValueType, doc.Width)
		}
		if out := printed(doc, 80, false); strings.Contains(out, "atomprobe --stream") {
			t.Errorf("%s: atomprobe times no rows:\n%s", c.call.Words(), out)
		}
		for _, explained := range []bool{false, true} {
			if explained {
				doc.Legend = Explained(&doc.Decision)
			}
			for _, columns := range []int{80, 100, 200} {
				commandtest.Fits(t, printed(doc, columns, false), columns)
			}
		}
		for _, r := range doc.Ranking {
			if doc.Legend[r.Binding] == "" {
				t.Errorf("%s: the legend %v lacks %s", c.call.Words(), doc.Legend, r.Binding)
			}
		}
	}
}

// TestAnswerFitsAScreen: on 80 columns the answer has 24 lines at most, beside warnings, and names the choice
// and naive; with All everything follows.
func TestAnswerFitsAScreen(t *testing.T) {
	for _, spec := range []string{"uniform:n=50000,k=256", "uniform:n=50000,k=1000000", "zipf:n=200000,k=100000,s=1.1",
		"sorted:n=200000,k=16384", "hotspot:n=50000,k=300,h=1,p=0.5"} {
		for _, on := range []string{"h200", "gtx680"} {
			doc := choose(t, spec, on, tuner.Options{})
			doc.Warnings = nil
			out := printed(doc, 80, false)
			if n := strings.Count(out, "\n"); n > 24 || !strings.Contains(out, " naive ") ||
				!strings.Contains(out, doc.Choice.Implementation.String()) {
				t.Errorf("%s, %s: %d lines\n%s", spec, on, n, out)
			}
			doc.All = true
			if all := printed(doc, 80, false); strings.Count(all, "\n") < len(doc.Ranking)+10 {
				t.Errorf("%s, %s: not all of\n%s", spec, on, all)
			}
		}
	}
}

// TestIntervalPrinted: an interval is printed where there is one.
func TestIntervalPrinted(t *testing.T) {
	for on, want := range map[string]bool{"h200": true, "h100": true, "gtx680": false, "v100": false} {
		doc := choose(t, "uniform:n=50000,k=256", on, tuner.Options{})
		if said := strings.Contains(strings.Join(strings.Fields(printed(doc, 100, false)), " "), "in 9 of 10 cases"); said != want || (doc.Choice.LowUS != nil) != want {
			t.Errorf("%s: an interval is printed: %t, from %v us", on, said, doc.Choice.LowUS)
		}
	}
}

const code = "  update_private<Naive, 4><<<132, 1024, 16448>>>(A, index, Loaded<uint32_t>{values}, n, " +
	"Copies{256, 16, 1, false});"

// TestWidths: whatever the stream and the constraints, each line fits terminals of 80 columns and
// more, and what drops out of the table first is the class.
func TestWidths(t *testing.T) {
	const hot = "hotspot:n=50000,k=9000,h=3,p=0.3"
	for _, c := range []struct {
		spec, device string
		o            tuner.Options
	}{
		{"uniform:n=50000,k=256", "h200", tuner.Options{SearchLaunch: true}},
		{hot, "h200", tuner.Options{Cautious: true, NoSort: true, MemoryBytes: 1 << 16}},
		{hot, "h200", tuner.Options{Call: device.Call{Type: device.F64}, Deterministic: true}},
		{hot, "h100", tuner.Options{Call: device.Call{Returns: true, Keeps: true}}},
		{"constant:n=3000,k=2", "hd5870", tuner.Options{}},
		{"sorted:n=50000,k=1000", "gtx680", tuner.Options{Call: device.Call{Op: device.Max}}},
	} {
		doc := choose(t, c.spec, c.device, c.o)
		doc.Code = []string{`#include "atomtune_kernels.cuh"`, code}
		for _, explained := range []bool{false, true} {
			if explained {
				doc.Legend = Explained(&doc.Decision)
			}
			for _, columns := range []int{80, 100, 200} {
				out := printed(doc, columns, false)
				commandtest.Fits(t, out, columns)
				if columns == 200 && !strings.Contains(out, "class") {
					t.Errorf("%s on %s, %d columns:\n%s", c.spec, c.device, columns, out)
				}
			}
		}
	}
}

// TestSingle: of one update there are two lines, and its warnings.
func TestSingle(t *testing.T) {
	doc := choose(t, "uniform:n=1,k=1", "h200", tuner.Options{})
	for _, texts := range [][]string{{}, {"first doubt"}, {"first doubt", "second doubt"}} {
		doc.Warnings = nil
		doc.Warnings.Add(texts...)
		out := printed(doc, 80, false)
		if strings.Count(out, "\n") != 2+len(doc.Warnings) || !strings.Contains(out, " naive, ") ||
			strings.Count(out, " doubt\n") != len(doc.Warnings) {
			t.Errorf("one update:\n%s", out)
		}
	}
	doc.Legend = Explained(&doc.Decision)
	if out := printed(doc, 80, false); strings.Count(out, "\n") < 3 {
		t.Errorf("one update, explained:\n%s", out)
	}
}

// TestBold: where the page shows it, the choice is bold, twice, and nothing else.
func TestBold(t *testing.T) {
	doc := choose(t, "uniform:n=5000,k=64", "h200", tuner.Options{})
	commandtest.Bold(t, printed(doc, 80, true), printed(doc, 80, false), command.Strong(doc.Choice.Implementation.String(), true))
}

// TestLegend: each bound that the ranking or the reason names is explained, no other, and the
// document holds the sentences.
func TestLegend(t *testing.T) {
	doc := choose(t, "hotspot:n=50000,k=300,h=1,p=0.5", "h200", tuner.Options{})
	doc.Legend = Explained(&doc.Decision)
	out := printed(doc, 80, false)
	for _, r := range doc.Ranking {
		if doc.Legend[r.Binding] == "" {
			t.Errorf("%s is not explained", r.Binding)
		}
	}
	for name, meaning := range doc.Legend {
		first, _, _ := strings.Cut(meaning, " ")
		if !strings.Contains(out, "\n  "+name+" ") || !strings.Contains(out, " "+first) ||
			meaning != speedup.Meaning(name) {
			t.Errorf("%s: %s\n%s", name, meaning, out)
		}
	}
	if len(doc.Legend) < 3 || len(doc.Legend) >= len(speedup.Bottlenecks()) {
		t.Errorf("%d bounds: %v", len(doc.Legend), slices.Sorted(maps.Keys(doc.Legend)))
	}
	encoded, err := json.Marshal(doc)
	if err != nil || !strings.Contains(string(encoded), `"legend":{`) {
		t.Errorf("document %s, %v", encoded, err)
	}
}

// TestOverNaive: nothing is 1 time as fast.
func TestOverNaive(t *testing.T) {
	for ratio, want := range map[float64]string{18.83: "18.8", 1.004: "", 0.9961: "", 0.5: "2", 1.0051: "1.01"} {
		if got := overNaive(&ratio); commandtest.Numbers(got) != want || strings.Contains(got, " long ") != (ratio == 0.5) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := overNaive(nil); got != "" {
		t.Errorf("%q of no ratio", got)
	}
}

// TestBroken: lines of code break after commas, and are the same code.
func TestBroken(t *testing.T) {
	for _, columns := range []int{40, 60, 78, 200} {
		list := broken(code, columns)
		for _, line := range list {
			if len(line) > max(columns, 50) {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
		if got := strings.Join(strings.Fields(strings.Join(list, " ")), " "); got != strings.TrimSpace(code) ||
			(len(list) == 1) != (columns == 200) {
			t.Errorf("%d columns: %q", columns, list)
		}
	}
	for _, whole := range []string{"#define A(x, y) " + strings.Repeat("x, ", 40),
		"f(a, b);  // " + strings.Repeat("x, ", 40)} {
		if list := broken(whole, 40); len(list) != 1 || list[0] != whole {
			t.Errorf("%q", list)
		}
	}
}
