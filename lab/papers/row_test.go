package papers

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/lab/plot"
)

func TestValue(t *testing.T) {
	for _, c := range []struct {
		v          Value
		text, json string
	}{
		{Number(212340), "212340", "212340"}, {Number(1234.5678), "1235", "1235"},
		{Number(-0.97941), "-0.9794", "-0.9794"}, {Number(1e-7), "0.0000001", "1e-7"},
		{Text("identical"), "identical", `"identical"`}, {Interval(1.99999, 2.00001), "2", "2"},
		{Interval(0.5, 2), "0.5 to 2", `"0.5 to 2"`},
	} {
		text, err := json.Marshal(c.v)
		if err != nil || c.v.String() != c.text || string(text) != c.json {
			t.Errorf("%+v prints %q and %s, %v; want %q and %s", c.v, c.v, text, err, c.text, c.json)
		}
	}
	if v, ok := Number(3).Float(); v != 3 || !ok {
		t.Errorf("3 is %v, %v", v, ok)
	}
	if _, ok := Text("3").Float(); ok {
		t.Error("a text is a number")
	}
}

// TestFailure: a broken statement fails, and so does a gap that has closed.
func TestFailure(t *testing.T) {
	for _, holds := range []bool{true, false} {
		for status, fails := range map[string]bool{Enforced: !holds, KnownGap: holds} {
			r := Row{Item: "what", PaperValue: Number(2), Ours: Number(3), Status: status, Holds: holds}
			if got := r.Failure(); (got != "") != fails || fails && !strings.HasPrefix(got, r.Item) {
				t.Errorf("%s, %v: %q", status, holds, got)
			}
		}
	}
}

// TestStatements: a row takes what the table has of it, and each statement has one row.
func TestStatements(t *testing.T) {
	table := tableOf("paper", "experiment,item,paper,unit,status,reason\n"+
		"a,x,less,us,enforced,%d runs\na,y,,%,known_gap,at most 2 %\nb,x,less,us,enforced,why\n")
	var f Findings
	f.StateNumber("y", 7, []float64{3, 1}, false)
	f.State("x", 3, true, 5)
	if err := table["a"].complete(f.Rows); err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{"paper", "a: y", Number(7), Interval(1, 3), "%", KnownGap, "at most 2 %", false, false, nil},
		{"paper", "a: x", Text("less"), Number(3), "us", Enforced, "5 runs", true, false, nil},
	}
	if !reflect.DeepEqual(f.Rows, want) {
		t.Errorf("%+v, want %+v", f.Rows, want)
	}
	for fault, rows := range map[string][]Row{
		"1 rows": {{Item: "x"}}, `"z"`: {{Item: "x"}, {Item: "z"}},
		`"x"`: {{Item: "x", PaperValue: Number(2)}, {Item: "y"}}, `"y"`: {{Item: "x"}, {Item: "y"}},
	} {
		if err := table["a"].complete(rows); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want one with %q", err, fault)
		}
	}
}

// TestRatioKinds: a ratio is met up to its kind's factor, and never from the other side of 1.
func TestRatioKinds(t *testing.T) {
	for _, c := range []struct {
		kind        RatioKind
		paper, ours float64
		want        bool
	}{
		{Average, 2, 2.5, true}, {Average, 2, 2.51, false},
		{Average, 2, 1.6, true}, {Average, 2, 1.59, false},
		{Extreme, 2, 3, true}, {Extreme, 2, 3.01, false},
		{Extreme, 3, 2, true}, {Extreme, 3, 1.99, false},
		// the side of 1
		{Average, 0.95, 1.04, false}, {Average, 1.04, 0.95, false},
		{Extreme, 0.91, 1.3, false}, {Extreme, 0.91, 0.7, true}, {Extreme, 0.7, 0.99, true},
		{Extreme, 0.99, 1.006, false}, {Extreme, 1.01, 0.994, false},
		// 1 to two decimals is neither a speedup nor a slowdown
		{Extreme, 1.5, 1.004, false}, {Extreme, 1.5, 1.006, true}, {Average, 0.9, 1, false},
		{Average, 1, 1.2, false}, {Average, 1, 0.81, false}, {Average, 1, 0.996, true},
		// but the last decimal decides nothing
		{Extreme, 0.99, 1.004, true}, {Average, 1.01, 0.996, true}, {Average, 1, 1.01, true},
		// no ratio
		{Average, 2, 0, false}, {Extreme, 2, -2, false}, {Extreme, 2, math.NaN(), false},
		{Extreme, 2, math.Inf(1), false},
	} {
		if got := c.kind.Met(c.ours, c.paper); got != c.want {
			t.Errorf("kind %d: %v for %v: %v, want %v", c.kind, c.ours, c.paper, got, c.want)
		}
	}
}

