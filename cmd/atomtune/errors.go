package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/fit"
	"github.com/atomtune/atomtune/latency"
	"github.com/atomtune/atomtune/reproduce"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/variant"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// errUsage is wrapped by the errors of a command that was called wrongly.
var errUsage = errors.New("wrong use")

// actionError is an error of a command's work, not of its command line.
type actionError struct{ err error }

func (a *actionError) Error() string { return a.err.Error() }
func (a *actionError) Unwrap() error { return a.err }

// usageError is an errUsage whose text stands alone.
type usageError string

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

func (u usageError) Error() string        { return string(u) }
func (u usageError) Is(target error) bool { return target == errUsage }

// wrongUse lists the errors that a different command line mends, and not a
// different file.
var wrongUse = []error{
	errUsage, device.ErrUnknown, device.ErrType, variant.ErrName,
	datasets.ErrOptions, collision.ErrOptions, tuner.ErrOptions, tuner.ErrSweep,
	synth.ErrSyntax, synth.ErrFamily, synth.ErrParam, fit.ErrOptions, latency.ErrParams, reproduce.ErrOptions,
}

// exitCode returns the exit code of an error. Whatever cobra finds is wrong
// use.
func exitCode(err error) int {
	if a := (*actionError)(nil); !errors.As(err, &a) {
		return exitUsage
	}
	for _, sentinel := range wrongUse {
		if errors.Is(err, sentinel) {
			return exitUsage
		}
	}
	return exitFailed
}

// oneLine returns the error in plain words as one line.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(inWords(err), unicode.IsControl), " ")
}
