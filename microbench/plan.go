// Package microbench measures a GPU: it plans the jobs of the suites, runs them with a
// checkpoint from which a run that was cut goes on, and writes the recordings.
package microbench

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/bindings/cuda/ptx"
	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/microbench/calls"
	"github.com/atomtune/atomtune/microbench/job"
	"github.com/atomtune/atomtune/microbench/micro"
)

type Plan struct {
	Options  Options
	Jobs     []job.Job
	Patterns []patterns.Pattern // the rows of the scratchpad's columns
}

const countersSuite = "counters"

// Suites returns the names of the suites in the order in which they run.
func Suites() []string { return append(micro.Suites(), calls.Suite, countersSuite) }

// NewPlan returns the jobs that the options ask for. Errors wrap ErrOptions, or
// say what of the options cannot be read.
func NewPlan(d driver.Description, o Options) (*Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	single := micro.Options{Quick: o.Quick, Repeats: o.Repeats}
	p := &Plan{Options: o, Patterns: micro.Patterns(d, single)}
	for _, s := range Suites() {
		var jobs []job.Job
		var err error
		switch {
		case len(o.Suites) > 0 && !slices.Contains(o.Suites, s):
		case s == calls.Suite:
			jobs, err = calls.Jobs(d, o.Options)
		case s != countersSuite:
			jobs = micro.Jobs(s, d, single)
		case o.Counters != nil:
			jobs = o.Counters.Jobs(d)
		}
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", s, err)
		}
		p.Jobs = append(p.Jobs, jobs...)
	}
	return p, p.validate()
}

func (p *Plan) validate() error {
	seen := map[string]bool{}
	for _, j := range p.Jobs {
		if seen[j.Name()] {
			return fmt.Errorf("%w: job %s is given twice in the plan", ErrOptions, j.Name())
		}
		seen[j.Name()] = true
	}
	if len(p.Jobs) == 0 {
		return fmt.Errorf("%w: they leave nothing to measure", ErrOptions)
	}
	return nil
}

// hash is the SHA-256 of the jobs, of the files that they read, of the options,
// and of the kernels with which they measure.
func (p *Plan) hash() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", p.Options) // a hash takes everything
	for _, j := range p.Jobs {
		fmt.Fprintf(h, "%q %s\n", j.Name(), j.Content)
	}
	for _, m := range ptx.Modules() {
		text, err := ptx.Image(m)
		if err != nil {
			return "", err
		}
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// What can go wrong besides the errors of package gpu and of the suites.
var (
	ErrOptions     = errors.New("wrong options")        // of what there is not, or in conflict
	ErrCheckpoint  = errors.New("broken checkpoint")    // or one of another run
	ErrBusy        = errors.New("the folder is in use") // by another process
	ErrInterrupted = errors.New("interrupted")          // the checkpoint holds what was done
	ErrWrong       = errors.New("wrong results")        // other targets than the reference's
)

// Options say what to measure. Quick and Repeats of the embedded options are those of
// all suites; the others are of suite calls.
type Options struct {
	calls.Options
	Suites   []string        // to run, of Suites(); empty for all that the options allow
	Counters *micro.Counters // how suite counters runs; nil leaves that suite out
}

// Validate reports what there is not. Errors wrap ErrOptions.
func (o Options) Validate() error {
	const mostRepeats = 1000
	if o.Repeats < 0 || o.Repeats > mostRepeats {
		return fmt.Errorf("%w: %d repeats, want 1 to %d", ErrOptions, o.Repeats, mostRepeats)
	}
	for i, s := range o.Suites {
		if !slices.Contains(Suites(), s) {
			return fmt.Errorf("%w: no suite %q (want one of %s)", ErrOptions, s, strings.Join(Suites(), ", "))
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
// same measurements. Paths of programs are not a part of it.
func (o Options) String() string {
	text := "--full"
	if o.Quick {
		text = "--quick"
	}
	add := func(given bool, words ...any) {
		if given {
			text += " " + strings.TrimSpace(fmt.Sprintln(words...))
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
	add(o.Launches, "--launches")
	add(o.Keeps, "--clear=false")
	add(o.Companion != "", "--companion")
	return text
}
