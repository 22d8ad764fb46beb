package micro

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/probe/job"
)

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
