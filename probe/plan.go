package probe

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/cuda/ptx"
	"github.com/atomtune/atomtune/datasets/patterns"
)

// Plan is what a run measures on one device.
type Plan struct {
	Device  Description
	Options Options
	Jobs    []Job
	// Patterns are the rows of the scratchpad's columns.
	Patterns []patterns.Pattern
}

// suite is a group of jobs that --suite names.
type suite struct {
	name string
	jobs func(Description, Options) ([]Job, error)
}

// suites returns all suites in the order in which they run.
func suites() []suite {
	return []suite{
		{"device", sure(deviceJobs)},
		{"call", sure(callJobs)},
		{"memory", sure(memoryJobs)},
		{"warp", sure(warpJobs)},
		{"shared", sure(sharedJobs)},
		{"scratchpad", sure(scratchpadJobs)},
		{"global", sure(globalJobs)},
		{"instruction", sure(instructionJobs)},
		{"calls", callsJobs},
		{"counters", countersJobs},
	}
}

// sure makes a suite's function of one that cannot fail.
func sure(jobs func(Description, Options) []Job) func(Description, Options) ([]Job, error) {
	return func(d Description, o Options) ([]Job, error) { return jobs(d, o), nil }
}

// Suites returns the names of the suites in the order in which they run.
func Suites() []string {
	var names []string
	for _, s := range suites() {
		names = append(names, s.name)
	}
	return names
}

// NewPlan returns the jobs that the options ask for. Errors wrap ErrOptions, or
// say what of the options cannot be read.
func NewPlan(d Description, o Options) (*Plan, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{Device: d, Options: o, Patterns: scratchpadPatterns(d, o)}
	for _, s := range suites() {
		if len(o.Suites) > 0 && !slices.Contains(o.Suites, s.name) {
			continue
		}
		jobs, err := s.jobs(d, o)
		if err != nil {
			return nil, fmt.Errorf("suite %s: %w", s.name, err)
		}
		p.Jobs = append(p.Jobs, jobs...)
	}
	return p, p.validate()
}

// validate reports jobs that a journal could not tell apart.
func (p *Plan) validate() error {
	seen := map[string]bool{}
	for _, j := range p.Jobs {
		if seen[j.name()] {
			return fmt.Errorf("%w: job %s stands twice in the plan", ErrOptions, j.name())
		}
		seen[j.name()] = true
	}
	if len(p.Jobs) == 0 {
		return fmt.Errorf("%w: they leave nothing to measure", ErrOptions)
	}
	return nil
}

// name tells a job from every other of a plan.
func (j *Job) name() string { return j.Suite + "/" + j.Key }

// hash is the SHA-256 of the jobs, of the files that they read, of the options,
// and of the kernels with which they measure.
func (p *Plan) hash() (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", p.Options) // a hash takes everything
	for _, j := range p.Jobs {
		fmt.Fprintf(h, "%q %s\n", j.name(), j.Content)
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
