package papers

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/lab/plot"
)

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
