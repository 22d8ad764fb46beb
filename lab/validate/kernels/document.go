package kernels

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/atomtune/atomtune/internal/quantile"
	"github.com/atomtune/atomtune/lab/validate"
)

// Document is doc/results/KERNELS.md.
func (r KernelReport) Document() []byte {
	var doc bytes.Buffer
	writeKernelDoc(&doc, r)
	return doc.Bytes()
}

// kept leaves out the checks that the rows of the page show.
func (r KernelReport) kept() KernelReport {
	r.Checks = slices.DeleteFunc(slices.Clone(r.Checks),
		func(c validate.Check) bool { return c.Unit == validate.UnitPercent })
	return r
}

// Headline are the figures of the rows by the names that documents show them by.
func (r KernelReport) Headline() map[string]string {
	var simulated, closed []float64
	for _, row := range r.Rows {
		simulated, closed = append(simulated, row.Simulated.MedianPercent), append(closed, row.ClosedForm.MedianPercent)
	}
	percent := func(list []float64) string { return fmt.Sprintf("%.0f", quantile.Of(list, 0.5)) }
	return map[string]string{"kernels.calls": fmt.Sprint(r.Calls), "kernels.rows": fmt.Sprint(len(r.Rows)),
		"kernels.simulated.median-error": percent(simulated), "kernels.closed.median-error": percent(closed)}
}

const kernelDocHead = `# Whole calls on the NVIDIA H200: simulated, priced and measured

Rendered from lab/validate/kernels/results.json, which ` + "`script/regenerate kernels`" + ` computes from
the recordings under datasets/h200, the simulated times in lab/validate/kernels/kernels.csv.gz and the
closed forms; ` + "`atomlab validate kernels`" + ` prints the same.

%s
These are %d of %d recorded calls on synthetic streams of the held-out part, from %d streams. The recorded real files are not
in the project, so their calls cannot be simulated again. The simulator and the closed forms know the profile, whose
constants were fitted to single readings. Simulated kernels start as soon as an empty one; the extra delay of update
kernels, which the profile states, is added to their times here. The mechanisms of the simulator's slices were chosen with a
look at calls of the other part, and four rules of the fit with a look at all calls, as datasets/h200/README.md says. The
closed forms are not judged on the uniform streams that shaped them.

The error of a call is |predicted/measured - 1|, and the ratio is the median of predicted/measured. The limits are %d %% for
the simulated median, %d %% for its 90th percentile and %d %% for the closed form's median. "known gap" marks figures that
exceed their limit; lab/validate/kernels/gaps.csv has the limit that holds instead.

## Each implementation and kind of call

| implementation | type | value | old values | calls | simulated: median (%%) | p90 (%%) | ratio | | closed form: median (%%) | ratio | |
|---|---|---|---|---|---|---|---|---|---|---|---|
`

const formsHead = `
## Kinds of which some calls are simulated

The archive holds too many calls of these kinds to simulate them all. The table has %d of each, on streams of at most 2^22
updates: those whose names have the least SHA-256. The limits are %d %% for the simulated median, %d %% for its 90th
percentile and %d %% for the closed form's median.

| form | calls | of | simulated: median (%%) | p90 (%%) | ratio | | closed form: median (%%) | ratio | |
|---|---|---|---|---|---|---|---|---|---|
`

// inShort says what the rows come to.
func inShort(r KernelReport) string {
	var simulated, closed, p90 []float64
	keptSimulated, keptClosed := 0, 0
	for _, row := range r.Rows {
		simulated = append(simulated, row.Simulated.MedianPercent)
		p90 = append(p90, row.Simulated.P90Percent)
		closed = append(closed, row.ClosedForm.MedianPercent)
		if row.Simulated.Status == validate.Enforced {
			keptSimulated++
		}
		if row.ClosedForm.Status == validate.Enforced {
			keptClosed++
		}
	}
	return fmt.Sprintf("In short: of %d implementations and kinds of call the simulator keeps its limits on "+
		"%d, and the\nclosed forms on %d. In the median row the median error of simulated "+
		"times is %.1f %%\nand their 90th percentile %.1f %%; the median error of closed forms is %.1f %%. "+
		"The worst rows are\n%.0f %% and %.0f %% off. Rows beyond their limit are marked, and the tables leave "+
		"nothing out.\n", len(r.Rows), keptSimulated, keptClosed, quantile.Of(simulated, 0.5),
		quantile.Of(p90, 0.5), quantile.Of(closed, 0.5), slices.Max(simulated), slices.Max(closed))
}

func writeKernelDoc(w io.Writer, r KernelReport) {
	fmt.Fprintf(w, kernelDocHead, inShort(r), r.Calls, r.Available, r.Streams, simulatedMedian, simulatedP90,
		closedFormMedian)
	word := map[string]string{validate.Enforced: "ok", validate.KnownGap: "known gap",
		validate.Failed: "FAILED"}
	for _, row := range r.Rows {
		old := ""
		if row.Returns {
			old = "returned"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %.1f | %.1f | %.2f | %s | %.1f | %.2f | %s |\n",
			row.Implementation, row.Type, row.Operand, old, row.Calls,
			row.Simulated.MedianPercent, row.Simulated.P90Percent, row.Simulated.MedianRatio,
			word[row.Simulated.Status],
			row.ClosedForm.MedianPercent, row.ClosedForm.MedianRatio, word[row.ClosedForm.Status])
	}
	fmt.Fprintf(w, formsHead, r.Plan.PerForm, simulatedMedian, simulatedP90, formClosedMedian)
	for _, f := range r.Implementations {
		fmt.Fprintf(w, "| %s | %d | %d | %.1f | %.1f | %.2f | %s | %.1f | %.2f | %s |\n",
			f.Implementation, f.Calls, f.Available,
			f.Simulated.MedianPercent, f.Simulated.P90Percent, f.Simulated.MedianRatio,
			word[f.Simulated.Status],
			f.ClosedForm.MedianPercent, f.ClosedForm.MedianRatio, word[f.ClosedForm.Status])
	}
	fmt.Fprintf(w, "\n## Ranking, and the state of the table\n\n| check | value | limit | rows | |\n|---|---|---|---|---|\n")
	for _, c := range r.Checks {
		if c.Unit == validate.UnitPercent {
			continue // in the table above
		}
		bound := "at most"
		if c.Least {
			bound = "at least"
		}
		fmt.Fprintf(w, "| %s | %.3g | %s %v | %d | %s |\n", c.Item, c.Value, bound, c.Limit, c.Rows,
			word[c.State()])
	}
}
