package choice

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/bindings/cuda/emit"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/command/input"
	"github.com/atomtune/atomtune/internal/command/report"
	"github.com/atomtune/atomtune/tuner"
)

// Instead names, in the error of a choice for which no sums are left that are the same on every run, the call of
// the headers that makes them.
func Instead(err error, o tuner.Options, p *device.Profile) error {
	other := emit.Deterministic(p, o.Call)
	if !errors.Is(err, tuner.ErrNone) || !o.Deterministic || other == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, other)
}

// Doubts are the warnings that follow from what else was asked for than a decision: from the calls of the headers, from
// a plan and from a simulation.
func (doc *Document) Doubts(src *input.Source) (list []string) {
	c := &doc.Choice
	if doc.Constraints.Deterministic && !c.Implementation.UsesAtomics() {
		if other := emit.Deterministic(doc.Profile, doc.Call.Of); other != "" {
			list = append(list, other)
		}
	}
	if counted := src.TargetsCounted(src.Bins()); doc.Planned && counted != "" {
		list = append(list, "only calls with the same number of targets find the plan: "+counted)
	}
	if s := doc.Simulated; s != nil && c.LowUS != nil {
		late := 0.0
		if doc.Width > 0 { // simulated in a busy stream
			late = c.PredictedUS - c.BusyUS
		}
		low, high := *c.LowUS-late, *c.HighUS-late
		if s.US < low || s.US > high {
			list = append(list, fmt.Sprintf("%s takes %s us in the simulation but %s to %s us in the prediction: one of "+
				"them is wrong for this stream", c.Implementation, report.Number(s.US), report.Number(low), report.Number(high)))
		}
	}
	return list
}

// Complete adds the lines that launch the choice, none where there is no CUDA code for it, and warnings.
func (doc *Document) Complete(of *tuner.Chooser, src *input.Source, read datasets.Options) (err error) {
	first, s, call := doc.Ranking[0], &doc.Stream, doc.Call.Of
	doc.Warnings.Add(doc.Doubts(src)...)
	c := emit.Call{Implementation: first.Implementation, Call: call, Shape: first.Launch, Bins: s.Bins}
	doc.Code = []string{}
	if s.Ignored > 0 {
		ignore, err := strconv.ParseInt(read.Ignore, 10, 64)
		if !call.Wide() || err != nil || read.Keys { // no code can name it
			return nil
		}
		c.Ignore = &ignore
	}
	counted := src.TargetsCounted(c.Bins)
	if bits := 8 * src.Index.Bytes(); src.Guessed && bits <= 16 && !call.Wide() {
		more := *s.Stats
		more.Bins = uint64(1) << bits
		if shape, err := of.Shape(first.Implementation, &more); err == nil {
			c.Bins, c.Shape = more.Bins, shape
			counted = fmt.Sprintf("A has K = %s targets, all that %s indices name; --bins K if it has fewer",
				report.Count(c.Bins), src.Index)
		}
	}
	if doc.Code, err = c.LinesOn(doc.Profile); len(doc.Code) > 0 && counted != "" {
		doc.Code = append([]string{"// " + counted}, doc.Code...)
	}
	return err
}
