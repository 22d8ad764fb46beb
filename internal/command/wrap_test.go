package command

import (
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

// TestFill: paragraphs are filled, and what stands behind a name goes on below itself.
func TestFill(t *testing.T) {
	text := "one two\nthree four five\n\nsix\n  name   what it is\n  other  is short\nseven"
	want := "one two three\nfour five\n\nsix\n  name   what\n         it is\n  other  is\n         short\n" +
		"seven"
	if got := fill(text, 15); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHelpSections: the usage stands first, what Append added last, and lines fit whatever width.
func TestHelpSections(t *testing.T) {
	root := newRoot(&Env{Program: &counter})
	count, _, err := root.Find([]string{"count"})
	if err != nil {
		t.Fatal(err)
	}
	Append(count, "The end\nof it all.")
	for _, columns := range []int{40, 80, 200} {
		text := helpText(count, columns)
		usage, flag, end := strings.Index(text, "counter count"), strings.Index(text, "--least"), strings.Index(text, "The end")
		if usage < 0 || flag < usage || end < flag || !strings.Contains(text, "--json") {
			t.Errorf("%d columns: %s", columns, text)
		}
		for line := range strings.Lines(text) {
			if width(strings.TrimSuffix(line, "\n")) > columns {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
	}
}
