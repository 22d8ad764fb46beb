package papers

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
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
