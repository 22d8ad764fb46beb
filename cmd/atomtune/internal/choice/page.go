package choice

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/bindings/cuda/emit"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
)

// Print writes the document for people: the answer on one screen, or with All everything.
func Print(p *report.Page, doc Document) {
	switch {
	case doc.Stream.Updates == 1 && doc.Legend == nil && doc.Simulated == nil:
		printSingle(p, doc)
	case doc.All:
		printAll(p, doc)
	default:
		printAnswer(p, doc)
	}
}

const screen = 24 // lines

// printAnswer writes what fits on a screen: the choice and why, the first of the ranking, and the code to
// paste.
func printAnswer(p *report.Page, doc Document) {
	c, begin := doc.Choice, p.Len()
	stream := sizes(&doc.Stream)
	if strings.HasPrefix(doc.Stream.File, "synth:") {
		stream = strings.TrimPrefix(stream, doc.Stream.Title()+": ")
	}
	p.Prose("%s, %s", stream, doc.Call.Of.Words())
	times := ""
	if c.LowUS != nil {
		times = " (" + interval(doc, report.Short) + ")"
	}
	where := doc.Profile.Title
	if doc.ByDefault {
		where += " (the default; --device)"
	}
	against := ""
	if (c.Implementation != impl.Spec{}) {
		against = strings.Replace(overNaive(c.SpeedupOverNaive), "naive", "plain atomics", 1)
	}
	p.Prose("%s: %s. %s us%s on the %s%s.", p.Strong(c.Implementation.String()),
		c.Implementation.DoesOf(doc.Width > 0), report.Short(c.PredictedUS), times, where, against)
	switch n := len(doc.Ties); {
	case n == 0:
	case n == 1:
		p.Prose("Equally good: %s.", doc.Ties[0])
	case doc.Ranking[n].Implementation == doc.Ties[n-1]:
		to := "to"
		if n == 2 {
			to = "and"
		}
		p.Prose("Equally good: ranks 2 %s %d.", to, n+1)
	default:
		p.Prose("Equally good: %s and %d more, which --all lists.", doc.Ties[0], n-1)
	}
	p.Prose("%s", doc.Why)
	doc.Simulated.Print(p)
	for _, warning := range doc.Warnings {
		what, _, _ := strings.Cut(warning.Text, "; ") // --all says the rest
		p.Field("warning", "%s", what)
	}
	if doc.Read != nil {
		p.Prose("%s %% of the updates were read, enough to decide; --exact reads all.", report.Short(doc.Read.Percent))
	}
	measure := "atomprobe --stream FILE"
	if doc.Width > 0 { // atomprobe times no rows
		measure = "bindings/cuda/bench/rows.py"
	}
	p.Prose("To verify, time them: %s. More: --all, --explain.", measure)
	above := bytes.Count(p.Bytes()[begin:], []byte("\n"))
	if doc.Legend != nil {
		printBounds(p, named(&doc.Decision), doc.Legend)
	}
	p.WriteByte('\n')
	code := &report.Page{Buffer: &bytes.Buffer{}, Width: p.Width}
	if lines := slices.Clone(doc.Code); len(lines) > 0 {
		for i := range lines {
			if strings.HasPrefix(lines[i], "#include") {
				lines[i] += "  // nvcc -std=c++17 -I bindings/cuda"
			}
		}
		printLines(code, lines)
	}
	below := bytes.Count(code.Bytes(), []byte("\n"))
	printFirst(p, doc, min(max(1, screen-above-below-3), 8)) // with a blank line, titles and naive
	p.Write(code.Bytes())
}

// printFirst writes the first rows of the ranking, and naive.
func printFirst(p *report.Page, doc Document, first int) {
	type ranked struct {
		tuner.Ranked
		rank int
	}
	var rows []ranked
	for i, r := range doc.Ranking {
		if i < first || (r.Implementation == impl.Spec{}) {
			rows = append(rows, ranked{r, i + 1})
		}
	}
	report.Rows(p, ">rank|implementation|???class|>time (us)|?>over best|bound by|??launch", rows,
		func(r ranked) report.Row {
			name := r.Implementation.String()
			if r.rank == 1 {
				name = p.Strong(name)
			}
			return report.Row{r.rank, name, r.Class, report.Short(r.PredictedUS),
				report.Short(r.PredictedUS / doc.Choice.PredictedUS), r.Binding, r.Launch.Words()}
		})
}

