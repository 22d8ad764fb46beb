package kernels

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
)

// TestKernels holds results.json, of which doc/results/KERNELS.md is made, to what the recordings and the
// table of simulated times say now. It fails where a limit is not kept that no known gap names, where a
// known gap has widened or closed, and where the table is of another profile, simulator or plan.
// ATOMTUNE_UPDATE_GOLDEN=1 writes both, and the list of known gaps.
func TestKernels(t *testing.T) {
	golden.OnlyFull(t)
	table, err := RecordedKernels()
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := kernelGaps()
	if err != nil {
		t.Fatal(err)
	}
	update := golden.Update()
	if update {
		report, err := compared(table)
		if err != nil {
			t.Fatal(err)
		}
		text, err := validate.EncodeGaps(report.Checks, gaps)
		if err != nil {
			t.Fatal(err)
		}
		gaps = renewGaps(t, kernelGapsFile, text, gaps)
	}
	report, err := judgedAs(table, gaps)
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range report.Failed {
		t.Error(failure)
	}
	if len(report.Rows) < 100 || report.Available < 13_000 || report.Streams < 30 ||
		report.Calls < 1800 || len(report.Implementations) < 6 ||
		len(report.Checks) != 3*(len(report.Rows)+len(report.Implementations))+8 {
		t.Errorf("%d rows, %d forms, %d of %d calls, %d checks", len(report.Rows), len(report.Implementations),
			report.Calls, report.Available, len(report.Checks))
	}
	for _, f := range report.Implementations {
		if f.Calls != table.Plan.PerForm || f.Simulated.Calls != f.Calls || f.Available < 3*f.Calls {
			t.Errorf("%+v", f)
		}
	}
	text, err := results.Encode(report.kept())
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
}

// judgedAs is what Kernels reports with some known gaps.
func judgedAs(table KernelTable, gaps map[string]validate.Gap) (KernelReport, error) {
	r, err := compared(table)
	if err == nil {
		r.judge(gaps)
	}
	return r, err
}

// renewGaps writes the list of known gaps as the checks have them. A gap that was not
// known is an error: its reason is to be found.
func renewGaps(t *testing.T, file string, text []byte,
	known map[string]validate.Gap) map[string]validate.Gap {
	t.Helper()
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	gaps, err := validate.DecodeGaps(file, text)
	if err != nil {
		t.Fatal(err)
	}
	for item := range gaps {
		if _, old := known[item]; !old {
			t.Errorf("%s: a new gap: find its reason", item)
		}
	}
	return gaps
}

// TestKernelSample simulates some calls of the table again and demands the same
// figures to the digit, and every update applied once; with ATOMTUNE_FULL=1 sixteen times as many.
func TestKernelSample(t *testing.T) {
	updates := uint64(1 << 19)
	if golden.Full() {
		updates = 1 << 23
	}
	table, err := RecordedKernels()
	if err != nil {
		t.Fatal(err)
	}
	g, err := recordedSet()
	if err != nil {
		t.Fatal(err)
	}
	want := map[recorded.CallKey]float64{}
	for _, c := range table.Times {
		want[c.CallKey] = c.US
	}
	some := g.cheapest(g.planned(table.Plan), updates)
	checked := 0
	err = simulator(g.gpu).simulateAll(t.Context(), some, func(c SimulatedCall) error {
		if c.US != want[c.CallKey] {
			t.Errorf("%s: %v us, the table has %v us", c.CallKey, c.US, want[c.CallKey])
		}
		checked++
		return nil
	})
	if err != nil || checked == 0 || checked != len(some) {
		t.Errorf("%d of %d calls, %v", checked, len(some), err)
	}
}

// TestKernelFaults plants faults in the table and demands that the report names
// them.
func TestKernelFaults(t *testing.T) {
	golden.OnlyFull(t)
	table, err := RecordedKernels()
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := kernelGaps()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		words []string
		plant func(*KernelTable)
	}{
		{[]string{"another profile", "another simulator", "missing or too many", "simulated, median error"},
			func(t *KernelTable) {
				t.Profile, t.Behaviour, t.Times = "0", "0", t.Times[1:]
				for i := range t.Times {
					t.Times[i].US *= 30
				}
			}},
		{[]string{"another profile", "another simulator", "missing or too many", "Kendall's tau"},
			func(t *KernelTable) {
				t.Device, t.Seed, t.Plan.PerForm = "c2075", t.Seed+1, t.Plan.PerForm+1
				for i := range t.Times {
					t.Times[i].US = 1 / t.Times[i].US
				}
			}},
	} {
		planted := table
		planted.Times = slices.Clone(table.Times)
		c.plant(&planted)
		report, err := judgedAs(planted, gaps)
		failed := strings.Join(report.Failed, "\n")
		for _, word := range c.words {
			if err != nil || !strings.Contains(failed, word) {
				t.Errorf("%s: %v, %q", word, err, failed)
			}
		}
	}
}

// TestJudge: rows have the states of their checks: limits that hold or do not, and known gaps that are
// open, wider or closed.
func TestJudge(t *testing.T) {
	row := KernelRow{Implementation: impl.Spec{}, Calls: 4,
		Simulated:  KernelError{Calls: 4, MedianPercent: 12, P90Percent: 20},
		ClosedForm: KernelError{Calls: 4, MedianPercent: 3}}
	name := recorded.KindName(row.Implementation, row.Call)
	median, closed := name+": simulated, median error", name+": closed form, median error"
	for _, c := range []struct {
		gaps              map[string]validate.Gap
		simulated, closed string
	}{
		{nil, validate.Failed, validate.Enforced},
		{map[string]validate.Gap{median: {Holds: 12.5, Reason: "why"}}, validate.KnownGap, validate.Enforced},
		{map[string]validate.Gap{median: {Holds: 11.9, Reason: "why"}}, validate.Failed, validate.Enforced},
		{map[string]validate.Gap{median: {Holds: 12, Reason: "why"}, closed: {Holds: 17, Reason: "why"}},
			validate.KnownGap, validate.Failed},
	} {
		r := KernelReport{Rows: []KernelRow{row}, Checks: row.checks()}
		r.judge(c.gaps)
		got := r.Rows[0]
		failed := c.simulated == validate.Failed || c.closed == validate.Failed
		if got.Simulated.Status != c.simulated || got.ClosedForm.Status != c.closed || len(r.Failed) > 0 != failed {
			t.Errorf("%v: %s and %s, %q", c.gaps, got.Simulated.Status, got.ClosedForm.Status, r.Failed)
		}
	}
}

// cheapest returns calls of the shortest streams, at equal distances of those on
// at most a quarter more updates than the shortest has, and so many that about
// that number of updates is simulated.
func (g *recordedKernels) cheapest(calls []plannedCall, updates uint64) []plannedCall {
	least := calls[0].updates
	for _, c := range calls {
		least = min(least, c.updates)
	}
	var short []plannedCall
	for _, c := range calls {
		if c.updates < least*5/4 && c.bins <= 1<<20 {
			short = append(short, c)
		}
	}
	some := make([]plannedCall, min(max(1, int(updates/least)), len(short)))
	for i := range some {
		some[i] = short[i*len(short)/len(some)]
	}
	return some
}
