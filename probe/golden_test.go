package probe

import (
	"fmt"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"
	"github.com/atomtune/atomtune/probe/calls"
	"github.com/atomtune/atomtune/probe/micro"
)

// TestPlans: the jobs of a suite and the patterns, quick and full, are what testdata/plans.txt holds.
func TestPlans(t *testing.T) {
	var lines []string
	for _, quick := range []bool{true, false} {
		for _, s := range Suites() {
			p := mustPlan(t, Options{Options: calls.Options{Quick: quick}, Suites: []string{s},
				Counters: &micro.Counters{Profiler: "ncu"}})
			var jobs golden.Digest
			for _, j := range p.Jobs {
				jobs.Written(j.Name()+" "+fmt.Sprint(j.Content), 9)
			}
			lines = append(lines, fmt.Sprintf("quick %v, %s: %d jobs, %s", quick, s, len(p.Jobs), jobs.String()))
		}
		var rows golden.Digest
		rows.JSON(t, mustPlan(t, Options{Options: calls.Options{Quick: quick}}).Patterns)
		lines = append(lines, fmt.Sprintf("quick %v: patterns, %s", quick, rows.String()))
	}
	golden.Compare(t, "testdata/plans.txt", lines)
}
