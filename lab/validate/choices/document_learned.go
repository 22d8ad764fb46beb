package choices

import (
	"bytes"
	"fmt"

	"github.com/atomtune/atomtune/lab/validate/learners"
	"github.com/atomtune/atomtune/lab/validate/online"
)

func writeCurve(doc *bytes.Buffer, curve []CurvePoint) {
	doc.WriteString(`
### After measuring: the held-out half

The model without its own correction by recorded calls is corrected by 0, 10, 50, 200 and 1,000
points (a stream and a kind of call, with the times of what was measured on it) of whole streams
drawn from the fit half, which makes the numbers a little larger; a number beyond the fit half takes all of it. Figures are the
mean over the draws, to which the limits apply, and in brackets the worst draw's.

| points | streams | draws | mean loss | p90 | max | median error of the choice | in interval |
|---|---|---|---|---|---|---|---|
`)
	for _, p := range curve {
		m, w := p.Mean, p.Worst
		fmt.Fprintf(doc, "| %d | %d | %d | %.3f (%.3f) | %.2f (%.2f) | %.2f (%.2f) | %.1f (%.1f) | %.1f (%.1f) |\n", p.Points, p.Streams, p.Draws,
			m.GeometricMean, w.GeometricMean, m.P90, w.P90, m.Max, w.Max, m.MedianErrorPercent,
			w.MedianErrorPercent, m.CoveredPercent, w.CoveredPercent)
	}
}

func writeOnline(doc *bytes.Buffer, rows []online.OnlineRow) {
	fmt.Fprintf(doc, `
### Repeated launches, replayed: the held-out half

One in %d streams and kinds of call of the held-out half is launched again and again. A
launch counts as its recorded median, and a rule sees it with noise as wide as the recorded
repeats were. The loss is the time of all launches over that of as many of the best fixed
implementation. The figures of online.Online are not independent of it: its redesign was prompted by a
first replay of this half.

The regret that online.Online states (online.Bound) is a time, here in launches of the best
implementation, on top of a share of the best one's time: the median over the streams and
kinds of call. It holds with the stated probability as long as true times lie within the
ranges of their predictions; "beyond" counts those that lost more.

| rule | launches | loss | stated regret | beyond |
|---|---|---|---|---|
`, online.ReplayEvery)
	for _, r := range rows {
		lost, beyond := "-", "-"
		if s := r.Stated; s != nil {
			lost = fmt.Sprintf("%s launches + %v %% (%v %%)", fourDigits(s.LostLaunches), 100*s.Epsilon,
				100*s.Confidence)
			beyond = fmt.Sprintf("%d of %d", s.Beyond, r.Questions)
		}
		fmt.Fprintf(doc, "| %s | %d | %s | %s | %s |\n", r.Rule, r.Launches, lossCell(r.Loss), lost,
			beyond)
	}
}

func writeLearners(doc *bytes.Buffer, rows []learners.LearnerRow) {
	doc.WriteString(`
### Other learners

Each learns simulated times from the same samples, at most 1,500 of a device's sweep in whole
lines, those first of which everything was simulated; golearn's trees, which take time with
the square of their rows, from 600 of them. On the simulated ones it chooses for a family of
streams that it has not seen, family by family; on the recorded ones, for calls of which none
was in training. Choices are among what was simulated, or recorded: what a sweep screens out,
since its closed form is far from the least, nobody can choose, which spares the learners
without closed forms; so the lines stand apart of which nothing was screened. "Ratio" is that
of the time to its closed form, and the error that of ln of predicted times. "Trees of the
model" are as the embedded models have them, here from these samples alone. The tables are
lab/validate/learners/learners.csv.
`)
	judge := ""
	for _, r := range rows {
		if now := r.Device + ", " + r.Judge; now != judge {
			judge = now
			fmt.Fprintf(doc, "\n| %s | fitted on | judged on | loss | ln error: rmse, p90 |\n|---|---|---|---|---|\n", judge)
		}
		off := "-"
		if r.Error != nil {
			off = fmt.Sprintf("%.3f, %.3f", r.Error.RMSE, r.Error.P90)
		}
		fmt.Fprintf(doc, "| %s | %d | %d | %s | %s |\n", r.Learner, r.Samples, r.Loss.Points,
			lossCell(r.Loss), off)
	}
}