// printAll writes stream, device, choice and reason first, then the ranking, what is doubtful, and the code
// to paste.
func printAll(p *report.Page, doc Document) {
	printStream(p, doc)
	p.Field("device", "%s, %s%s", doc.Profile.Title, doc.Call.Of.Words(), doc.ConstraintWords())
	printLeftOut(p, doc.LeftOut)
	printChoice(p, doc)
	if doc.Tree != nil {
		p.Sentences("decided", Decided(doc.Tree, doc.Profile.Title))
	}
	p.Sentences("reason", doc.Reason)
	p.WriteByte('\n')
	printRanking(p, doc)
	printBounds(p, named(&doc.Decision), doc.Legend)
	p.Warnings(doc.Warnings.Texts())
	printCode(p, doc)
}

// printSingle is the page of a single update.
func printSingle(p *report.Page, doc Document) {
	p.Field("stream", "%s: 1 update", doc.Stream.Title())
	p.Field("choice", "%s, %s us on %s: a single update has no conflicts",
		p.Strong(doc.Choice.Implementation.String()), report.Short(doc.Choice.PredictedUS),
		doc.Profile.Title)
	p.Warnings(doc.Warnings.Texts())
}

func printStream(p *report.Page, doc Document) {
	p.Field("stream", "%s", sizes(&doc.Stream))
	if s := doc.Stream.Rows; s != nil {
		fit := doc.Profile.Memory.L2AtomicBytes.Value / float64(doc.Width) / float64(doc.Type.Bytes())
		p.Field("counts", "%s; %s %% of the updates repeat the row before, %s %% miss in a cache of %s rows, which "+
			"L2 holds", touched("row", s.MaxFrequency, doc.Stream.AllLevel), report.Short(100*s.Repeats[0]),
			report.Short(100*s.Misses.At(fit)), report.Count(uint64(fit)))
		return
	}
	if s := doc.Stream.Stats; doc.Sampling == nil || doc.Sampling.Sampled {
		each := touched("target", s.MaxFrequency, s.AllLevel)
		if of := s.Sampled; of != nil && of.Blocks < of.TotalBlocks {
			each = fmt.Sprintf("estimates from %s sampled updates: %s", report.Count(of.Updates), each)
		}
		p.Field("counts", "%s; %s different targets in a warp; collision level %s in a warp, %s in a "+
			"block", each, report.Short(s.DistinctPerWarp), report.Short(s.WarpLevel),
			report.Short(s.BlockLevel))
	}
}

// touched says how many updates targets or rows have that have any.
func touched(what string, most uint64, mean float64) string {
	if most == 1 {
		return "each touched " + what + " once"
	}
	return fmt.Sprintf("%s updates per touched %s, %s of the most frequent", report.Short(mean), what,
		report.Count(most))
}

func printChoice(p *report.Page, doc Document) {
	c := doc.Choice
	times := ""
	if c.LowUS != nil {
		times = ", " + interval(doc, report.Number)
	}
	if !strings.Contains(doc.Reason, "naive") { // where it stands
		times += overNaive(c.SpeedupOverNaive)
	}
	class := " (" + c.Class + ")"
	if c.Class == c.Implementation.String() {
		class = ""
	}
	p.Field("choice", "%s%s, %s us (%s us in a busy stream)%s", p.Strong(c.Implementation.String()), class,
		report.Number(c.PredictedUS), report.Short(c.BusyUS), times)
	if f := doc.Floor; f != nil {
		p.Field("floor", "%s us, for a launch and reading or writing each of %s bytes once; the choice "+
			"reaches %s %% of this speed, bound by %s", report.Number(f.US), report.Count(uint64(f.Bytes)),
			report.Short(100*f.Share), doc.Ranking[0].Binding)
	}
	doc.Simulated.Print(p)
	if doc.Sampling != nil {
		printSampling(p, doc.Sampling)
	}
	if doc.Settling != nil && doc.Read != nil {
		printSettling(p, doc.Settling, doc.Read)
	}
}

// interval says how far the time of a choice may be off.
func interval(doc Document, number func(float64) string) string {
	of := "in 9 of 10 cases"
	if doc.Sampling != nil && !doc.Sampling.Sampled {
		of = "over the streams of the prior"
	}
	return fmt.Sprintf("%s to %s us %s", number(*doc.Choice.LowUS), number(*doc.Choice.HighUS), of)
}

// printSettling says how much was read and what that may cost.
func printSettling(p *report.Page, s *tuner.Settling, read *Read) {
	samples := report.Counted(s.Samples, "random sample")
	switch {
	case s.Samples == 0:
		p.Field("sampling", "too few blocks for a sample, so the whole stream was read")
		return
	case !s.Settled:
		p.Field("sampling", "%s did not decide the choice, so the whole stream was read", samples)
		return
	}
	p.Field("sampling", "%s of %s blocks, which are %s of %s bytes (%s %%), settled the choice in %s: it "+
		"loses no more than %s %% (%s us) to another within the %s %% intervals; all updates were read "+
		"once for their order and the highest index, and --exact measures all", report.Count(s.Blocks),
		report.Count(s.TotalBlocks), report.Count(read.Bytes), report.Count(read.TotalBytes),
		report.Short(read.Percent), samples, report.Short(s.LossPercent), report.Short(s.LossUS),
		report.Number(100*s.Confidence))
}

