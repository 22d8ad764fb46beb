package main

import (
	"errors"
	"strings"
	"testing"
)

func of(name string) (string, error) {
	if v, ok := map[string]string{"mean": "6.2", "table": "| a |\n|---|\n"}[name]; ok {
		return v, nil
	}
	return "", errors.New("no value " + name)
}

// TestFill: values within a line and on lines of their own are replaced, all else stays.
func TestFill(t *testing.T) {
	const text = "Takes <!-- value mean -->5<!-- /value --> times as long.\n<!-- other -->\n\n" +
		"<!-- value table -->\n| b |\n<!-- /value -->\nEnd\n"
	want := strings.NewReplacer(">5<", ">6.2<", "| b |", "| a |\n|---|").Replace(text)
	got, err := fill("d.md", text, of)
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if again, err := fill("d.md", got, of); err != nil || again != got {
		t.Errorf("a second time: %v\n%s", err, again)
	}
}

// TestFillFaults: what is wrong with markers is an error with file and line.
func TestFillFaults(t *testing.T) {
	const mean, end = "<!-- value mean -->", "<!-- /value -->"
	for text, where := range map[string]string{
		"a\n<!-- value none -->5" + end:     "d.md:2: no value none",
		"a\n\n" + mean + "5\n":              "d.md:3: value mean has no end",
		mean + mean + "5" + end:             "d.md:1: value mean has no end",
		"a\n" + end:                         "d.md:2:",
		"a\n" + mean + "5" + end:            "d.md:2: value mean begins a line",
		" " + mean + "5" + end + "\n" + end: "d.md:2:",
	} {
		if _, err := fill("d.md", text, of); err == nil || !strings.HasPrefix(err.Error(), where) {
			t.Errorf("%q: %v, want %s", text, err, where)
		}
	}
}
