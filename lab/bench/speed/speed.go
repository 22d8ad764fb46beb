// Package speed measures how fast the project's own code is on the processor at hand, beside
// references in the same run.
//
// A new suite is a file here, its place in Suites, and profiles/SUITE.md on the bottleneck. "atomlab bench
// speed --table lab/bench/speed/recorded/NAME.json" records a processor.
package speed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/atomtune/atomtune/internal/quantile"
)

// Suite holds the cases of one package.
type Suite struct {
	Name  string
	About string // what is measured, in a sentence
	run   func(r *runner) error
}

// Suites are all there are, in the order of the document.
var Suites = []Suite{
	collisionSuite,
	chooseSuite,
	regtreeSuite,
	fitSuite,
	hwsimSuite,
}

// Case is something to time: a call that does so much work.
type Case struct {
	Name    string  // key=value, as of go test -bench
	Work    float64 // of one call, in units
	Unit    string  // such as indices
	Cores   int     // that the call keeps busy
	Run     func() error
	Against *Reference // nil: none
	Aim     Aim
}

// Reference is something else that is timed in turn with a case.
type Reference struct {
	Name string
	Work float64 // of one call, in the units of the case
	Run  func() error
	Once bool // it takes so long that it is timed once, at its first call
}

// Aim is what a result is held against; 0 asks for nothing.
type Aim struct {
	Rate    float64 `json:"rate,omitempty"`    // at least, units a second and core
	Ratio   float64 `json:"ratio,omitempty"`   // at least, times as fast as the reference
	Seconds float64 `json:"seconds,omitempty"` // at most, for one call
}

// Result is a timed case. Seconds are medians of the rounds.
type Result struct {
	Suite   string  `json:"suite"`
	Case    string  `json:"case"`
	Work    float64 `json:"work"`
	Unit    string  `json:"unit"`
	Cores   int     `json:"cores"`
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`
	Beside  *Beside `json:"beside,omitempty"`
	Aim     Aim     `json:"aim"`
}

// Beside is the reference of a result.
type Beside struct {
	Name    string  `json:"name"`
	Work    float64 `json:"work"`
	Seconds float64 `json:"seconds"`
}

// Rate returns the units a second and core.
func (r Result) Rate() float64 { return r.Work / r.Seconds / float64(r.Cores) }

// Ratio returns how many times as fast as its reference a case is, for the same work; 0 without one.
func (r Result) Ratio() float64 {
	if r.Beside == nil {
		return 0
	}
	return (r.Work / r.Seconds) / (r.Beside.Work / r.Beside.Seconds)
}

// Met reports whether the result reaches its aim.
func (r Result) Met() bool {
	return r.Rate() >= r.Aim.Rate && r.Ratio() >= r.Aim.Ratio && (r.Aim.Seconds == 0 || r.Seconds <= r.Aim.Seconds)
}

// runner times the cases of a suite.
type runner struct {
	ctx     context.Context
	suite   string
	known   []Result // cases that are not timed again
	results []Result
	told    func(Result) error
}

const (
	roundsLeast = 3
	roundsMost  = 15
	roundsFor   = time.Second // spent on a case, from which there are no more rounds than the least
)

// time times a case and its reference in turn, after one untimed call of each but of a reference to
// time once.
func (r *runner) time(c Case) error {
	if c.Work <= 0 || c.Cores <= 0 {
		return fmt.Errorf("%s %s: no work or no core", r.suite, c.Name)
	}
	for _, done := range r.known {
		if done.Suite == r.suite && done.Case == c.Name {
			r.results = append(r.results, done)
			return nil
		}
	}
	result := Result{Suite: r.suite, Case: c.Name, Work: c.Work, Unit: c.Unit, Cores: c.Cores, Aim: c.Aim}
	var own, other []float64
	once := func(f func() error, seconds *[]float64) error {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		begin := time.Now()
		if err := f(); err != nil {
			return fmt.Errorf("%s %s: %w", r.suite, c.Name, err)
		}
		*seconds = append(*seconds, time.Since(begin).Seconds())
		return nil
	}
	for begin := time.Now(); len(own) <= roundsLeast ||
		len(own) <= roundsMost && time.Since(begin) < roundsFor; {
		if err := once(c.Run, &own); err != nil {
			return err
		}
		if c.Against == nil || c.Against.Once && len(other) > 0 {
			continue
		}
		if err := once(c.Against.Run, &other); err != nil {
			return err
		}
	}
	result.Rounds = len(own) - 1
	result.Seconds = quantile.Of(own[1:], 0.5)
	if c.Against != nil {
		timed := other
		if !c.Against.Once {
			timed = other[1:]
		}
		result.Beside = &Beside{Name: c.Against.Name, Work: c.Against.Work, Seconds: quantile.Of(timed, 0.5)}
	}
	r.results = append(r.results, result)
	return r.told(result)
}

// Measure runs the suites of the names, all without any. It tells of each result as it comes, and takes
// those that are known as they are. An error of told ends it.
func Measure(ctx context.Context, names []string, known []Result, told func(Result) error) (*Run, error) {
	run := newRun()
	for _, name := range names {
		if !slices.ContainsFunc(Suites, func(s Suite) bool { return s.Name == name }) {
			return nil, fmt.Errorf("there is no suite %q, but %s", name, strings.Join(SuiteNames(), ", "))
		}
	}
	for _, s := range Suites {
		if len(names) > 0 && !slices.Contains(names, s.Name) {
			continue
		}
		r := runner{ctx: ctx, suite: s.Name, known: known, told: told}
		if err := s.run(&r); err != nil {
			return nil, err
		}
		run.Results = append(run.Results, r.results...)
	}
	return run, nil
}

// SuiteNames returns the names of all suites.
func SuiteNames() []string {
	var names []string
	for _, s := range Suites {
		names = append(names, s.Name)
	}
	return names
}
