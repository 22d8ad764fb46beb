package command

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/atomtune/atomtune/internal/visible"
)

// The exit codes.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitInterrupted = 130 // as a shell reports an interrupt
)

// actionError is an error of a command's work, not of its command line.
type actionError struct{ err error }

func (a *actionError) Error() string { return a.err.Error() }
func (a *actionError) Unwrap() error { return a.err }

// Action marks the errors of a command's work, which are not about the command line.
func Action(do func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := do(cmd, args); err != nil {
			return &actionError{err}
		}
		return nil
	}
}

// usageError is an error of wrong use whose text stands alone.
type usageError string

func (u usageError) Error() string { return string(u) }

// Usagef returns an error that a different command line mends.
func Usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// ExitCode returns the exit code of an error; what is not of an Action is wrong use.
func (p *Program) ExitCode(err error) int {
	if a := (*actionError)(nil); !errors.As(err, &a) {
		return ExitUsage
	}
	if f := (Faults)(nil); errors.As(err, &f) {
		return f.exitCode(p)
	}
	if p := (partial{}); errors.As(err, &p) {
		return ExitFailed
	}
	if u := usageError(""); errors.As(err, &u) {
		return ExitUsage
	}
	for _, sentinel := range p.WrongUse {
		if errors.Is(err, sentinel) {
			return ExitUsage
		}
	}
	return ExitFailed
}

// Faults are errors of a command that went on after each, in the order in which they came.
type Faults []error

func (f Faults) Error() string { return strings.Join(f.lines(), "; ") }

func (f Faults) Unwrap() []error { return f }

// Partly are the same of a command that answers the rest: none of them is wrong use.
func (f Faults) Partly() (partly Faults) {
	for _, err := range f {
		partly = append(partly, partial{err})
	}
	return partly
}

// partial is an error beside which there are answers.
type partial struct{ error }

func (p partial) Unwrap() error { return p.error }

// exitCode is ExitUsage where every fault is wrong use, else ExitFailed.
func (f Faults) exitCode(p *Program) int {
	codes := make([]int, len(f))
	for i, err := range f {
		codes[i] = p.ExitCode(&actionError{err})
	}
	return slices.Min(codes) // ExitFailed is less than ExitUsage
}

// lines are the errors in one line each; what several of them say alike stands once.
func (f Faults) lines() (list []string) {
	for _, err := range f {
		if line := oneLine(err); !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

// oneLine is the error in one line, with plain words for those of Go's decoders and the operating system.
func oneLine(err error) string {
	text := err.Error()
	if value := (*json.UnmarshalTypeError)(nil); errors.As(err, &value) {
		text = strings.Replace(text, value.Error(), valueWanted(value), 1)
	}
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		text = strings.Replace(text, file.Error(), aboutFile(file), 1)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = strings.Replace(text, io.ErrUnexpectedEOF.Error(), "it ends too early", 1)
	}
	text = strings.Replace(text, "json: unknown field", "unknown field", 1)
	if number := (*strconv.NumError)(nil); errors.As(err, &number) {
		text = strings.Replace(text, number.Error(), wanted(number), 1)
	}
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\t' }), " ")
}

// aboutFile says what is wrong with a file, its name first.
func aboutFile(err *fs.PathError) string {
	path := visible.Line(err.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path + ": no such file"
	case errors.Is(err, fs.ErrPermission):
		return path + ": no permission to " + err.Op + " it"
	}
	return path + ": " + err.Err.Error()
}

func wanted(err *strconv.NumError) string {
	if errors.Is(err, strconv.ErrRange) {
		return "the number is too large"
	}
	return "want " + cmp.Or(map[string]string{"ParseInt": "a whole number", "Atoi": "a whole number",
		"ParseUint": "a whole number, 0 or more", "ParseBool": "true or false"}[err.Func], "a number")
}

// valueWanted says what a JSON value should have been.
func valueWanted(err *json.UnmarshalTypeError) string {
	wanted := cmp.Or(map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Map: "an object", reflect.Slice: "an array",
		reflect.Array: "an array", reflect.String: "a string", reflect.Bool: "true or false",
	}[err.Type.Kind()], "a number")
	place := fmt.Sprintf("byte %d: ", err.Offset)
	if err.Field != "" {
		place += err.Field + ": "
	}
	return fmt.Sprintf("%sfound %s, want %s", place, err.Value, wanted)
}
