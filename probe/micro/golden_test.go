package micro

import (
	"fmt"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/gpu/driver"
	"github.com/atomtune/atomtune/internal/golden"
)

// TestMeasured: what the suites read on a stand-in, with all parameters, launches and repeats, is what
// testdata/measured.txt holds, on GPUs of several sizes, quick and in full.
func TestMeasured(t *testing.T) {
	var lines []string
	for name, run := range map[string]benchRun{
		"hopper": fullRun(), "hopper, quick": quickRun(), "turing, quick": runBench(turing(), Options{Quick: true}),
		"pascal, once": runBench(pascal(), Options{Quick: true, Repeats: 1})} {
		suites := map[string]*golden.Digest{}
		for _, r := range run.readings {
			if suites[r.Suite] == nil {
				suites[r.Suite] = new(golden.Digest)
			}
			suites[r.Suite].JSON(t, r)
		}
		for suite, sum := range suites {
			lines = append(lines, fmt.Sprintf("%s, %s: %s", name, suite, sum))
		}
		var sum golden.Digest
		sum.JSON(t, []any{run.warnings, fmt.Sprint(run.err)})
		lines = append(lines, fmt.Sprintf("%s, warnings: %s", name, &sum))
	}
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
