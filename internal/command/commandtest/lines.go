package commandtest

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/spf13/cobra"
)

// Outcome is what a command line gave.
type Outcome struct {
	Line           []string // the program and its arguments
	Code           int
	Stdout, Stderr string
}

// Done demands that the command line succeeded and printed something, which it returns.
func (o Outcome) Done(t *testing.T) (stdout string) {
	t.Helper()
	if o.Code != 0 || o.Stdout == "" {
		t.Fatalf("%q: exit code %d, %d bytes printed, %s", o.Line, o.Code, len(o.Stdout), o.Stderr)
	}
	return o.Stdout
}

// Failed demands an exit code, nothing on standard output and one line of the program on standard error, which
// names all words.
func (o Outcome) Failed(t *testing.T, code int, words ...string) {
	t.Helper()
	if o.Code != code || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 || strings.Contains(o.Stderr, "%!") ||
		!strings.HasPrefix(o.Stderr, o.Line[0]+": ") || !strings.HasSuffix(o.Stderr, "\n") {
		t.Errorf("%q: exit code %d, want %d, %q, %q", o.Line, o.Code, code, o.Stdout, o.Stderr)
	}
	for _, word := range words {
		if !strings.Contains(o.Stderr, word) {
			t.Errorf("%q: %q does not name %q", o.Line, o.Stderr, word)
		}
	}
}

// WrongUse tests that the command lines of a table fail as they must, every second of them with --json. The file has a
// line for each: the exit code, the line without the program, and behind a bar what the message names, such as flags,
// files, places and values. More are further lines.
func WrongUse(t *testing.T, path string, run func(line string) Outcome, more ...string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range append(strings.Split(strings.TrimSpace(string(data)), "\n"), more...) {
		row, words, found := strings.Cut(row, " | ")
		code, line, _ := strings.Cut(row, " ")
		n, err := strconv.Atoi(code)
		if !found || err != nil || words == "" {
			t.Fatalf("%s:%d: %q is not a row", path, i+1, row)
		}
		if i%2 == 1 {
			line += " --json"
		}
		run(line).Failed(t, n, strings.Fields(words)...)
	}
}

// Examples tests that each command has a text and examples that call it, of which each works and prints something. Of
// one that is replaced, another is carried out, which takes less time, or with ATOMTUNE_FULL=1 alone where that is
// empty; of each command one runs at least.
func Examples(t *testing.T, root *cobra.Command, replaced map[string]string, run func(line string) Outcome) {
	t.Helper()
	tried := map[string]bool{}
	visit := func(cmd *cobra.Command) {
		if cmd.Short == "" || cmd.Long == "" || cmd.Example == "" {
			t.Errorf("%s has no help with an example", cmd.CommandPath())
		}
		Fits(t, cmd.Long, 80)
		ran := 0
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSpace(line)
			if !strings.Contains("| "+line+" ", "| "+cmd.CommandPath()+" ") {
				t.Errorf("example %q does not call %s", line, cmd.CommandPath())
			}
			tried[line] = true
			if other, found := replaced[line]; found && !golden.Full() {
				line = other
			}
			if line != "" {
				run(line).Done(t)
				ran++
			}
		}
		if ran == 0 {
			t.Errorf("no example of %s runs", cmd.CommandPath())
		}
	}
	root.InitDefaultHelpCmd()
	walk(root, visit)
	if root.Example != "" {
		visit(root)
	}
	for line := range replaced {
		if !tried[line] {
			t.Errorf("%q is not an example", line)
		}
	}
	if len(tried) < len(root.Commands()) {
		t.Errorf("%d examples of %d commands", len(tried), len(root.Commands()))
	}
}

// Fits demands that no line of a text is longer than so many columns, and that nothing in it is badly formatted.
func Fits(t *testing.T, text string, columns int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > columns || strings.Contains(line,
			"%!") {
			t.Errorf("%d columns: %q", columns, line)
		}
	}
}

// Bold demands that a name, with its marks, is all that is bold in a text, and twice, and that the text is else plain.
func Bold(t *testing.T, strong, plain, name string) {
	t.Helper()
	if strings.Count(strong, name) != 2 || strings.Count(strong, "\u0086") != 2 {
		t.Errorf("bold:\n%q", strong)
	}
	if got := strings.NewReplacer("\u0086", "", "\u0087", "").Replace(strong); got != plain {
		t.Errorf("without what is bold:\n%s\nwant\n%s", got, plain)
	}
}

var number = regexp.MustCompile(`[-\w.,:=+]*\d[-\w.,:=+]*`)

// Numbers are the words of a text that hold a digit, in their order.
func Numbers(text string) string {
	var list []string
	for _, word := range number.FindAllString(text, -1) {
		list = append(list, strings.Trim(word, ".,:-"))
	}
	return strings.Join(list, " ")
}
