package choices

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/datasets/h100"
	"github.com/atomtune/atomtune/datasets/h200"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/tuner/model"
)

// Results are the reports of which doc/results/RESULTS.md is made, without what the program holds itself.
type Results struct {
	Own   TunerReport `json:"h200"`
	Other TunerReport `json:"h100"` // see otherReport
}

// otherReport judges choices on another GPU than the H200, from which the closed forms took their
// shape, with that GPU's profile: its parts, its quick calibration and launches.
func otherReport() (r TunerReport, err error) {
	for _, judge := range []func() error{
		func() error { return r.judgeParts(h100.Archive, nil) },
		func() error { return r.judgeQuick(h100.Archive) },
		func() error { return r.judgeLaunches(h100.Archive, nil) },
	} {
		if err := judge(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Part is a part of the report; none of that name is an error that names it.
func (r TunerReport) part(name string) (TunerPart, error) {
	i := slices.IndexFunc(r.Parts, func(p TunerPart) bool { return p.Part == name })
	if i < 0 {
		return TunerPart{}, fmt.Errorf("%w: the results of the %s have no part %q", validate.ErrValidate, r.Device,
			name)
	}
	return r.Parts[i], nil
}

// The validation sets of the H200, which were recorded apart from its streams.
var (
	secondPart = setPart(h200.Second).name
	thirdPart  = setPart(h200.Fresh).name
)

// The places of rules among those of a part; the last is always naive.
const ruleOwn, ruleLadder = 0, 2

// Headline are the figures of choices by the names that documents show them by: all of them of the
// held-out half of each GPU, but for those named after a validation set.
func (r Results) Headline() (map[string]string, error) {
	all := map[string]string{}
	for gpu, report := range map[string]TunerReport{"h200": r.Own, "h100": r.Other} {
		held, err := report.part(heldOutPart)
		if err != nil {
			return nil, err
		}
		name := gpu + "."
		all[name+"held.streams"], all[name+"held.calls"] = strconv.Itoa(held.Streams), strconv.Itoa(held.Questions)
		for rule, at := range map[string]int{"atomtune": ruleOwn, "ladder": ruleLadder, "naive": len(held.Rules) - 1} {
			l := held.Rules[at].Loss
			all[name+rule+".mean"], all[name+rule+".worst"] = short(l.GeometricMean), short(l.Max)
		}
		all[name+"once.mean"], all[name+"once.worst"] = short(held.Once.Loss.GeometricMean), short(held.Once.Loss.Max)
		all[name+"median-error"] = fmt.Sprintf("%.0f", held.Choice.MedianPercent)
		all[name+"covered"] = percents(held.Choice.CoveredPercent, 0)
		if len(report.Launches) == 0 {
			return nil, fmt.Errorf("%w: the results of the %s have no launches", validate.ErrValidate, gpu)
		}
		all[name+"launches.mean"] = short(report.Launches[0].Searched.GeometricMean)
	}
	for name, of := range map[string]struct {
		report TunerReport
		part   string
	}{
		"h200.second": {r.Own, secondPart}, "h200.fresh": {r.Own, thirdPart}, "h100.fresh": {r.Other, thirdPart},
	} {
		p, err := of.report.part(of.part)
		if err != nil {
			return nil, err
		}
		l := p.Rules[ruleOwn].Loss
		all[name+".streams"] = strconv.Itoa(p.Streams)
		all[name+".mean"], all[name+".worst"] = short(l.GeometricMean), short(l.Max)
	}
	return all, nil
}

// short prints a factor with as many digits as a sentence has use for.
func short(factor float64) string {
	switch {
	case factor < 2:
		return fmt.Sprintf("%.2f", factor)
	case factor < 100:
		return fmt.Sprintf("%.1f", factor)
	}
	return fmt.Sprintf("%.0f", factor)
}

// percents prints a share with so many decimals, and a dash for none.
func percents(share *float64, decimals int) string {
	if share == nil {
		return "-"
	}
	return strconv.FormatFloat(*share, 'f', decimals, 64)
}

// Document is doc/results/RESULTS.md.
func (r Results) Document() ([]byte, error) {
	var doc bytes.Buffer
	doc.WriteString(resultsHead)
	doc.Write(r.Own.Document())
	doc.WriteString(otherHead)
	writeChecks(&doc, r.Other.Checks, func(c validate.Check) string {
		if c.Failure() != "" {
			return "beyond"
		}
		return ""
	})
	return doc.Bytes(), nil
}

// Document says what came of the judgement in Markdown.
func (r TunerReport) Document() []byte {
	var doc bytes.Buffer
	doc.WriteString(limitsHead)
	writeChecks(&doc, r.Checks, standing)
	writeParts(&doc, r.Parts)
	writeTimes(&doc, r.Parts)
	writeModels(&doc, r.Models)
	writeIntervals(&doc, r.Models)
	return doc.Bytes()
}

const resultsHead = `# Choices and predicted times against recordings

Rendered from lab/validate/choices/results.json, which ` + "`script/regenerate choices`" + ` computes from
the embedded models and the recordings under datasets/h200 and datasets/h100; ` + "`atomlab validate tuner`" + `
prints the same.
[The front page](README.md) has the figures in short.

![loss of choices on held-out streams, sorted: atomtune, a careful ladder, plain atomics](results.svg)

- **Measured** times are of calls on NVIDIA H200s, with five repeats on each of two starts: the mean of the starts' medians,
  or the lesser median if one is more than twice the other. Calls of partition, of old values from copies and of the
  validation sets are of one start. A stream's label alone decides to which half it belongs. Fitting and training may use
  the fit half; the held-out half judges. Choices and predicted times do not come from measured calls, unless a table mentions it: the
  trees learned from simulated times, and the profile is fitted to single readings and patterns. The 90 % intervals of
  predicted times come from calls of the fit half; devices without recorded calls have none. Choices do not depend on the
  intervals, except those of online.Online, which starts with them, and cautious ones, which rank by their upper ends.
- **Simulated** times are those of the event-level simulator, as are all times of the GTX 680 and the Tesla C2075. The
  longest streams are estimated from simulated samples.
- **Seen**: more was looked at than was learned from. Four rules of the profile's fit (the cost of a held address, the rate
  of memory under atomics, which unit issues, where slices are counted) were chosen by how well the closed forms then match
  the calls, held-out streams included. The held-out losses of earlier versions were known when the trees, online.Online and
  the closed forms of warps that collide at private copies were designed; these closed forms were written from calls of the
  fit half. Those of misses in L2, busy chunks, sorts, flushes and late kernel starts were written from the fit half and
  datasets/h200/misses, hotspots and drawn. After most steps the tables of this page were read: held-out losses by kind of
  call and family, and the limits of the second validation set. One step was narrowed because it lost on mixtures of the
  held-out half: where a warp has fewer passes than lanes outside the busiest chunk.

The loss of a choice is the time of the chosen implementation divided by that of the best; 1 is the right choice. Losses are
given as geometric mean, 90th percentile and maximum.

Three comparisons were made with these recordings until November 2026 and are no longer repeated. The best measured
implementation took 2.5 times the floor (a launch, and each byte once) in the geometric mean and 11 times at most, from 2^20
updates on. Trees over the three collision levels of [egielski14], learned from all recorded streams but the one asked for,
chose 20 % off the best in the mean, and 34 % without its whole family; atomtune's choices, which rest on no recording, were
11 % off. The worst choice of the fit half took 1.44 times as long as the best.
`

const limitsHead = `
## Limits

lab/validate/choices/gaps.csv gives the reason for each known gap, and the limit that holds instead.

| figure | value | limit | rows | |
|---|---|---|---|---|
`

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

Streams of 2^18 to 2^25 updates, except those that earlier recordings had too, from which the closed forms took their shape.
`,
	"held-out, files": `
### Held-out half, files
`,
	fitPart: `
### Fit half

No choice and no predicted time is fitted to these calls either; the 90 % intervals are.
`,
	secondPart: `
### Second validation set

120 streams drawn from all families and recorded separately, on one start of a machine. Since its times were first read, the
closed forms have changed because of other recordings (see Seen). Its limits were read after most of these steps, so it is
no longer independent, but nobody looked at its single calls.
`,
}

func writeParts(doc *bytes.Buffer, parts []TunerPart) {
	doc.WriteString("\n## Measured choices\n")
	for _, p := range parts {
		doc.WriteString(partHeads[p.Part])
		doc.WriteString("\n| rule | time over the best |\n|---|---|\n")
		for _, rule := range slices.Concat(p.Rules[:1], []RuleLoss{p.Once}, p.Rules[1:]) {
			fmt.Fprintf(doc, "| %s | %s |\n", rule.Rule, lossCell(rule.Loss))
		}
		fmt.Fprintf(doc, "\n%d streams, %d streams and kinds of call.\n", p.Streams, p.Questions)
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

func writeTimes(doc *bytes.Buffer, parts []TunerPart) {
	doc.WriteString(`
### Predicted times

The error of a predicted time is its distance from the measured time, in percent of the latter. "In interval" is the share of
measured times in the stated 90 % interval, which comes from the calls of the fit half. The last columns are the root mean
square of ln(predicted/measured), with the trees and for the closed forms alone.

| streams | of | times | median error | p90 | in interval | ln error | of closed forms |
|---|---|---|---|---|---|---|---|
`)
	for _, p := range parts {
		for _, e := range []struct {
			of string
			TimeError
		}{{"choices", p.Choice}, {"all implementations", p.All}} {
			fmt.Fprintf(doc, "| %s | %s | %d | %.1f | %.1f | %s | %.3f | %.3f |\n", p.Part, e.of,
				e.Times, e.MedianPercent, e.P90Percent, percents(e.CoveredPercent, 1), e.LnRMSE, e.ClosedLnRMSE)
		}
	}
}

func writeModels(doc *bytes.Buffer, models []ModelLoss) {
	doc.WriteString(`
## Simulated: the models on families that their trees had not seen

The tree that chooses for a point was grown without any stream of its family. Implementations whose closed form is far above
the least are simulated on only some lines.

| device | leaves | points | tree | closed forms alone | always naive |
|---|---|---|---|---|---|
`)
	for _, m := range models {
		e := m.Evaluation
		fmt.Fprintf(doc, "| %s | %d | %d | %s | %s | %s |\n", m.Device, m.Leaves, m.Points,
			lossCell(e.Tree), lossCell(e.ClosedForm), lossCell(e.Naive))
	}
}

// writeIntervals prints the intervals, and the losses of choices on the calls that they come from.
func writeIntervals(doc *bytes.Buffer, models []ModelLoss) {
	doc.WriteString(`
## Intervals of predicted times

By class of implementation: the factors of the predicted time between which nine of ten recorded times of the fit half lie,
and the number of calls. The last columns are the losses of choices on these calls.

| device | streams | naive | reduced-collision | non-atomic | tree | closed forms alone |
|---|---|---|---|---|---|---|
`)
	for _, m := range models {
		i := m.Intervals
		if i == nil {
			continue
		}
		fmt.Fprintf(doc, "| %s | %d |", m.Device, i.Streams)
		for _, c := range i.Classes {
			fmt.Fprintf(doc, " %.3f to %.3f, %d |", c.Low, c.High, c.Calls)
		}
		fmt.Fprintf(doc, " %s | %s |\n", lossCell(i.Tree), lossCell(i.ClosedForm))
	}
}

const otherHead = `
## Measured: choices on an NVIDIA H100

The closed forms took their shape on the H200. Here they use the profile of an H100 and are judged by its recordings under
datasets/h100, with the same halves. The quick calibration comes from ` + "`atomprobe --quick`" + `, which takes seconds. Nothing is
enforced: "beyond" marks a limit of the H200 that is not kept here. ` + "`atomlab validate tuner --gpu h100`" + ` prints more.

| figure | value | limit | rows | |
|---|---|---|---|---|
`
