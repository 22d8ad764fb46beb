package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/atomtune/atomtune/internal/command"
)

func newPage(width int) *Page { return &Page{Buffer: &bytes.Buffer{}, Width: width} }

// TestPlainPage: what is not a terminal gets 80 columns and nothing bold.
func TestPlainPage(t *testing.T) {
	p := NewPage(&command.Env{Stdout: &bytes.Buffer{}}, &bytes.Buffer{})
	if p.Width != 80 || p.Strong("a") != "a" {
		t.Errorf("%d columns, %q", p.Width, p.Strong("a"))
	}
	p.Bold = true
	if got := p.Strong("a"); got != command.Strong("a", true) {
		t.Errorf("%q", got)
	}
}

func TestField(t *testing.T) {
	p := newPage(20)
	p.Field("floor", "%d us for a launch and more", 5)
	p.Field("simulated", "7 us")
	p.Warnings([]string{"this is made up"})
	p.Prose("a text of two lines")
	p.Item("  name  ", "means %s", "one thing")
	want := "floor:  5 us for a\n        launch and\n        more\nsimulated: 7 us\n" +
		"warning: this is\n        made up\na text of two lines\n  name  means one\n        thing\n"
	if p.String() != want {
		t.Errorf("%q, want %q", p.String(), want)
	}
	p = newPage(80)
	p.Sentences("reason", "one\ntwo. three")
	p.Field("file", "%s,\n%s", "a\n\x1b[2Jb", p.Strong("c"))
	Cells(p, "name", []Row{{"d\re\nf"}})
	want = "reason: one\\ntwo.\n        three\nfile:   a\\n\\x1b[2Jb,\n        c\nname\n───────\nd\\re\\nf\n"
	if p.String() != want {
		t.Errorf("%q, want %q", p.String(), want)
	}
	p = newPage(300)
	p.Prose("%s", strings.Repeat("word ", 60))
	if n := strings.IndexByte(p.String(), '\n'); n > proseWide {
		t.Errorf("a sentence of %d columns", n)
	}
}

// TestTableFits: columns are left out, the most spared first, before cells wrap; the rule is as wide
// as the table.
func TestTableFits(t *testing.T) {
	rows := []Row{{"first", 1, "a", "some words that say more"}, {"second", 22222, "b", "few"}}
	for _, c := range []struct {
		width  int
		titles string // that are left
		lines  int
	}{
		{80, "name count kind meaning", 4}, {46, "name count kind meaning", 4}, {45, "name count meaning", 4},
		{38, "name meaning", 4}, {28, "name meaning", 5}, {10, "name meaning", 5},
	} {
		p := newPage(c.width)
		Cells(p, "name|?>count|??kind|30:meaning", rows)
		lines := strings.Split(strings.TrimSuffix(p.String(), "\n"), "\n")
		most := 0
		for _, line := range lines {
			most = max(most, text.StringWidthWithoutEscSequences(line))
		}
		if titles := strings.Join(strings.Fields(lines[0]), " "); titles != c.titles ||
			len(lines) != c.lines || most > max(c.width, 24) || strings.Trim(lines[1], rule) != "" ||
			text.StringWidthWithoutEscSequences(lines[1]) != most {
			t.Errorf("%d columns:\n%s", c.width, p.String())
		}
	}
	var plain bytes.Buffer
	Cells(&plain, "name|?>count|??kind|30:meaning", rows)
	if !strings.Contains(plain.String(), "kind") {
		t.Errorf("without a page:\n%s", plain.String())
	}
}
