// Package probe measures a GPU: it plans the jobs of the suites, runs them with a
// journal from which a run that was cut goes on, and writes the recordings.
package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/patterns"
	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/gpu"
	"github.com/atomtune/atomtune/probe/job"
	"github.com/atomtune/atomtune/probe/micro"
)

// Plan is what a run measures on one device.
type Plan struct {
	Device  gpu.Description
	Options Options
	Jobs    []job.Job
	// Patterns are the rows of the scratchpad's columns.
	Patterns []patterns.Pattern
}

const countersSuite = "counters"

// Suites returns the names of the suites in the order in which they run.
func Suites() []string { return append(micro.Suites(), calls.Suite, countersSuite) }

// NewPlan returns the jobs that the options ask for. Errors wrap ErrOptions, or
// say what of the options cannot be read.
func NewPlan(d gpu.Description, o Options) (*Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	single := micro.Options{Quick: o.Quick, Repeats: o.Repeats}
	p := &Plan{Device: d, Options: o, Patterns: micro.Patterns(d, single)}
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
			return fmt.Errorf("%w: job %s stands twice in the plan", ErrOptions, j.Name())
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
