package calibration

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/atomtune/atomtune/calibration/regression"
	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/recordings"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/speedup"
)

// Rows fits the times of rows of a profile, device.RowTimes, to row scatters that were timed on a GPU. All else
// stays as it is. The times are fitted to all streams; how far prices are off is told by those of a half whose
// times were fitted to the other half. progress, if it is there, is called when so many of all calls are read.
// Errors wrap ErrData, or say that the device adds no rows; they give the file, and the line of a call.
func Rows(base *device.Profile, file, gpu string, calls []recordings.RowScatter, progress func(done, all int),
) (*device.Profile, Report, error) {
	b := &builder{p: *base}
	if b.in.Provenance.GPU = gpu; !strings.HasPrefix(base.Title, gpu) {
		b.warn("%s: row scatters of %s are fitted into the profile of %s", file, gpu, base.Title)
	}
	f, err := newRowFit(&b.p, file, calls, progress)
	if err != nil {
		return nil, b.report, err
	}
	residuals, known, fitted, err := f.judge()
	if err != nil {
		return nil, b.report, fmt.Errorf("%s: %w", file, err)
	}
	if fitted >= known {
		b.warn("%s: times of rows that are fitted to half of the streams do no better on the others than those "+
			"before the fit: prices are %.1f %% off in the mean, and %.1f %% before", file, 100*fitted, 100*known)
	}
	at := f.solve()
	shown, drawn := f.spread(at)
	put := b.setter(&b.p.Rows, "rows.")
	for j, t := range f.times {
		e := estimate{value: math.Exp(at[j]), residuals: &residuals,
			interval: Interval{math.Exp(drawn[j].Low), math.Exp(drawn[j].High)}}
		if shown[j] {
			put(t.Place, e.from(rowSource, "fitted with the other times of rows to %d calls", len(f.calls)))
			continue
		}
		t.Quantity.Value = significant(e.value)
		b.unidentified("rows."+t.Place, "no call of the table shows it: as before the fit")
	}
	return &b.p, b.report, b.p.Validate()
}

const rowSource = "bindings/cuda/bench/rows.py" // what measures them

// rowFit finds the times of rows of a profile at which closed forms meet what calls took: the least of
//
//	Σ (ln(price/measured)/scale)² + Σ (ln(time/known)/2)²
//
// by Gauss and Newton, where calls far out count for nothing. The second sum keeps a time that no call shows
// at what it was.
type rowFit struct {
	p     *device.Profile
	times []device.Fact
	known []float64 // logarithms of the times before
	calls []rowCall
}

// rowCall is an implementation on a stream.
type rowCall struct {
	label  string
	bundle *speedup.Bundle
	stats  *collision.Stats
	us     float64 // measured
}

func newRowFit(p *device.Profile, file string, calls []recordings.RowScatter, progress func(done, all int),
) (*rowFit, error) {
	f, streams := &rowFit{p: p}, map[string]*collision.Stats{}
	device.FactsOf(&p.Rows, func(fact device.Fact) {
		if q := fact.Quantity; q != nil && q.Value > 0 {
			f.times, f.known = append(f.times, fact), append(f.known, math.Log(q.Value))
		}
	})
	for i := range calls {
		if err := f.add(&calls[i], streams); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, calls[i].Line, err)
		}
		if progress != nil {
			progress(i+1, len(calls))
		}
	}
	return f, nil
}

// add takes in a call of an implementation, and counts its stream where it is a new one.
func (f *rowFit) add(s *recordings.RowScatter, streams map[string]*collision.Stats) error {
	if !s.Form.IsImplementation() {
		return nil
	}
	v, err := s.Form.Implementation()
	c := rowCall{label: s.Label, us: s.MedianUS}
	if err == nil {
		c.bundle, err = speedup.CompileAll([]impl.Spec{v}, f.p, s.Call)
	}
	if c.stats = streams[s.Label]; err == nil && c.stats == nil {
		c.stats, err = RowStream(s)
		streams[s.Label] = c.stats
	}
	f.calls = append(f.calls, c)
	return err
}

// RowStream generates the stream of a row scatter and counts what its price takes. Errors wrap ErrData where
// the table says otherwise.
func RowStream(s *recordings.RowScatter) (*collision.Stats, error) {
	var indices []uint32
	spec, err := synth.Parse(s.Label)
	if err == nil {
		indices, err = synth.Generate(spec)
	}
	if err != nil {
		return nil, err
	}
	stats, err := collision.Analyze(indices, collision.Options{Bins: s.Rows, Rows: true})
	if err == nil && (stats.Updates != s.Updates || stats.Unique != s.Unique || stats.MaxFrequency != s.MaxFrequency) {
		err = fmt.Errorf("%w: %s: %d updates of %d rows, of one at most %d; the stream has %d, %d, %d", ErrData,
			s.Label, s.Updates, s.Unique, s.MaxFrequency, stats.Updates, stats.Unique, stats.MaxFrequency)
	}
	return &stats, err
}

