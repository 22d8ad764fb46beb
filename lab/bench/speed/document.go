package speed

import (
	"bytes"
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

const documentHead = `# How fast the project's own code is

Rendered from the runs of ` + "`atomlab bench speed`" + ` under lab/bench/speed/recorded, one of each processor.
A time is the median of 3 to 15 calls after one that is not timed; a reference is timed in turn
with the case, in the same process. The rate counts units a second and core. "Times" is how many
times as fast as the reference the case is, for the same work. What binds is said of profiles
that pprof took on one processor, and names functions by their time, the most first.
`

//go:embed profiles
var profiles embed.FS

// Recorded reads the runs of a folder.
func Recorded(folder string) (runs []*Run, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no *.json", folder)
	}
	for _, path := range paths {
		run, err := Read(path)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// Document is doc/results/SPEED.md for runs on several processors.
func Document(runs []*Run) []byte {
	var w bytes.Buffer
	w.WriteString(documentHead)
	for _, run := range runs {
		fmt.Fprintf(&w, "\nRun on %s.\n", run)
	}
	for _, s := range Suites {
		fmt.Fprintf(&w, "\n## %s\n\n%s\n", s.Name, s.About)
		for _, run := range runs {
			run.write(&w, s.Name)
		}
		if text, err := profiles.ReadFile("profiles/" + s.Name + ".md"); err == nil {
			fmt.Fprintf(&w, "\n### What binds\n\n%s", text)
		}
	}
	return w.Bytes()
}

func (run *Run) String() string {
	return fmt.Sprintf("%s (%d cores, %s)", run.Processor, run.Cores, run.With)
}

// write writes the table of a suite.
func (run *Run) write(w *bytes.Buffer, suite string) {
	if !slices.ContainsFunc(run.Results, func(r Result) bool { return r.Suite == suite }) {
		return
	}
	fmt.Fprintf(w, "\n%s:\n\n| case | cores | time | rate | reference | times | aim | |\n"+
		"|---|--:|--:|--:|---|--:|---|---|\n", run.Processor)
	for _, r := range run.Results {
		if r.Suite != suite {
			continue
		}
		times, beside := "-", "-"
		if r.Beside != nil {
			times, beside = fmt.Sprintf("%.3g", r.Ratio()), r.Beside.Name
		}
		fmt.Fprintf(w, "| `%s` | %d | %s | %s | %s | %s | %s | %s |\n", r.Case, r.Cores, Seconds(r.Seconds),
			r.RateText(), beside, times, r.Aim, r.Verdict())
	}
}

// RateText is the rate in words.
func (r Result) RateText() string { return short(r.Rate()) + " " + r.Unit + "/s" }

// Verdict says whether the aim is met.
func (r Result) Verdict() string {
	switch {
	case r.Aim == Aim{}:
		return ""
	case r.Met():
		return "met"
	}
	return "not met"
}

// String says what is asked for.
func (a Aim) String() string {
	var all []string
	if a.Rate > 0 {
		all = append(all, "at least "+short(a.Rate)+"/s")
	}
	if a.Ratio > 0 {
		all = append(all, fmt.Sprintf("at least %g times", a.Ratio))
	}
	if a.Seconds > 0 {
		all = append(all, "under "+Seconds(a.Seconds))
	}
	return strings.Join(all, ", ")
}

// short writes a rate with three digits.
func short(x float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, " G"}, {1e6, " M"}, {1e3, " k"}} {
		if x >= unit.of {
			return fmt.Sprintf("%.3g%s", x/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", x)
}

// Seconds writes a duration with three digits.
func Seconds(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*s)
	case s < 1:
		return fmt.Sprintf("%.3g ms", 1e3*s)
	}
	return fmt.Sprintf("%.3g s", s)
}
