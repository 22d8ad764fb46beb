package choice

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/cuda/emit"
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

// Complete adds the lines that launch the choice, none where there is no CUDA code for it, and what is to be said of
// the calls of the headers.
func (doc *Document) Complete(of *tuner.Chooser, src *input.Source, read datasets.Options) (err error) {
	first, s, call := doc.Ranking[0], &doc.Stream, doc.Call.Of
	if doc.Constraints.Deterministic && !first.Implementation.UsesAtomics() {
		if other := emit.Deterministic(doc.Profile, call); other != "" {
			doc.Warnings.Add(other)
		}
	}
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
