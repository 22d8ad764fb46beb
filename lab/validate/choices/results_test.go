package choices

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/leaveoneout"
	"github.com/atomtune/atomtune/tuner/model"
)

const resultsHead = `# Results

Made by the tests of lab/validate from the embedded models, the recordings under
datasets/h200, the sweeps under tuner/sweeps and lab/validate/learners/learners.csv; ` + "`atomlab validate\ntuner --journal tuner/sweeps/gtx680.jsonl.gz --journal tuner/sweeps/c2075.jsonl.gz`" + ` prints
the same.

%s
![loss of choices on held-out streams, sorted: atomtune, a careful ladder, plain atomics](results.svg)

- **Measured** are the times of calls on NVIDIA H200s: five repeats on each of two starts, the
  mean of the starts' medians, but the lesser where one is more than twice the other; of partition, of
  old values from copies and of the validation sets on one start. A stream belongs to one half by its label alone: what is
  fitted or trained may see the fit half, and the held-out half judges. Choices come from no
  measured call, but where a table says that they were learned from: the trees learned
  from simulated times, and the profile is fitted to single readings and patterns. Predicted
  times of the H200 are corrected by trees learned from the calls of the fit half, and so are
  their 90 %% intervals; on the other devices, model.SimulationError, set by the same calls,
  widens these. Choices depend on neither, but for those of online.Online, which begins with
  the intervals, and cautious ones, which go by their upper ends.
- **Simulated** are the times of the event-level simulator, and so are all times of the
  GTX 680 and the Tesla C2075. The longest streams are estimated from simulated samples.
- **Seen** was more than was learned from. Four rules of the profile's fit (what a held
  address costs, the rate of memory under atomics, which unit issues, where slices are
  counted) were chosen with a look at how the closed forms then meet the calls, those of the
  held-out streams among them. And the losses of earlier versions on the held-out half were
  known when the trees, online.Online and the closed forms of warps that meet at private
  copies were designed as they are; these were written by calls of the fit half. Those of
  misses in L2, of busy chunks, of sorts, of flushes and of how late kernels begin were
  written by the fit half and by datasets/h200/misses, hotspots and drawn. After most
  steps the tables of this page were read: losses of the held-out half by kind of call and
  family, and the second validation set's limits. One step was narrowed since it lost on mixtures of the
  held-out half: where a warp has fewer passes than lanes outside the busiest chunk.

The loss of a choice is the time of the chosen implementation over that of the best: 1 is
the right choice. Losses stand as geometric mean, 90th percentile and maximum.

## Limits

lab/validate/choices/gaps.csv says why a known gap is one, and what holds instead.

| figure | value | limit | rows | |
|---|---|---|---|---|
`

// resultsInShort says what choices lose on the held-out half, beside rules without a model.
func resultsInShort(r TunerReport) string {
	part := func(name string) TunerPart {
		i := slices.IndexFunc(r.Parts, func(p TunerPart) bool { return p.Part == name })
		return r.Parts[i]
	}
	held := part(heldOutPart)
	own, ladder, naive := held.Rules[0].Loss, held.Rules[2].Loss, held.Rules[len(held.Rules)-1].Loss
	second, fresh := part(secondPart).Rules[0].Loss, part("fresh validation set").Rules[0].Loss
	return fmt.Sprintf("In short: on the held-out half of the streams recorded on H200s choices take %.3f times as "+
		"long as the\nbest form in the geometric mean, %.2f at the 90th percentile and %.2f at worst. A careful "+
		"ladder of\nrules takes %.3f, %.2f and %.2f, plain atomics %.2f, %.1f and %.0f. On two sets of streams "+
		"recorded\napart choices take %.3f and %.3f. Predicted times of choices are %.1f %% off in the median, and "+
		"%.0f %% of\nthe measured times lie in their 90 %% interval. Form and launch together take %.3f.\n",
		own.GeometricMean, own.P90, own.Max, ladder.GeometricMean, ladder.P90, ladder.Max,
		naive.GeometricMean, naive.P90, naive.Max, second.GeometricMean, fresh.GeometricMean,
		held.Choice.MedianPercent, held.Choice.CoveredPercent, r.Launches[0].Searched.GeometricMean)
}

func writeResults(doc *bytes.Buffer, r TunerReport) {
	fmt.Fprintf(doc, resultsHead, resultsInShort(r))
	writeChecks(doc, r.Checks, standing)
	writeParts(doc, r.Parts)
	writePortfolio(doc, r.Portfolio)
	writeTimes(doc, r.Parts)
	writeCurve(doc, r.Curve)
	writeOnline(doc, r.Online)
	writeWorst(doc, r.Parts)
	writeModels(doc, r.Models)
	writeGates(doc, r.Models)
	writeLearners(doc, r.Learners)
	writeOff(doc, r.LeaveOneOut)
	writePublished(doc, r.Published)
}

