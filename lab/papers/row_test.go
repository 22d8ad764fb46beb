package papers

import (
	"encoding/json"
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
		r := Row{Item: "what", PaperValue: Number(2), Ours: Number(3), Unit: "cycles", Status: c.status, Holds: c.holds}
		if got := r.Failure(); got != c.want || r.Holds != c.holds {
			t.Errorf("%s, %v: %q, want %q", c.status, c.holds, got, c.want)
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