// TestLossMet: each published loss is its own limit.
func TestLossMet(t *testing.T) {
	for _, c := range []struct {
		paper, ours float64
		want        bool
	}{
		{0.04, 0.05, true}, {0.04, 0.051, false}, {0.04, 12.8, false},
		{12.8, 16, true}, {12.8, 16.1, false}, {12.8, 0, true}, {9.41, 0.04, true},
		{9.41, -1, false}, {9.41, math.NaN(), false},
	} {
		if got := LossMet(c.ours, c.paper); got != c.want {
			t.Errorf("%v %% for %v %%: %v, want %v", c.ours, c.paper, got, c.want)
		}
	}
}

// TestWithin: a ratio may be as much above the paper's as below it, and is never negative.
func TestWithin(t *testing.T) {
	for _, c := range []struct {
		ours, paper, factor float64
		want                bool
	}{
		{10, 10, 1, true}, {12, 10, 1.25, true}, {8.5, 10, 1.25, true}, {13, 10, 1.25, false},
		{7.5, 10, 1.25, false}, {0, 10, 1.25, false}, {-10, -10, 1.25, false},
	} {
		if got := Within(c.ours, c.paper, c.factor); got != c.want {
			t.Errorf("%v within %v of %v: %t", c.ours, c.factor, c.paper, got)
		}
	}
}

// TestImageBins: the levels of an image are spread evenly over the bins, the highest into the last.
func TestImageBins(t *testing.T) {
	m := Image{Pixels: []uint32{0, 1, 2, 3, 4, 5}, Levels: 6}
	for count, want := range map[int][]uint32{
		1: {0, 0, 0, 0, 0, 0}, 2: {0, 0, 0, 1, 1, 1}, 3: {0, 0, 1, 1, 2, 2}, 6: {0, 1, 2, 3, 4, 5},
	} {
		if got := m.Bins(count); !slices.Equal(got, want) {
			t.Errorf("%d bins: %v, want %v", count, got, want)
		}
	}
	twelve := Image{Pixels: []uint32{0, 127, 128, 4095}} // of 12 bits, by default
	if got := twelve.Bins(32); !slices.Equal(got, []uint32{0, 0, 1, 31}) {
		t.Errorf("32 bins of 12 bits: %v", got)
	}
}

// someRows are numbers that are met, missed, an interval, a limit and a reading, and words.
func someRows() []Row {
	return []Row{
		{Item: "e: met", PaperValue: Number(4), Ours: Number(4), Status: Enforced},
		{Item: "e: missed", PaperValue: Number(10), Ours: Number(25), Status: KnownGap},
		{Item: "e: around", PaperValue: Number(2), Ours: Interval(1, 2.5), Status: Enforced},
		{Item: "e: kept", PaperValue: Number(8), Ours: Number(1), Status: Enforced, limit: true},
		{Item: "e: read", PaperValue: Number(3), Ours: Number(300), Status: Reading},
		{Item: "e: told", PaperValue: Text("few"), Ours: Text("3 of 7"), Status: Enforced},
		{Item: "e: slower", PaperValue: Number(60), Ours: Number(-6), Status: KnownGap},
	}
}

// TestOff: the median and the largest of 0, 150, 50 and 110 percent.
func TestOff(t *testing.T) {
	want := Off{Numbers: 4, Median: 80, Most: 150, Worst: "e: missed"}
	got := OffOf(someRows())
	got.Median = math.Round(1e9*got.Median) / 1e9
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := OffOf(someRows()[3:6]); none != (Off{}) {
		t.Errorf("no number to meet: %+v", none)
	}
}

// TestNumbersPage: a series for each status, without what a logarithmic axis cannot show.
func TestNumbersPage(t *testing.T) {
	page := NumbersPage("paper", someRows())
	if _, err := page.SVG(); err != nil {
		t.Fatal(err)
	}
	points := map[string]int{}
	for _, l := range page.Panels[0].(plot.Figure).Lines {
		points[l.Name] = len(l.X)
	}
	want := map[string]int{"enforced": 2, "known gap": 1, "our reading": 1, "limit, to stay below": 1}
	for name, n := range want {
		if points[name] != n {
			t.Errorf("%s: %d points, want %d", name, points[name], n)
		}
	}
	if none := NumbersPage("paper", someRows()[5:6]); len(none.Panels) != 0 {
		t.Errorf("a page without numbers: %+v", none)
	}
}