func writeChecks(doc *bytes.Buffer, checks []validate.Check, standing func(validate.Check) string) {
	for _, c := range checks {
		limit := "at most "
		if c.Least {
			limit = "at least "
		}
		fmt.Fprintf(doc, "| %s | %s %s | %s%v | %d | %s |\n", c.Item, fourDigits(c.Value), c.Unit, limit,
			c.Limit, c.Rows, standing(c))
	}
}

func lossCell(l model.Loss) string {
	if l.Points == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f, %.2f, %.2f", l.GeometricMean, l.P90, l.Max)
}

// fourDigits prints four significant digits.
func fourDigits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func standing(c validate.Check) string {
	switch {
	case c.Failure() != "":
		return "FAILED"
	case c.Status == validate.KnownGap:
		return "known gap"
	}
	return ""
}

// partHeads say what each part of the recorded streams is.
var partHeads = map[string]string{
	heldOutPart: `
### Held-out half

All of it: synthetic streams, matrices, graphs and images, as u32, f32 and f64 sums of
loaded values and u32 counts.
`,
	freshPart: `
### Held-out half, synthetic streams

Of 2^18 to 2^25 updates. Those are left out that earlier recordings had too: the closed
forms took their shape from these.
`,
	"held-out, files": `
### Held-out half, files
`,
	fitPart: `
### Fit half

No choice is fitted to these calls either, but they are free to be; predicted times and their
90 % intervals are.
`,
	"fit, synthetic": `
### Fit half, synthetic streams
`,
	"fit, files": `
### Fit half, files
`,
	secondPart: `
### Second validation set

120 streams drawn from all families and recorded apart from the others, on one start of a
machine. Closed forms have changed since its times were first read, by other recordings (see
Seen); its limits were read after most of these steps, so that it is no longer independent;
none of its calls has been looked at.
`,
	shapingPart: `
### Streams that shaped the closed forms

Real matrices, graphs and images, and uniform targets, of both halves: this table validates
nothing.
`,
}

func writeParts(doc *bytes.Buffer, parts []TunerPart) {
	doc.WriteString("\n## Measured: choices on the NVIDIA H200\n")
	for _, p := range parts {
		doc.WriteString(partHeads[p.Part])
		doc.WriteString("\n| rule | all | from 2^18 updates |\n|---|---|---|\n")
		for _, rule := range p.Rules {
			fmt.Fprintf(doc, "| %s | %s | %s |\n", rule.Rule, lossCell(rule.Loss), lossCell(rule.Long))
		}
		fmt.Fprintf(doc, "\n%d streams, %d streams and kinds of call, %d of them from 2^18 updates on.\n",
			p.Streams, p.Questions, p.Rules[0].Long.Points)
		if p.Part == heldOutPart {
			writeGroups(doc, "kind of call", p.ByType)
			writeGroups(doc, "family", p.ByFamily)
		}
	}
}

func writeGroups(doc *bytes.Buffer, by string, groups []GroupLoss) {
	fmt.Fprintf(doc, "\n| %s | choices | atomtune | its closed forms alone |\n|---|---|---|---|\n", by)
	for _, g := range groups {
		fmt.Fprintf(doc, "| %s | %d | %s | %s |\n", g.Group, g.Choice.Points, lossCell(g.Choice),
			lossCell(g.ClosedForm))
	}
}

func writePortfolio(doc *bytes.Buffer, rows []PortfolioRow) {
	doc.WriteString(`
### What the best implementation leaves

The least measured time of all implementations over the floor: a launch, and each byte that any
implementation reads and writes, once, at the measured rate of L2 or of memory. Streams of both
halves and of the second validation set count, from 2^20 updates on. No choice has a part in it.
Geometric mean, 90th percentile and maximum.

| streams | calls | over the floor |
|---|---|---|
`)
	for _, r := range rows {
		fmt.Fprintf(doc, "| %s | %d | %s |\n", r.Group, r.Over.Points, lossCell(r.Over))
	}
}

func writeTimes(doc *bytes.Buffer, parts []TunerPart) {
	doc.WriteString(`
### Predicted times

The error of a predicted time is its distance from the measured one, in percent of it.
"In interval" is the share of measured times in the stated 90 % interval. Rows of the fit half
are of calls that the trees have seen. The last columns are the root mean square of ln of the
predicted over the measured times, and that of the closed forms alone.

| streams | of | times | median error | p90 | in interval | ln error | of closed forms |
|---|---|---|---|---|---|---|---|
`)
	for _, p := range parts {
		for _, e := range []struct {
			of string
			TimeError
		}{{"choices", p.Choice}, {"all implementations", p.All}} {
			fmt.Fprintf(doc, "| %s | %s | %d | %.1f | %.1f | %.1f | %.3f | %.3f |\n", p.Part, e.of,
				e.Times, e.MedianPercent, e.P90Percent, e.CoveredPercent, e.LnRMSE, e.ClosedLnRMSE)
		}
	}
}

