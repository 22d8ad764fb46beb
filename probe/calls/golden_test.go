package calls

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
)

// TestMeasured: the calls that are measured on a stand-in, what is said of them, and the launches that
// they are made of are what testdata/measured.txt holds, for options of several kinds; and so are the
// streams that suites and draws name.
func TestMeasured(t *testing.T) {
	var lines []string
	for i, o := range []Options{{}, {Quick: true, Launches: true}, {Keeps: true, Repeats: 1}} {
		runs := runAllTypes(t)
		if i > 0 {
			g := newCallsGPU()
			runs = runJobs(t, newSuite(g.description, o), g)
		}
		for _, r := range runs {
			r.Warnings = nil
			var sum golden.Digest
			sum.JSON(t, r.Result)
			for _, l := range r.launches {
				sum.Text(fmt.Sprint(l.module, l.kernel, l.shape))
			}
			lines = append(lines, fmt.Sprintf("options %d, %s: %d launches, %s", i, r.key, len(r.launches), &sum))
		}
	}
	for _, quick := range []bool{false, true} {
		var sum golden.Digest
		for _, s := range Streams(quick) {
			sum.Text(s.String())
		}
		lines = append(lines, fmt.Sprintf("streams, quick %t: %s", quick, &sum))
	}
	jobs, err := Jobs(h200Description(), Options{Drawn: 30, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	var sum golden.Digest
	for _, j := range jobs {
		sum.Text(fmt.Sprint(j.Name(), j.Updates))
	}
	golden.Compare(t, "testdata/measured.txt", append(lines, fmt.Sprintf("%d drawn: %s", len(jobs), &sum)))
}
