package choice

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/atomtune/atomtune/cuda/emit"
	"github.com/atomtune/atomtune/datasets"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
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

// Complete adds what is to be said of a choice for a stream beside what the tuner says, and returns the
// lines that launch it: none where there is no CUDA code for it.
func Complete(d *tuner.Decision, s *input.StreamDocument, o tuner.Options, p *device.Profile,
	read datasets.Options) ([]string, error) {
	first := d.Ranking[0]
	if o.Deterministic && !first.Implementation.UsesAtomics() {
		if other := emit.Deterministic(p, o.Call); other != "" {
			d.Warnings.Add(other)
		}
	}
	c := emit.Call{Implementation: first.Implementation, Call: o.Call, Shape: first.Launch, Bins: d.Stream.Bins}
	if s.Ignored > 0 && o.Call.Wide() {
		d.Warnings.Add(report.Counted(s.Ignored, "position") + " without an update are priced as if their index " +
			"and values are read; no measured call had such positions")
		ignore, err := strconv.ParseInt(read.Ignore, 10, 64)
		if err != nil || read.Keys { // no code can name it
			return []string{}, nil
		}
		c.Ignore = &ignore
	} else if s.Ignored > 0 {
		d.Warnings.Add(report.Counted(s.Ignored, "position") + " without an update are priced as lanes that " +
			"load index and value and skip the rest; no measured call had such lanes; there is no code to " +
			"paste, since its lines treat every index as an update, but scatter_add of atomtune_dispatch.cuh " +
			"skips one index (CallOptions::ignore)")
		return []string{}, nil
	}
	if s.Bins == datasets.MaxBins {
		d.Warnings.Add(input.BitsSet)
	}
	counted := s.TargetsCounted(c.Bins)
	if bits := 8 * s.Index.Bytes(); s.Counted && bits <= 16 && !o.Call.Wide() {
		if shape, err := shapeFor(d, uint64(1)<<bits, o, p); err == nil {
			c.Bins, c.Shape = uint64(1)<<bits, shape
			counted = fmt.Sprintf("A has K = %s targets, all that %s indices name; --bins K if it has fewer",
				report.Count(c.Bins), s.Index)
		}
	}
	lines, err := c.LinesOn(p)
	if len(lines) > 0 && counted != "" {
		lines = append([]string{"// " + counted}, lines...)
	}
	return lines, err
}

// shapeFor returns how the choice is launched for more targets; an error where it cannot be.
func shapeFor(d *tuner.Decision, bins uint64, o tuner.Options, p *device.Profile) (device.Shape, error) {
	stats := d.Stream
	stats.Bins = bins
	o.Only, o.Exclude = []impl.Spec{d.Ranking[0].Implementation}, nil
	of, err := tuner.Choose(&stats, p, o)
	if err != nil {
		return device.Shape{}, err
	}
	return of.Ranking[0].Launch, nil
}
