package kernels

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/internal/golden"

	"github.com/google/go-cmp/cmp"

	"github.com/atomtune/atomtune/lab/results"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/variant"
)

const kernelFigure = "../../../doc/results/kernels-h200.svg"

// TestKernels holds results.json and the figure of doc/results/KERNELS.md to what the recordings and the
// table of simulated times say now. It fails where a limit is not kept that no known gap names, where a
// known gap has widened or closed, and where the table is of another profile, simulator or plan.
// ATOMTUNE_UPDATE_GOLDEN=1 writes both, and the list of known gaps.
func TestKernels(t *testing.T) {
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
		report.Calls < 1800 || len(report.Forms) < 6 ||
		len(report.Checks) != 3*(len(report.Rows)+len(report.Forms))+8 {
		t.Errorf("%d rows, %d forms, %d of %d calls, %d checks", len(report.Rows), len(report.Forms),
			report.Calls, report.Available, len(report.Checks))
	}
	for _, f := range report.Forms {
		if f.Calls != table.Plan.PerForm || f.Simulated.Calls != f.Calls || f.Available < 3*f.Calls {
			t.Errorf("%+v", f)
		}
	}
	text, err := results.Encode(report.kept())
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, "results.json", text)
	figure, err := report.Figure().SVG()
	if err != nil {
		t.Fatal(err)
	}
	golden.Text(t, kernelFigure, string(figure))
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
// figures to the digit, and every update applied once; with ATOMTUNE_FULL=1 four times as many.
func TestKernelSample(t *testing.T) {
	updates := uint64(1 << 21)
	switch {
	case os.Getenv("ATOMTUNE_FULL") != "":
		updates = 1 << 23
	case testing.Short():
		updates = 1 << 19
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
	err = simulator(g.gpu).simulateAll(t.Context(), some, 2, func(c SimulatedCall) error {
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

// TestWorkersAgree: the same times from any number of workers.
func TestWorkersAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations take minutes under the race detector; TestSimulateKernels has its workers raced")
	}
	c, err := workersAgree(t.Context(), 1<<20)
	if err != nil || c.Failure() != "" || c.Rows < 3 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestSimulationSpeed times a short stream: both ways are timed, and each has
// its limit.
func TestSimulationSpeed(t *testing.T) {
	checks, err := simulationSpeed("uniform:n=16384,k=64,seed=1")
	if err != nil || len(checks) != 2 {
		t.Fatalf("%+v, %v", checks, err)
	}
	for _, c := range checks {
		if !(c.Value > 0) || c.Limit == 0 || c.Rows != 16384 {
			t.Errorf("%+v", c)
		}
	}
}

// TestKernelFaults plants faults in the table and demands that the report names
// them.
func TestKernelFaults(t *testing.T) {
	table, err := RecordedKernels()
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := kernelGaps()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		word  string
		plant func(*KernelTable)
	}{
		{"another profile", func(t *KernelTable) { t.Profile = "0" }},
		{"another profile", func(t *KernelTable) { t.Device = "c2075" }},
		{"another simulator", func(t *KernelTable) { t.Behaviour = "0" }},
		{"another simulator", func(t *KernelTable) { t.Seed++ }},
		{"missing or too many", func(t *KernelTable) { t.Times = t.Times[1:] }},
		{"missing or too many", func(t *KernelTable) { t.Times[0].Label += "0" }},
		{"missing or too many", func(t *KernelTable) { t.Plan.PerForm++ }},
		{"simulated, median error", func(t *KernelTable) {
			for i := range t.Times {
				t.Times[i].US *= 30
			}
		}},
		{"Kendall's tau", func(t *KernelTable) {
			for i := range t.Times {
				t.Times[i].US = 1 / t.Times[i].US
			}
		}},
	} {
		planted := table
		planted.Times = slices.Clone(table.Times)
		c.plant(&planted)
		report, err := judgedAs(planted, gaps)
		if err != nil || !slices.ContainsFunc(report.Failed,
			func(f string) bool { return strings.Contains(f, c.word) }) {
			t.Errorf("%s: %v, %q", c.word, err, report.Failed)
		}
	}
}

// TestJudge: a limit that holds, one that does not, and known gaps that are
// open, wider or closed.
func TestJudge(t *testing.T) {
	row := KernelRow{Implementation: variant.Variant{}, Calls: 4,
		Simulated:  KernelError{Calls: 4, MedianPercent: 12, P90Percent: 20},
		ClosedForm: KernelError{Calls: 4, MedianPercent: 3}}
	name := recorded.KindName(row.Implementation, row.Call)
	median := name + ": simulated, median error"
	for _, c := range []struct {
		gaps              map[string]validate.Gap
		failure           string
		simulated, closed string
	}{
		{nil, median + ": 12 %, limit 10", validate.Failed, validate.Enforced},
		{map[string]validate.Gap{median: {Holds: 12.5, Reason: "why"}}, "", validate.KnownGap,
			validate.Enforced},
		{map[string]validate.Gap{median: {Holds: 11.9, Reason: "why"}}, "widened: 12 %, was 11.9",
			validate.Failed, validate.Enforced},
		{map[string]validate.Gap{median: {Holds: 12, Reason: "why"}, name +
			": closed form, median error": {Holds: 17, Reason: "why"}}, "has closed", validate.KnownGap,
			validate.Failed},
		{map[string]validate.Gap{median: {Holds: 12, Reason: "why"},
			"nothing": {Holds: 17, Reason: "why"}}, "nothing: a known gap of nothing", validate.KnownGap,
			validate.Enforced},
	} {
		r := KernelReport{Rows: []KernelRow{row}, Checks: row.checks()}
		r.judge(c.gaps)
		failed := strings.Join(r.Failed, "\n")
		if (failed == "") != (c.failure == "") || !strings.Contains(failed, c.failure) {
			t.Errorf("%v: %q, want %q", c.gaps, failed, c.failure)
		}
		if got := r.Rows[0]; got.Simulated.Status != c.simulated || got.ClosedForm.Status != c.closed {
			t.Errorf("%v: %s and %s, want %s and %s", c.gaps, got.Simulated.Status, got.ClosedForm.Status,
				c.simulated, c.closed)
		}
	}
}

// TestGapsFile: gaps are read as they were written, reasons stay, and a broken
// file is refused with its line.
func TestGapsFile(t *testing.T) {
	checks := []validate.Check{
		{Item: "a, b: median", Value: 12.31, Limit: 10, Unit: "%"},
		{Item: "c", Value: 9, Limit: 10, Unit: "%"},
		{Item: "d", Value: 0.70049, Limit: 0.85, Unit: validate.UnitTau, Least: true},
		{Item: "table", Value: 1, Limit: 0},
	}
	text, err := validate.EncodeGaps(checks, map[string]validate.Gap{"d": {Holds: 0.8, Reason: "why"}})
	if err != nil {
		t.Fatal(err)
	}
	gaps, err := validate.DecodeGaps("gaps", text)
	want := map[string]validate.Gap{"a, b: median": {Holds: 12.4, Reason: validate.Unexplained},
		"d": {Holds: 0.7, Reason: "why"}}
	if diff := cmp.Diff(want, gaps, cmp.AllowUnexported(validate.Gap{})); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	head := "item,limit,holds,unit,reason\n"
	for _, c := range []struct{ text, word string }{
		{"", "EOF"},
		{"item,limit,holds,unit,why\n", "gaps:1"},
		{head + "a,10,many,%,why\n", `gaps:2: holds "many"`},
		{head + "a,10,12,%,why\na,10,12,%,why\n", "gaps:3"},
		{head + "a,10,12,%,\n", "gaps:2: a: no reason"},
		{head + "a,10,12,%\n", "gaps"},
	} {
		if _, err := validate.DecodeGaps("gaps", []byte(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.word) {
			t.Errorf("%q: %v, want %q", c.text, err, c.word)
		}
	}
}
