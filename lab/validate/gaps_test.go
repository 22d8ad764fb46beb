package validate

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/internal/allocation"
)

// TestJudge: a known gap fails where it has widened, where it has closed, and where nothing is checked
// of its name; another limit may not become a gap.
func TestJudge(t *testing.T) {
	gaps := map[string]Gap{"error": {20, "why"}}
	for _, c := range []struct {
		what string
		item string
		at   float64
		want string // words of the failures, "" for none
	}{
		{"as it was", "error", 18, ""}, {"widened", "error", 21, "has widened"},
		{"closed", "error", 9, "has closed"}, {"at the limit", "error", 10, "has closed"},
		{"unknown", "other", 11, "other: 11 %, limit 10; error: a known gap of nothing that is checked"},
	} {
		checks := []Check{AtMost(c.item, c.at, 10, UnitPercent, 1)}
		got := strings.Join(Judge(checks, gaps), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
		if (checks[0].State() == Failed) != (c.want != "") {
			t.Errorf("%s: state %s", c.what, checks[0].State())
		}
	}
	speed := []Check{AtLeast("error", 5, 10, "1/s", 1)}
	if got := Judge(speed, gaps); len(got) != 1 || !strings.Contains(got[0], "limit 10") {
		t.Errorf("a speed as a known gap: %q", got)
	}
}

// TestGapsFile: gaps are read as they were written, reasons stay, and a broken
// file is refused with its line.
func TestGapsFile(t *testing.T) {
	checks := []Check{
		{Item: "a, b: median", Value: 12.31, Limit: 10, Unit: "%"},
		{Item: "c", Value: 9, Limit: 10, Unit: "%"},
		{Item: "d", Value: 0.70049, Limit: 0.85, Unit: UnitTau, Least: true},
		{Item: "table", Value: 1, Limit: 0},
	}
	text, err := EncodeGaps(checks, map[string]Gap{"d": {Holds: 0.8, Reason: "why"}})
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := DecodeGaps("gaps", text)
	want := map[string]Gap{"a, b: median": {Holds: 12.4, Reason: Unexplained},
		"d": {Holds: 0.7, Reason: "why"}}
	if diff := cmp.Diff(want, gaps, cmp.AllowUnexported(Gap{})); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	head := "item,limit,holds,unit,reason\n"
	for _, c := range []struct{ text, word string }{
		{"", "gaps"}, {"item,limit,holds,unit,why\n", "gaps:1"}, {head + "a,10,many,%,why\n", "gaps:2"},
		{head + "a,10,12,%,why\na,10,12,%,why\n", "gaps:3"}, {head + "a,10,12,%,\n", "gaps:2"},
		{head + "a,10,12,%\n", "gaps"},
	} {
		if _, err := DecodeGaps("gaps", []byte(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.word) {
			t.Errorf("%q: %v, want %q", c.text, err, c.word)
		}
	}
}

// TestChecksDiscriminate plants results that must fail.
func TestChecksDiscriminate(t *testing.T) {
	for want, c := range map[string]Check{
		"limit":     {Value: 2, Limit: 1, Rows: 1, Status: Enforced},
		"limit 3":   {Value: 2, Limit: 3, Least: true, Rows: 1, Status: Enforced},
		"closed":    {Value: 1, Limit: 2, Rows: 1, Status: KnownGap, Reason: "why"},
		"status":    {Value: 1, Limit: 2, Rows: 1},
		"reason":    {Value: 3, Limit: 2, Rows: 1, Status: KnownGap},
		"no value":  {Value: math.NaN(), Limit: 2, Rows: 1, Status: KnownGap, Reason: "why"},
		"nothing":   {Value: 0, Limit: 2, Status: Enforced},
		"no figure": {Value: 1, Limit: 2, Rows: 1, Status: Enforced},
	} {
		failure := c.Failure()
		if (want == "no figure") != (failure == "") || (failure != "" &&
			!strings.Contains(failure, want)) {
			t.Errorf("%+v: %q, want %q", c, failure, want)
		}
	}
}

// FuzzDecodeGaps: any text is a list of gaps with reasons, or an error that names file and line.
func FuzzDecodeGaps(f *testing.F) {
	f.Add([]byte(strings.Join(gapColumns, ",") + "\na,1,1.5,times,\"because, well\"\n"))
	f.Add([]byte("item\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var gaps map[string]Gap
		var err error
		rows := strings.Count(string(data), "\n") + 1
		allocation.BoundBeyond(t, len(data), rows<<10, func() { gaps, err = DecodeGaps("gaps.csv", data) })
		if err != nil {
			if !strings.Contains(err.Error(), "gaps.csv:") {
				t.Error(err)
			}
			return
		}
		for item, gap := range gaps {
			if item == "" || gap.Reason == "" {
				t.Errorf("%q: %+v", item, gap)
			}
		}
	})
}
