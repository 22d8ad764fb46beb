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

func TestSummary(t *testing.T) {
	rows := someRows()
	for _, c := range []struct {
		rows []Row
		want string
	}{
		{rows, "4 of 6 statements hold; 4 numbers, 80 % off in the median and 150 % at " +
			"most (missed)"},
		{rows[:1], "1 of 1 statements hold; one number, 0 % off"},
		{append(rows[:1:1], rows[0]), "2 of 2 statements hold; 2 numbers, none off"},
		{rows[5:6], "1 of 1 statements hold"},
	} {
		if got := SummaryOf(c.rows).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if percent(1234.5) != "1,235 %" || percent(1.25) != "1.2 %" {
		t.Errorf("%s and %s", percent(1234.5), percent(1.25))
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
	if points["enforced"] != 2 || points["known gap"] != 1 || points["our reading"] != 1 ||
		points["limit, to stay below"] != 1 || page.Title != "5 numbers that paper gives, and ours" {
		t.Errorf("%q: %v", page.Title, points)
	}
	if none := NumbersPage("paper", someRows()[5:6]); len(none.Panels) != 0 {
		t.Errorf("a page without numbers: %+v", none)
	}
}