func printSampling(p *report.Page, s *tuner.Sampling) {
	calls := "one call"
	if s.Calls != 1 {
		calls = report.Count(s.Calls) + " calls"
	}
	cost, gain := report.Short(s.CostUS), report.Short(s.ExpectedGainUS)
	if !s.Sampled {
		p.Field("sampling", "none: a sample would cost %s us, and its expected gain over %s is %s us", cost,
			calls, gain)
		return
	}
	p.Field("sampling", "%s updates, for %s us, for an expected gain of %s us over %s on %s, "+
		"the choice without a sample; the expected gain of a larger sample is %s us",
		report.Count(s.Updates), cost, gain, calls, s.Prior, report.Short(s.LeftUS))
}

// printLeftOut says what the options do not admit, by their reasons.
func printLeftOut(p *report.Page, list []tuner.LeftOut) {
	var reasons []string
	names := map[string][]string{}
	for _, l := range list {
		if names[l.Reason] == nil {
			reasons = append(reasons, l.Reason)
		}
		names[l.Reason] = append(names[l.Reason], l.Implementation.String())
	}
	const few = 6 // names of a reason; the document has all
	for i, r := range reasons {
		list := strings.Join(names[r], ", ")
		if more := len(names[r]) - few; more > 1 {
			list = fmt.Sprintf("%s and %d more", strings.Join(names[r][:few], ", "), more)
		}
		reasons[i] = fmt.Sprintf("%s (%s)", list, r)
	}
	if len(reasons) > 0 {
		p.Field("left out", "%s", strings.Join(reasons, "; "))
	}
}

func printRanking(p *report.Page, doc Document) {
	most := "" // with Cautious, which goes by the ends of the intervals
	if doc.Constraints.Cautious {
		most = "|>at most (us)"
	}
	prepared := "" // of what takes something once
	if slices.ContainsFunc(doc.Ranking, func(r tuner.Ranked) bool { return r.PreparationUS > 0 }) {
		prepared = "|?>once (us)"
	}
	rank := 0
	report.Table(p, ">rank|implementation|???class|>time (us)"+most+prepared+"|?>over best|bound by|??launch",
		doc.Ranking, func(r tuner.Ranked) report.Row {
			rank++
			name := r.Implementation.String()
			if rank == 1 {
				name = p.Strong(name)
			}
			row := report.Row{rank, name, r.Class, r.PredictedUS}
			if most != "" {
				row = append(row, *r.HighUS)
			}
			if prepared != "" {
				once := ""
				if r.PreparationUS > 0 {
					once = report.Number(r.PreparationUS)
				}
				row = append(row, once)
			}
			return append(row, r.PredictedUS/doc.Choice.PredictedUS, r.Binding, r.Launch)
		})
}

// Explained returns what the bounds mean that a decision names.
func Explained(d *tuner.Decision) map[string]string {
	legend := map[string]string{}
	for _, name := range named(d) {
		legend[name] = speedup.Meaning(name)
	}
	return legend
}

// named lists the bounds that a decision names, in its ranking or its reason.
func named(d *tuner.Decision) (list []string) {
	ranked := map[string]bool{}
	for _, r := range d.Ranking {
		ranked[r.Binding] = true
	}
	for _, name := range speedup.Bottlenecks() {
		said := strings.Contains(d.Reason+" ", "bound by "+name)
		if ranked[name] || said {
			list = append(list, name)
		}
	}
	return list
}

// printCode writes the lines to paste, broken after commas where they are too long.
func printCode(p *report.Page, doc Document) {
	if len(doc.Code) == 0 {
		return
	}
	value := "values[u]"
	if doc.Value != device.Loaded {
		value = "1"
	}
	target, of := "A[index[u]]", ""
	if d := doc.Width; d > 0 {
		target, value = fmt.Sprintf("A[index[u] * %d + j]", d), fmt.Sprintf("values[u * %d + j]", d)
		of = fmt.Sprintf(", 0 <= j < %d", d)
	}
	update := target + " += " + value
	if doc.Op != device.Add {
		update = fmt.Sprintf("%s = %s(%s, %s)", target, doc.Op, target, value)
	}
	if doc.Clear {
		of += " after clearing A (--clear=false adds to existing values)"
	}
	p.WriteByte('\n')
	p.Prose("code to paste; it makes %s%s, with %s indices. \"atomtune emit\" writes a program:", update, of,
		emit.IndexType(doc.Call.Of))
	printLines(p, doc.Code)
}
