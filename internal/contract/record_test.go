package main

import (
	"slices"
	"testing"
)

// TestDifferences: each value that changes, comes or goes is told by its place, and rounding is not.
func TestDifferences(t *testing.T) {
	fields := func(us float64, name any) any {
		return map[string]any{"choice": []any{map[string]any{"us": us, "name": name}}}
	}
	old := []answer{{"a", fields(10, "naive")}, {"b", fields(1, nil)}}
	for _, c := range []struct {
		got  []answer
		want []string
	}{
		{[]answer{{"a", fields(10*(1+1e-8), "naive")}, {"b", fields(1, nil)}}, nil},
		{[]answer{{"a", fields(10.0001, "sort")}, {"b", fields(1, nil)}},
			[]string{`a: choice.0.name: "naive", now "sort"`, "a: choice.0.us: 10, now 10.0001"}},
		{[]answer{{"a", fields(10, "naive")}, {"c", fields(1, nil)}},
			[]string{"c: not in the record", "b: in the record alone"}},
		{[]answer{{"a", map[string]any{"choice": []any{}}}, {"b", fields(1, "x")}},
			[]string{`a: choice: [{"name":"naive","us":10}], now []`, `b: choice.0.name: null, now "x"`}},
	} {
		if faults := differences(old, c.got); !slices.Equal(faults, c.want) {
			t.Errorf("%q, want %q", faults, c.want)
		}
	}
}

// TestPlain: numbers, booleans and names stay; clocks, wording and the folder of a run do not.
func TestPlain(t *testing.T) {
	got := plain(map[string]any{"us": 1.23456789012, "wall_s": 3.0, "reason": "it is fast", "correct": true,
		"file": "/tmp/x/plans.txt", "empty": ""}, "/tmp/x")
	want := map[string]any{"us": 1.2345679, "correct": true, "file": "WORK/plans.txt"}
	if faults := differing("", want, got); len(faults) > 0 {
		t.Error(faults)
	}
}
