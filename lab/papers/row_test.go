package papers

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestValue(t *testing.T) {
	checked := 0
	for _, c := range []struct {
		v          Value
		text, json string
	}{
		{Number(108), "108", "108"},
		{Number(212340), "212340", "212340"},
		{Number(1234.5678), "1235", "1235"},
		{Number(-0.97941), "-0.9794", "-0.9794"},
		{Number(1e-7), "0.0000001", "1e-7"},
		{Text("identical"), "identical", `"identical"`},
		{Interval(2, 2), "2", "2"},
		{Interval(1.99999, 2.00001), "2", "2"},
		{Interval(0.5, 2), "0.5 to 2", `"0.5 to 2"`},
	} {
		text, err := json.Marshal(c.v)
		if err != nil || c.v.String() != c.text || string(text) != c.json {
			t.Errorf("%+v prints %q and %s, %v; want %q and %s", c.v, c.v, text, err, c.text, c.json)
		}
		checked++
	}
	if v, ok := Number(3).Float(); v != 3 || !ok {
		t.Errorf("3 is %v, %v", v, ok)
	}
	if _, ok := Text("3").Float(); ok {
		t.Error("a text is a number")
	}
	if checked != 9 {
		t.Errorf("%d values", checked)
	}
}

// TestFailure: a broken statement fails, and so does a gap that has closed.
func TestFailure(t *testing.T) {
	for _, c := range []struct {
		status string
		holds  bool
		want   string
	}{
		{Enforced, true, ""},
		{KnownGap, false, ""},
		{Enforced, false, "what: 3 cycles, the paper has 2"},
		{KnownGap, true, "what: the gap has closed: 3 cycles, the paper has 2"},
	} {
		r := Row{Item: "what", PaperValue: Number(2), Ours: Number(3), Unit: "cycles", Status: c.status,
			Holds: c.holds}
		if got := r.Failure(); got != c.want || r.Holds != c.holds {
			t.Errorf("%s, %v: %q, want %q", c.status, c.holds, got, c.want)
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
		"1 rows of 2 statements": {{Item: "x"}}, `has no "z"`: {{Item: "x"}, {Item: "z"}},
		`"x" is stated in words or`: {{Item: "x", PaperValue: Number(2)}, {Item: "y"}},
		`"y" is stated in words or`: {{Item: "x"}, {Item: "y"}},
	} {
		if err := table["a"].complete(rows); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("error %v, want one with %q", err, fault)
		}
	}
}

func TestThousands(t *testing.T) {
	var got []string
	for _, n := range []int{0, 999, 1000, 20000, 212340, 1000000} {
		got = append(got, Thousands(n))
	}
	if want := "0 999 1,000 20,000 212,340 1,000,000"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
