package command

import (
	"os"

	"golang.org/x/term"
)

const (
	plainColumns = 80 // of a line where standard output is no terminal
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

// Bold reports whether standard output shows bold text: a terminal that is not dumb, unless the
// environment holds NO_COLOR (no-color.org).
func (e *Env) Bold() bool {
	return terminal(e.Stdout) != nil && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// terminal returns the file of a stream that is a terminal, nil where it is none.
func terminal(stream any) *os.File {
	if f, ok := stream.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return f
	}
	return nil
}