func writeWorst(doc *bytes.Buffer, parts []TunerPart) {
	doc.WriteString(`
### The worst choices of the fit half

Of each stream the worst, times in microseconds as predicted/measured. Those of the held-out half
are not listed, so that nobody tunes to them.

| stream | kind of call | loss | choice | its times | best | its times |
|---|---|---|---|---|---|---|
`)
	for _, p := range parts {
		if p.Part != fitPart {
			continue
		}
		for _, w := range p.Worst {
			fmt.Fprintf(doc, "| %s | %s | %.2f | %s | %s/%s | %s | %s/%s |\n", w.Stream, w.Kind, w.Loss,
				w.Choice,
				fourDigits(w.PredictedUS), fourDigits(w.MeasuredUS), w.Best, fourDigits(w.BestPredictedUS),
				fourDigits(w.BestMeasuredUS))
		}
	}
}

func writeModels(doc *bytes.Buffer, models []ModelLoss) {
	doc.WriteString(`
## Simulated: the models on points that their trees had not seen

"Held out" trees were fitted without the points of the same line of the sweep, "family out"
trees without any stream of the point's family. Implementations whose closed form is far
above the least are screened out and not simulated, but on some lines: "nothing screened" is
"family out" on these, and "screening" what the best of those costs there that screening
would have left. "In interval" is the share of the simulated times of choices in their 90 %
interval, family out.

| device | points | held out | family out | closed forms alone | always naive | nothing screened | screening | in interval |
|---|---|---|---|---|---|---|---|---|
`)
	for _, m := range models {
		e := m.Evaluation
		fmt.Fprintf(doc, "| %s | %d | %s | %s | %s | %s | %s | %s | %.1f |\n", m.Device, m.Points,
			lossCell(e.HeldOut), lossCell(e.FamilyOut),
			lossCell(e.ClosedForm), lossCell(e.Naive), lossCell(e.Complete), lossCell(e.Screening),
			100*e.ChoiceCoverage)
	}
}

// writeGates says what decided about corrections by recorded calls.
func writeGates(doc *bytes.Buffer, models []ModelLoss) {
	doc.WriteString(`
## Trees learned from recorded calls: their gates

Judged on families of streams that they were not learned from, within the half that they are
learned from, calls that return old values among them. Trees correct predicted times where they
lower the error of ln of the times of all implementations, and intervals where these hold nine
of ten times with ends from other families. Choices go by corrected times where their loss is in
no figure greater than before. Where they do not, corrected times keep the order of those before;
errors and intervals are those of the times that the model gives.

| device | calls on | | ln error: rms | choices by these times | intervals hold: all, choices | kept for times | choices go by them |
|---|---|---|---|---|---|---|---|
`)
	for _, m := range models {
		c := m.Calibration
		if c == nil {
			continue
		}
		fmt.Fprintf(doc, "| %s | %d streams | before | %.4f | %s | | | |\n", m.Device, c.Streams,
			c.Before.RMSE, lossCell(c.Before.Loss))
		fmt.Fprintf(doc, "| | | corrected | %.4f | %s | %.1f, %.1f | %t | %t |\n", c.After.RMSE,
			lossCell(c.Ranked), 100*c.Coverage, 100*c.ChoiceCoverage, c.Trees > 0, c.Ranks)
	}
}

func writeOff(doc *bytes.Buffer, rows []leaveoneout.OffOptimal) {
	doc.WriteString(`
## Leave-one-out: how far from the best

How much longer the choice takes than the best implementation, in percent, as [egielski14]
Tables 1 to 3 report it ("% Off Opt."), where the choice was learned from all inputs but
those of the stream, of its whole line of the sweep, or of its whole family, in at most 20
parts, and in 4 for atomtune's own correction (calibration.Calibrate: of the closed forms, which the
trees learned from simulation leave as they are on the H200). "Right" is the share of inputs whose
choice is as fast as the best. The H200's inputs are both halves; of the sweeps those points count
at which every implementation was simulated.

| device | times | without the | rule | inputs | mean | worst | right |
|---|---|---|---|---|---|---|---|
`)
	for _, r := range rows {
		fmt.Fprintf(doc, "| %s | %s | %s | %s | %d | %.1f | %.1f | %.1f |\n", r.Device, r.Times, r.Held,
			r.Rule, r.Inputs, r.MeanPercent, r.WorstPercent, r.RightPercent)
	}
}

func writePublished(doc *bytes.Buffer, rows []leaveoneout.PaperOff) {
	doc.WriteString(`
The paper's own figures, measured on the two older GPUs on images and matrices of its own,
with two to four implementations to choose from; ` + "`atomlab validate tuner --applications`" + `
puts beside them what the same applications come to in simulation, on inputs made here.

| table | device | benchmark | inputs | off optimal |
|---|---|---|---|---|
`)
	for _, r := range rows {
		fmt.Fprintf(doc, "| %d | %s | %s | %d | %.2f |\n", r.Table, r.Device, r.Benchmark, r.Inputs,
			r.Percent)
	}
}
