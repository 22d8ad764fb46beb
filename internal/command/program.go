// Package command is what the programs of this module have in common: how a
// command line is carried out, how results and errors are printed, the exit
// codes, and the commands help, version, completion and man.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/visible"
	"github.com/atomtune/atomtune/internal/wholefile"
)

// Program says in what a program differs from the others.
type Program struct {
	Name string // begins each line on standard error

	// WrongUse lists the errors that a different command line mends, and not a different file: they
	// end the program with ExitUsage. Those of Usagef are among them anyway.
	WrongUse []error

	Topic string // a command, for the example of help
}

// Equip gives the root command --json, help, version, completion and man, and errors to Run.
func (e *Env) Equip(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	root.PersistentFlags().BoolVar(&e.JSON, "json", false,
		"print one JSON document; invalid UTF-8 in file names is replaced by U+FFFD")
	root.AddCommand(e.newVersion(), e.newMan(root))
	e.setHelp(root)
	root.PersistentPreRunE = refuseEmpty
	refuseEmptyFirst(root)
	root.SetFlagErrorFunc(unknownFlag)
	takeQuantities(root)
	if root.RunE == nil {
		root.RunE = Action(func(*cobra.Command, []string) error {
			return Usagef("no command given (want one of %s)", strings.Join(Names(root), ", "))
		})
	}
	version, run := root.Flags().Bool("version", false, "print the version"), root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *version {
			return Action(e.printVersion)(cmd, args)
		}
		return run(cmd, args)
	}
}

// CompleteFlag lists the words that a shell offers for a flag, which is registered.
func CompleteFlag(cmd *cobra.Command, flag string, words []string) {
	offered := cobra.FixedCompletions(words, cobra.ShellCompDirectiveDefault)
	if err := cmd.RegisterFlagCompletionFunc(flag, offered); err != nil {
		panic(err)
	}
}

// Names lists the sub-commands that help shows.
func Names(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// NoArguments refuses arguments where a command takes none.
func NoArguments(cmd *cobra.Command, args []string) error {
	return AtMost(0, cmd.Name()+" takes no argument, but got %q")(cmd, args)
}

// AtMost refuses more than n arguments; the format is given the first too many.
func AtMost(n int, format string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return Usagef(format, args[n])
		}
		return nil
	}
}

// Env is what the commands of a program see of the world outside.
type Env struct {
	Program        *Program
	Stdin          io.Reader // nil where the program reads none
	Stdout, Stderr io.Writer
	Now            func() time.Time
	JSON           bool // --json was given
	process        process
}

// RunContext carries out a command line, notes its error in one line, those of Faults in one each, and
// returns the exit code. The end of the context interrupts the command.
func (e *Env) RunContext(ctx context.Context, root *cobra.Command, args []string) int {
	e.process.ctx = ctx
	root.SetArgs(args)
	root.InitDefaultCompletionCmd(args...)
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = nil
		completion.RunE = func(_ *cobra.Command, args []string) error {
			return Usagef("completion %s: want one of %s", strings.Join(args, " "), strings.Join(Names(completion), ", "))
		}
	}
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitDone
	}
	if ctx.Err() != nil {
		e.Note("%s", e.interruption(wholefile.Written()))
		return ExitInterrupted
	}
	several := Faults{err}
	errors.As(err, &several)
	for _, line := range several.lines() {
		e.Note("%s", line)
	}
	return e.Program.ExitCode(err)
}

// Emit prints a result in one write: the document as JSON, or what text writes, with characters that a
// terminal would obey made visible.
func (e *Env) Emit(document any, text func(w *bytes.Buffer)) error {
	return e.EmitExact(document, func(w *bytes.Buffer) {
		text(w)
		shown := e.shown(w.String())
		w.Reset()
		w.WriteString(shown)
	})
}

// EmitExact prints a result whose text is for other programs, and stays as it is.
func (e *Env) EmitExact(document any, text func(w *bytes.Buffer)) error {
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
	e.process.printing.Lock()
	defer e.process.printing.Unlock()
	if _, err := e.Stdout.Write(b.Bytes()); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// Note writes a line to standard error; nowhere is left to report that this failed.
func (e *Env) Note(format string, args ...any) { e.tell(e.note(format, args...), whole) }

// Warn notes warnings, which it returns.
func (e *Env) Warn(list ...string) []string {
	for _, text := range list {
		e.Note("warning: %s", text)
	}
	return list
}

func (e *Env) note(format string, args ...any) string {
	return e.Program.Name + ": " + visible.Line(fmt.Sprintf(format, args...)) + "\n"
}

// Draw writes a line over the last one that it wrote to standard error, and then its end.
func (e *Env) Draw(line, end string) {
	how := whole
	if line != "" && end == "" {
		how = drawn
	}
	e.tell("\r\x1b[K"+visible.Line(line)+end, how)
}