// judge returns the residuals of the streams of each half, whose times are those of the other half, and the
// means of |ln(price/measured)| before the fit and of these.
func (f *rowFit) judge() (r Residuals, known, fitted float64, err error) {
	var off []float64
	mean := func(errs []float64) float64 { return floats.Norm(errs, 1) / float64(len(f.calls)) }
	for _, half := range []recordings.Part{recordings.Fit, recordings.HeldOut} {
		others, judging := *f, *f
		others.calls, judging.calls = nil, nil
		for _, c := range f.calls {
			if recordings.Half(c.label) == half {
				judging.calls = append(judging.calls, c)
			} else {
				others.calls = append(others.calls, c)
			}
		}
		if len(judging.calls) == 0 {
			return r, 0, 0, fmt.Errorf("%w: too few streams: half of them, by their labels, judge the others", ErrData)
		}
		errs := judging.errors(others.solve())
		fitted += mean(errs)
		known += mean(judging.errors(slices.Clone(f.known)))
		for _, e := range errs {
			off = append(off, math.Exp(e)-1)
		}
	}
	return Summarise(off), known, fitted, nil
}

// errors gives the profile the times of these logarithms, or where one is out of its range what it was, and
// returns ln(price/measured) of each call.
func (f *rowFit) errors(at []float64) []float64 {
	for j, t := range f.times {
		before := t.Quantity.Value
		if t.Quantity.Value = math.Exp(at[j]); t.Validate() != nil {
			t.Quantity.Value, at[j] = before, math.Log(before)
		}
	}
	errs := make([]float64, len(f.calls))
	for i, c := range f.calls {
		cost, err := c.bundle.Explain(c.stats, 0)
		if err != nil {
			panic(err) // the statistics are of rows
		}
		errs[i] = math.Log((cost.US - cost.IdleUS) / c.us) // calls were timed one behind the other
	}
	return errs
}

// linear is the regression of what the errors lack on steps away from the times, and behind the calls of what
// the times lack of the known ones.
func (f *rowFit) linear(at, errs []float64) *regression.Model {
	n, m := len(errs), &regression.Model{Use: slices.Repeat([]bool{true}, len(at))}
	x := make([][]float64, n+len(at))
	for i := range x {
		x[i] = make([]float64, len(at))
	}
	for _, e := range errs {
		m.Y = append(m.Y, -e)
	}
	for j := range at {
		const step = 1e-5
		beside := slices.Clone(at)
		beside[j] += step
		for i, e := range f.errors(beside) {
			x[i][j] = (e - errs[i]) / step
		}
		x[n+j][j], m.Y = 1, append(m.Y, f.known[j]-at[j])
	}
	m.Design = regression.Each(x)
	return m
}

// step returns the times behind the next step, where calls count so many times each.
func (f *rowFit) step(s *regression.System, at, errs []float64, times func(label string) float64) []float64 {
	scale := max(regression.ScaleOf(errs), regression.LeastScale)
	weights := slices.Repeat([]float64{scale * scale / 4}, len(errs)+len(at))
	for i, e := range errs {
		weights[i] = times(f.calls[i].label) * regression.Biweight(e/scale)
	}
	next := s.Least(weights, slices.Repeat([]float64{1}, len(weights)))
	for j, b := range next {
		next[j] = at[j] + max(-1, min(1, b)) // a factor of e at most
	}
	return next
}

// solve returns the logarithms of the times that meet the calls.
func (f *rowFit) solve() []float64 {
	at := slices.Clone(f.known)
	for range 20 {
		errs, before := f.errors(at), slices.Clone(at)
		at = f.step(f.linear(at, errs).System(), at, errs, func(string) float64 { return 1 })
		if floats.Distance(at, before, math.Inf(1)) < 1e-6 {
			break
		}
	}
	return at
}

// spread returns which times the calls show, and the intervals of their logarithms over streams, and knowledge
// of the times, that are drawn anew.
func (f *rowFit) spread(at []float64) (shown []bool, drawn []Interval) {
	errs, rng, times := f.errors(at), seeded("rows"), map[string]float64{}
	m := f.linear(at, errs)
	for j := range at {
		shown = append(shown, slices.ContainsFunc(m.X[:len(errs)], func(x []float64) bool { return x[j] != 0 }))
	}
	for _, c := range f.calls {
		times[c.label] = 1
	}
	labels, system := slices.Sorted(maps.Keys(times)), m.System()
	return shown, intervals(draws, at, func() []float64 {
		clear(times)
		for range labels {
			times[labels[rng.IntN(len(labels))]]++
		}
		for j, known := range f.known {
			m.Y[len(errs)+j] = known - at[j] + 2*rng.NormFloat64()
		}
		return f.step(system, at, errs, func(label string) float64 { return times[label] })
	})
}
