package command

import (
	"slices"
	"strings"
)

// Faults are errors of a command that went on after each, in the order in which they came.
type Faults []error

func (f Faults) Error() string { return strings.Join(f.lines(), "; ") }

// Unwrap returns the errors.
func (f Faults) Unwrap() []error { return f }

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
