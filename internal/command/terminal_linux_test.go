package command

import (
	"bytes"
	"os"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// pseudoTerminal returns a terminal without a screen.
func pseudoTerminal(t *testing.T) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return terminal
}

// TestTerminal: lines are as long as the terminal's, and text is bold unless the environment forbids
// it; what is not a terminal has 80 columns and nothing bold.
func TestTerminal(t *testing.T) {
	f := pseudoTerminal(t)
	e := Env{Stdout: f}
	for shown, want := range map[uint16]int{120: 120, 60: 60, 80: 80, 10: leastColumns, 0: plainColumns} {
		if err := unix.IoctlSetWinsize(int(f.Fd()), unix.TIOCSWINSZ,
			&unix.Winsize{Row: 24, Col: shown}); err != nil {
			t.Fatal(err)
		}
		if got := e.Columns(); got != want {
			t.Errorf("a terminal of %d columns: %d, want %d", shown, got, want)
		}
	}
	for _, c := range []struct {
		noColor, term string
		bold          bool
	}{{"", "xterm", true}, {"1", "xterm", false}, {"", "dumb", false}, {"", "", true}} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := e.Bold(); got != c.bold {
			t.Errorf("NO_COLOR=%s TERM=%s: bold %v", c.noColor, c.term, got)
		}
	}
	t.Setenv("TERM", "xterm")
	text := Strong("a\x1b[2J", true) + " \x1b[1m\u009bb\n"
	if got, want := e.shown(text), "\x1b[1ma\\x1b[2J\x1b[0m \\x1b[1m\\u009bb\n"; got != want {
		t.Errorf("a terminal gets %q, want %q", got, want)
	}
	if got, want := (&Env{}).shown(text), "\\u0086a\\x1b[2J\\u0087 \\x1b[1m\\u009bb\n"; got != want {
		t.Errorf("a file gets %q, want %q", got, want)
	}
	if plain := (&Env{Stdout: &bytes.Buffer{}}); plain.Columns() != 80 || plain.Bold() {
		t.Errorf("no terminal: %d columns, bold %v", plain.Columns(), plain.Bold())
	}
}
