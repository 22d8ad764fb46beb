package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// env is what the commands see of the world outside.
type env struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	now            func() time.Time
	json           bool // --json was given
}

// run carries out one command line, without the program's name, and returns
// the exit code.
func run(stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now}
	return e.run(args)
}

func (e *env) run(args []string) int {
	root := newRoot(e)
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exitDone
	}
	code := exitCode(err)
	fmt.Fprintf(e.stderr, "atomtune: %s\n", oneLine(err)) // nowhere is left to report a failure
	return code
}

// action makes a cobra action of a function, so that its errors can be told
// from those that cobra reports about the command line.
func action(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := do(cmd, args); err != nil {
			return &actionError{err}
		}
		return nil
	}
}

// emit prints a result in one write: the document as JSON, or what text
// writes.
func (e *env) emit(document any, text func(w *bytes.Buffer)) error {
	var b bytes.Buffer
	if e.json {
		enc := json.NewEncoder(&b)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(document); err != nil {
			return fmt.Errorf("writing the result as JSON: %w", err)
		}
	} else {
		text(&b)
	}
	if _, err := e.stdout.Write(b.Bytes()); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// note writes one line of progress or warning to standard error.
func (e *env) note(format string, args ...any) {
	fmt.Fprintf(e.stderr, "atomtune: "+format+"\n", args...)
}
