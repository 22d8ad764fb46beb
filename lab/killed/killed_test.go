package killed

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// script is a shell script as a command.
func script(text string) Command {
	return Command{Make: func(folder string) *exec.Cmd {
		command := exec.Command("sh", "-c", text)
		command.Dir = folder
		return command
	}}
}

// TestTry: work that goes on where it was cut leaves the same, work that begins anew as well, and
// faults are found: a step that is done twice, half a line in front of a whole one, a file that
// stays.
func TestTry(t *testing.T) {
	const count = `n=$(grep -c . j 2>/dev/null || :); n=${n:-0}; while [ $n -lt 12 ]; do n=$((n+1)); `
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"goes on": {count + `echo line $n >> j; sleep 0.01; done; cp j out`, ""},
		"anew":    {`for n in 1 2 3; do sleep 0.02; done; echo $n > j; echo done`, ""},
		"twice":   {`for n in 1 2 3 4 5; do echo line $n >> j; sleep 0.02; done`, "j: byte"},
		"half a line": {count + `printf 'line ' >> j; sleep 0.01; echo $n >> j; sleep 0.01; done`,
			"j: byte"},
		"a file stays": {`touch .tmp$$; for n in 1 2 3; do echo $n > j; sleep 0.02; done; rm .tmp$$`, ".tmp"},
		"says more":    {count + `echo line $n >> j; sleep 0.01; echo $n; done`, Stdout},
	} {
		t.Run(name, func(t *testing.T) {
			command := script(c.text)
			command.Checkpoint = "j"
			r, err := command.Try(t.TempDir(), 6, 1)
			switch {
			case c.want == "" && (err != nil || r.Kills < 6 || r.Folders < 2 || r.Grown == r.Kills):
				t.Errorf("%+v, %v", r, err)
			case c.want != "" && (!errors.Is(err, ErrDiffers) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%+v, %v, want %q", r, err, c.want)
			}
		})
	}
	if _, err := script("echo why >&2; exit 1").Try(t.TempDir(), 1, 1); err == nil ||
		!strings.Contains(err.Error(), "why") {
		t.Errorf("a command that fails: %v", err)
	}
	if _, err := script("exit 0").Try(t.TempDir(), 3, 1); err != nil && !strings.Contains(err.Error(), "could be killed") {
		t.Errorf("a command that ends at once: %v", err)
	}
}

// TestSame: what is not common to two runs is left out.
func TestSame(t *testing.T) {
	command := script("echo $$ > j; sleep 0.05; echo end >> j")
	command.Same = func(name, content string) string {
		_, content, _ = strings.Cut(content, "\n")
		return name + content
	}
	if r, err := command.Try(t.TempDir(), 5, 1); err != nil || r.Kills < 5 {
		t.Errorf("%+v, %v", r, err)
	}
}
