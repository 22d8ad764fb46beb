package probe

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/micro"
)

// What can go wrong besides the errors of package gpu and of the suites.
var (
	// ErrOptions: the options name what there is not, or contradict each other.
	ErrOptions = errors.New("wrong options")
	// ErrJournal: a journal is broken or belongs to another run.
	ErrJournal = errors.New("broken journal")
	// ErrBusy: another process measures into the folder.
	ErrBusy = errors.New("the folder is in use")
	// ErrInterrupted: the run was cut; the journal holds what was done.
	ErrInterrupted = errors.New("interrupted")
	// ErrWrong: an implementation left other targets than the reference.
	ErrWrong = errors.New("wrong results")
)

// Options say what to measure. Quick and Repeats of the embedded options are those of
// all suites; the others are of suite calls.
type Options struct {
	calls.Options
	// Suites to run, of Suites(); empty for all that the options allow.
	Suites []string
	// Counters says how suite counters runs; nil leaves that suite out.
	Counters *micro.Counters
}

const mostRepeats = 1000

// Validate reports what there is not. Errors wrap ErrOptions.
func (o Options) Validate() error {
	if o.Repeats < 0 || o.Repeats > mostRepeats {
		return fmt.Errorf("%w: %d repeats, want 1 to %d", ErrOptions, o.Repeats, mostRepeats)
	}
	for i, s := range o.Suites {
		if !slices.Contains(Suites(), s) {
			return fmt.Errorf("%w: no suite %q (there are %s)", ErrOptions, s, strings.Join(Suites(), ", "))
		}
		if slices.Contains(o.Suites[:i], s) {
			return fmt.Errorf("%w: suite %s is named twice", ErrOptions, s)
		}
	}
	if err := o.Options.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return nil
}

// String returns the options in the form of command-line flags, the same for the
// same measurements. Paths of programs are no part of it.
func (o Options) String() string {
	words := []string{"--full"}
	if o.Quick {
		words[0] = "--quick"
	}
	add := func(stands bool, flag string, value any) {
		if stands {
			words = append(words, flag, fmt.Sprint(value))
		}
	}
	add(o.Repeats > 0, "--repeats", o.Repeats)
	for _, s := range Suites() {
		add(slices.Contains(o.Suites, s), "--suite", s)
	}
	for _, t := range device.Types() {
		add(slices.Contains(o.Types, t), "--type", t)
	}
	for _, v := range o.Implementations {
		add(true, "--implementation", v)
	}
	add(o.Drawn > 0, "--drawn", o.Drawn)
	add(o.Drawn > 0, "--seed", o.Seed)
	add(o.Specs != "", "--specs", filepath.Base(o.Specs))
	for _, f := range o.Files {
		add(true, "--stream", filepath.Base(f))
	}
	if o.Companion != "" {
		words = append(words, "--companion")
	}
	return strings.Join(words, " ")
}
