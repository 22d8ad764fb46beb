package micro

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/bindings/gpu/driver"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/microbench/job"
)

// TestMeasured: what a full run asks of a stand-in and reads there, and the jobs of GPUs of several sizes, quick
// and in full, are what testdata/measured.txt holds.
func TestMeasured(t *testing.T) {
	var lines []string
	run, suites := fullRun().must(t), map[string]*golden.Digest{}
	for _, r := range run.readings {
		if suites[r.Suite] == nil {
			suites[r.Suite] = new(golden.Digest)
		}
		suites[r.Suite].JSON(t, r)
	}
	for suite, sum := range suites {
		lines = append(lines, fmt.Sprintf("hopper, %s: %s", suite, sum))
	}
	lines = append(lines, fmt.Sprintf("hopper: %d launches, %s", run.gpu.launches, run.gpu.asked))
	for name, d := range map[string]driver.Description{"hopper": hopper(), "turing": turing(), "pascal": pascal()} {
		for _, quick := range []bool{false, true} {
			var sum golden.Digest
			for _, suite := range Suites() {
				for _, j := range Jobs(suite, d, Options{Quick: quick}) {
					sum.Text(j.Name() + " " + j.Content)
				}
			}
			sum.JSON(t, Patterns(d, Options{Quick: quick}))
			lines = append(lines, fmt.Sprintf("jobs of %s, quick %t: %s", name, quick, &sum))
		}
	}
	slices.Sort(lines)
	golden.Compare(t, "testdata/measured.txt", lines)
}

// TestAsked: what each job of a quick run asks of a stand-in, launches with their arguments and what is
// uploaded, and the readings that it makes of its times are what testdata/asked.txt holds.
func TestAsked(t *testing.T) {
	var lines []string
	for _, d := range []struct {
		name  string
		about driver.Description
	}{{"hopper", hopper()}, {"turing", turing()}, {"pascal", pascal()}} {
		for _, o := range []Options{{Quick: true}, {Quick: true, Repeats: 2}} {
			if o.Repeats > 0 && d.name != "pascal" {
				continue
			}
			for _, j := range append(benchSuites(d.about, o), Jobs("scratchpad", d.about, Options{Quick: true})...) {
				if j.Key == hostJob || j.Suite == "scratchpad" && o.Repeats > 0 {
					continue
				}
				var asked, found golden.Digest
				g := newBenchGPU(d.about)
				g.asked = &asked
				for _, r := range runAll(t, g, []job.Job{j}) {
					r.Warnings = nil
					found.JSON(t, r)
				}
				lines = append(lines, fmt.Sprintf("%s %+v %s: %d launches, %s; found %s", d.name, o, j.Name(),
					g.launches, asked.String(), found.String()))
			}
		}
	}
	golden.Compare(t, "testdata/asked.txt", lines)
}
