//go:build unix

package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/wholefile"
)

// asProgram makes the test binary a program whose commands wait for a signal, in this folder.
const asProgram = "COMMAND_TEST_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(asProgram); folder != "" {
		e := &Env{Program: &counter, Stdout: os.Stdout, Stderr: os.Stderr, Now: time.Now}
		e.Main(waiting(e, folder))
	}
	os.Exit(m.Run())
}

// waiting has commands that begin a file and wait: polite ends when it is asked to, deaf does not.
func waiting(e *Env, folder string) *cobra.Command {
	begin := func(args []string) {
		half := filepath.Join(folder, "half")
		_ = os.WriteFile(half, nil, 0o644)
		wholefile.Temporary(half)
		for _, arg := range args {
			switch arg {
			case "writes":
				_ = wholefile.Write(filepath.Join(folder, "a\nb"), nil)
			case "keeps":
				e.Keeps("%s keeps what is finished", "the\x1bjournal")
			case "says":
				e.Keeps("%d keeps nothing", 0)
				e.Keeps("%d of %d are kept", 1, 2)
			}
		}
		e.Draw("working", "")
		fmt.Println("waiting")
	}
	polite := &cobra.Command{Use: "polite", Args: cobra.ArbitraryArgs}
	polite.RunE = Action(func(_ *cobra.Command, args []string) error {
		begin(args)
		<-e.Context().Done()
		if len(args) > 0 && args[0] == "says" {
			return fmt.Errorf("after 1: %w", errFile)
		}
		if len(args) > 0 && args[0] == "done" {
			return nil
		}
		return e.Context().Err()
	})
	deaf := &cobra.Command{Use: "deaf", Args: cobra.ArbitraryArgs}
	deaf.RunE = Action(func(_ *cobra.Command, args []string) error {
		begin(args)
		for {
			e.Draw("working", "")
			time.Sleep(time.Millisecond)
		}
	})
	root := &cobra.Command{Use: "counter COMMAND"}
	root.AddCommand(polite, deaf)
	e.Equip(root)
	return root
}

// TestSignals: a signal ends every command, with a line on what is kept; nothing that was not finished
// stays where the command is left.
func TestSignals(t *testing.T) {
	for i, c := range []struct {
		line string
		code int
		says string
	}{
		{"polite", ExitInterrupted, "interrupted: nothing"},
		{"polite done", ExitDone, ""},
		{"polite says", ExitInterrupted, "1 of 2 are kept"},
		{"polite keeps", ExitInterrupted, `the\x1bjournal keeps`},
		{"deaf", ExitInterrupted, "interrupted: nothing"},
		{"deaf keeps", ExitInterrupted, `the\x1bjournal keeps`},
		{"deaf says", ExitInterrupted, "1 of 2 are kept"},
		{"deaf writes", ExitInterrupted, `FOLDER/a\nb written`},
	} {
		folder := t.TempDir()
		code, stderr := signalled(t, folder, c.line, []os.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2])
		lines := strings.Split(strings.TrimSuffix(stderr, "\n"), "\n")
		last := strings.ReplaceAll(lines[len(lines)-1], folder, "FOLDER")
		if code != c.code || !strings.Contains(last, c.says) {
			t.Errorf("%s: exit code %d, %.300q, want %d, %q", c.line, code, last, c.code, c.says)
		}
		_, err := os.Stat(filepath.Join(folder, "half"))
		if left := strings.HasPrefix(c.line, "deaf"); left != errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: the temporary file: %v", c.line, err)
		}
	}
}

// signalled starts a command of waiting, and sends it a signal once it waits.
func signalled(t *testing.T, folder, line string, s os.Signal) (code int, stderr string) {
	t.Helper()
	p := exec.Command(os.Args[0], strings.Fields(line)...)
	p.Env = append(os.Environ(), asProgram+"="+folder)
	var errs bytes.Buffer
	p.Stderr = &errs
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	_ = p.Process.Signal(s)
	_ = p.Wait() // the exit code is looked at
	return p.ProcessState.ExitCode(), errs.String()
}
