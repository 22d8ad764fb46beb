package command

import (
	"bytes"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text                  string
		columns, used, indent int
		want                  string
	}{
		{"one two  three", 80, 0, 0, "one two three"},
		{"one two three", 7, 0, 2, "one two\n  three"},
		{"one two", 7, 1, 0, "one\ntwo"},
		{"a-word-that-is-longer than-a-line", 8, 0, 2, "a-word-that-is-longer\n  than-a-line"},
		{"it takes 12.5 us", 13, 0, 0, "it takes\n12.5 us"},
		{"it takes (1,024 updates)", 17, 0, 0, "it takes\n(1,024 updates)"},
		{Strong("one", true) + " two three", 7, 0, 0, Strong("one", true) + " two\nthree"},
		{"first line.\nsecond line.", 80, 0, 4, "first line.\n    second line."},
		{"", 80, 0, 0, ""},
	} {
		if got := Wrap(c.text, c.columns, c.used, c.indent); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.text, c.columns, got, c.want)
		}
	}
}

// TestHelp: a flag that is hidden is shown by the topic that it is given to, and works.
func TestHelp(t *testing.T) {
	for args, want := range map[string]bool{"count --help": false, "help counting": true} {
		var stdout bytes.Buffer
		if stderr, code := run(&stdout, args); code != ExitDone || strings.Contains(stdout.String(), "--least") != want {
			t.Errorf("%s: exit code %d, %s%s", args, code, stdout.String(), stderr)
		}
	}
}
