package command

import (
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/atomtune/atomtune/internal/visible"
)

const (
	plainColumns = 80 // of a line where standard output is not a terminal
	leastColumns = 40 // narrower terminals break the lines themselves
)

// Columns returns how long a line of standard output may be: what the terminal shows, or 80.
func (e *Env) Columns() int {
	if f := terminal(e.Stdout); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return max(leastColumns, width)
		}
	}
	return plainColumns
}

// Bold reports whether standard output is a terminal that shows bold text, and NO_COLOR is not set.
func (e *Env) Bold() bool {
	return terminal(e.Stdout) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// terminal returns the file of a stream that is a terminal, nil if it is not one.
func terminal(stream any) *os.File {
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}

// What stands around bold words until they are printed: the control characters for the start and the
// end of a selected area. They take no column.
const (
	boldStart = '\u0086'
	boldEnd   = '\u0087'
)

var boldly = strings.NewReplacer(string(boldStart), "\x1b[1m", string(boldEnd), "\x1b[0m")

// Strong marks words of a line, which Emit prints in bold where bold is true.
func Strong(words string, bold bool) string {
	if words = visible.Line(words); !bold {
		return words
	}
	return string(boldStart) + words + string(boldEnd)
}

// Inline returns a text as part of one line, in which the marks of Strong stay.
func Inline(text string) string { return visible.Line(text, boldStart, boldEnd) }

// shown is a text as it is printed. No escape sequence is in it but those of Strong.
func (e *Env) shown(text string) string {
	if !e.Bold() {
		return visible.Line(text, '\n', '\t')
	}
	return boldly.Replace(visible.Line(text, '\n', '\t', boldStart, boldEnd))
}
