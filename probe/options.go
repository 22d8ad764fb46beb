package probe

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/variant"
)

// Options say what to measure.
type Options struct {
	// Quick measures fewer points with fewer repeats, in less than 30 s.
	Quick bool
	// Repeats of each measurement; 0 means 3 when quick, else 5.
	Repeats int
	// Suites to run, of Suites(); empty for all that the options allow.
	Suites []string
	// Types of the targets in suite calls; empty for u32, f32 and f64.
	Types []device.Type
	// Implementations to measure in suite calls; empty for all.
	Implementations []variant.Variant
	// Drawn, if not 0, is the number of streams of suite calls that are drawn from Seed,
	// in place of the built-in list: see DrawnStreams.
	Drawn int
	Seed  uint64
	// Specs, if not empty, is a file of specifications of the streams of suite calls, one a
	// line, in place of the built-in list: see ReadSpecs.
	Specs string
	// Files are index streams to measure beside the synthetic ones.
	Files []string
	// Companion is the program that measures sort and segreduce; empty where
	// there is none.
	Companion string
	// Counters says how suite counters runs; nil leaves that suite out.
	Counters *Counters
}

// Counters names the programs of suite counters.
type Counters struct {
	Profiler string   // path of ncu
	Program  []string // command line that launches the case whose name follows
}

// Most repeats of a measurement, and most streams to draw.
const (
	mostRepeats = 1000
	mostDrawn   = 10000
)

// Validate reports what there is not. Errors wrap ErrOptions.
func (o Options) Validate() error {
	if o.Repeats < 0 || o.Repeats > mostRepeats {
		return fmt.Errorf("%w: %d repeats, want 1 to %d", ErrOptions, o.Repeats, mostRepeats)
	}
	if o.Drawn < 0 || o.Drawn > mostDrawn {
		return fmt.Errorf("%w: %d streams to draw, want 0 to %d", ErrOptions, o.Drawn, mostDrawn)
	}
	if o.Drawn > 0 && o.Specs != "" {
		return fmt.Errorf("%w: streams to draw, and %s to read them from", ErrOptions, o.Specs)
	}
	for i, s := range o.Suites {
		if !slices.Contains(Suites(), s) {
			return fmt.Errorf("%w: no suite %q (there are %s)", ErrOptions, s, strings.Join(Suites(), ", "))
		}
		if slices.Contains(o.Suites[:i], s) {
			return fmt.Errorf("%w: suite %s is named twice", ErrOptions, s)
		}
	}
	all := implementations(device.Call{}, false)
	for i, v := range o.Implementations {
		if !slices.Contains(all, v) {
			return fmt.Errorf("%w: no kernels of %s are there (there are those of %s)", ErrOptions, v, names(all))
		}
		if slices.Contains(o.Implementations[:i], v) {
			return fmt.Errorf("%w: implementation %s is named twice", ErrOptions, v)
		}
	}
	return nil
}

func names(list []variant.Variant) string {
	var words []string
	for _, v := range list {
		words = append(words, v.String())
	}
	return strings.Join(words, " ")
}

// String returns the options in the form of command-line flags, the same for the
// same measurements. Paths of programs are no part of it.
func (o Options) String() string {
	words := []string{"--full"}
	if o.Quick {
		words[0] = "--quick"
	}
	if o.Repeats > 0 {
		words = append(words, "--repeats", strconv.Itoa(o.Repeats))
	}
	for _, s := range Suites() {
		if slices.Contains(o.Suites, s) {
			words = append(words, "--suite", s)
		}
	}
	for _, t := range device.Types() {
		if slices.Contains(o.Types, t) {
			words = append(words, "--type", t.String())
		}
	}
	for _, v := range o.Implementations {
		words = append(words, "--implementation", v.String())
	}
	if o.Drawn > 0 {
		words = append(words, "--drawn", strconv.Itoa(o.Drawn), "--seed", strconv.FormatUint(o.Seed, 10))
	}
	if o.Specs != "" {
		words = append(words, "--specs", filepath.Base(o.Specs))
	}
	for _, f := range o.Files {
		words = append(words, "--stream", filepath.Base(f))
	}
	if o.Companion != "" {
		words = append(words, "--companion")
	}
	return strings.Join(words, " ")
}
