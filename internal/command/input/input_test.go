package input

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/internal/command"
	"github.com/atomtune/atomtune/internal/command/report"
)

// TestInactive: what readers write for an ignored index is what statistics take for it.
func TestInactive(t *testing.T) {
	if datasets.Inactive != collision.Inactive {
		t.Errorf("readers write %d, statistics take %d", uint32(datasets.Inactive), uint32(collision.Inactive))
	}
}

// TestEach: an answer that cannot be printed is a fault beside those of the paths.
func TestEach(t *testing.T) {
	bad := errors.New("bad")
	answer := func(path string) (string, error) {
		if path == "" {
			return "", bad
		}
		return strings.ToUpper(path), nil
	}
	print := func(p *report.Page, doc string) { p.WriteString(doc + "\n") }
	for _, c := range []struct {
		paths  []string
		stdout string
		faults int
	}{
		{[]string{"a"}, "A\n", 0}, {[]string{"a", "b"}, "A\n\nB\n", 0},
		{[]string{"a", "", "b"}, "A\n\nB\n", 1}, {[]string{"", ""}, "", 2}, {[]string{""}, "", 1},
	} {
		var out bytes.Buffer
		err := Each(&command.Env{Stdout: &out}, c.paths, answer, print)
		var faults command.Faults
		if errors.As(err, &faults); len(faults) != c.faults || out.String() != c.stdout ||
			(c.faults > 0) != errors.Is(err, bad) {
			t.Errorf("%q: %q, %v", c.paths, out.String(), err)
		}
		err = Each(&command.Env{Stdout: full{}}, c.paths, answer, print)
		if want := c.stdout != ""; errors.Is(err, errFull) != want ||
			errors.Is(err, bad) != (c.faults > 0) {
			t.Errorf("%q on a full disk: %v", c.paths, err)
		}
	}
}

var errFull = errors.New("full")

// full is a standard output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }
