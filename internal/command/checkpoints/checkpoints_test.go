package checkpoints

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/command"
)

// run carries out a program whose command does something, until that cancels, and returns what it says.
func run(t *testing.T, do func(e *command.Env, cancel func()) error) (stderr string, code int) {
	t.Helper()
	var errs bytes.Buffer
	e := &command.Env{Program: &command.Program{Name: "maker"}, Stderr: &errs, Now: time.Now}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	root := &cobra.Command{Use: "maker", RunE: command.Action(func(*cobra.Command, []string) error { return do(e, cancel) })}
	e.Equip(root)
	code = e.RunContext(ctx, root, nil)
	return errs.String(), code
}

// TestOpen: parts are kept beside the output and come back; those of something else are refused. An interruption
// says that they are kept once there are some.
func TestOpen(t *testing.T) {
	output := filepath.Join(t.TempDir(), "out")
	keep := func(of string, part int, want ...int) (string, int) {
		return run(t, func(e *command.Env, cancel func()) error {
			p, err := Open[int](e, output, of)
			if err != nil {
				return err
			}
			if !slices.Equal(p.Done, want) {
				t.Errorf("%v is kept, want %v", p.Done, want)
			}
			if part > 0 {
				err = p.Keep(part)
			}
			cancel()
			return errors.Join(err, p.End(false), context.Canceled)
		})
	}
	kept := output + ".journal"
	for _, c := range []struct {
		of   string
		part int
		want []int
		says string
		code int
	}{
		{"numbers", 0, nil, "interrupted: nothing", command.ExitInterrupted},
		{"numbers", 7, nil, kept, command.ExitInterrupted},
		{"numbers", 0, []int{7}, kept, command.ExitInterrupted},
		{"numbers", 9, []int{7}, kept, command.ExitInterrupted},
		{"letters", 1, nil, output + ".journal:1", command.ExitFailed},
		{"numbers", 0, []int{7, 9}, kept, command.ExitInterrupted},
	} {
		if stderr, code := keep(c.of, c.part, c.want...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%+v: exit code %d, %s", c, code, stderr)
		}
	}
}

// TestEnd: the checkpoint goes with the output or where it keeps nothing, and stays else; without an output there is
// none.
func TestEnd(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	for _, c := range []struct {
		output        string
		part, written bool
		stays         bool
	}{
		{"out", false, false, false}, {"out", true, false, true}, {"out", true, true, false}, {"out", false, true, false},
		{"", true, false, false}, {"", false, true, false},
	} {
		if stderr, code := run(t, func(e *command.Env, _ func()) error {
			p, err := Open[string](e, c.output, "letters")
			if err == nil && c.part {
				err = p.Keep("a")
			}
			if err == nil {
				err = p.End(c.written)
			}
			return err
		}); code != command.ExitDone || stderr != "" {
			t.Errorf("%+v: exit code %d, %s", c, code, stderr)
		}
		left, err := filepath.Glob("*")
		if (len(left) == 1) != c.stays || err != nil {
			t.Errorf("%+v: %q stays, %v", c, left, err)
		}
		_ = os.Remove("out.journal") // for the next
	}
}
