package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// Env is what the commands of a program see of the world outside.
type Env struct {
	Program        *Program
	Stdin          io.Reader // nil where the program reads none
	Stdout, Stderr io.Writer
	Now            func() time.Time
	JSON           bool // --json was given
}

// Run carries out one command line, without the program's name, and returns the
// exit code. Of an error, one line goes to standard error.
func (e *Env) Run(root *cobra.Command, args []string) int {
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return ExitDone
	}
	e.Note("%s", oneLine(err))
	return e.Program.ExitCode(err)
}

// Emit prints a result in one write: the document as JSON, or what text writes.
func (e *Env) Emit(document any, text func(w *bytes.Buffer)) error {
	var b bytes.Buffer
	if e.JSON {
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(document); err != nil {
			return fmt.Errorf("writing the result as JSON: %w", err)
		}
	} else {
		text(&b)
	}
	if _, err := e.Stdout.Write(b.Bytes()); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// Note writes one line of progress, warning or error to standard error; nowhere
// is left to report that this failed.
func (e *Env) Note(format string, args ...any) {
	fmt.Fprintf(e.Stderr, e.Program.Name+": "+format+"\n", args...)
}
