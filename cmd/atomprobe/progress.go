package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/atomtune/atomtune/probe"
)

// bar shows how far a run is, on one line of a terminal. A nil bar shows nothing.
type bar struct{ file *os.File }

const barCells = 24

// newBar returns nil if standard error is no terminal.
func (e *env) newBar() *bar {
	if f, ok := e.Stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &bar{f}
	}
	return nil
}

// show draws the bar anew.
func (b *bar) show(p probe.Progress) {
	if b == nil || p.Total == 0 {
		return
	}
	width, _, err := term.GetSize(int(b.file.Fd()))
	if err != nil {
		width = 80
	}
	b.draw(progressLine(p, width))
}

// stop removes the bar.
func (b *bar) stop() {
	if b != nil {
		b.draw("")
	}
}

func (b *bar) draw(line string) { fmt.Fprintf(b.file, "\r\x1b[K%s", line) }

// progressLine says how many jobs are done and which one runs, in at most width
// cells.
func progressLine(p probe.Progress, width int) string {
	full := barCells * p.Done / p.Total
	line := fmt.Sprintf("[%s%s] %d/%d %s: %s", strings.Repeat("#", full),
		strings.Repeat(".", barCells-full),
		p.Done, p.Total, p.Suite, p.Key)
	return line[:max(0, min(len(line), width-1))]
}
