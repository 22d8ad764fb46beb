package recordings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Run is what one run of the program measured, or several runs merged.
type Run struct {
	Name       string // in errors, such as its folder
	Provenance Provenance
	Readings   []Reading
	Calls      []Call
	Streams    []Stream
	Scratchpad *Scratchpad // nil: none
}

// Merge makes one of several runs of one plan, each on its own start of the machine. A value
// becomes the median of the runs' medians (of two, their mean), between the least and greatest of
// all; repeats add up; Starts counts the runs that have the value, and StartSpread is (greatest -
// least) / value over their medians. The result does not depend on the order of the runs. What
// only some of the runs have is kept with a warning. Runs of different devices, runs of other
// options, which wrap ErrOptions too, runs that are merged already and runs that contradict each
// other are errors, which wrap ErrMerge.
func Merge(runs ...Run) (Run, []string, error) {
	if len(runs) == 0 {
		return Run{}, nil, fmt.Errorf("%w: there is none", ErrMerge)
	}
	runs = slices.Clone(runs)
	for _, r := range runs {
		if len(r.Provenance.Starts) != 1 {
			return Run{}, nil, fmt.Errorf("%w: %s holds %d starts of the machine, want 1", ErrMerge,
				r.Name, len(r.Provenance.Starts))
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Compare(a.Provenance.Starts[0].Date, b.Provenance.Starts[0].Date)
	})
	m := merger{runs: runs}
	merged := Run{Name: "merged"}
	for _, step := range []func(*Run) error{m.provenance, m.readings, m.calls, m.streams,
		m.scratchpad} {
		if err := step(&merged); err != nil {
			return Run{}, nil, fmt.Errorf("%w: %w", ErrMerge, err)
		}
	}
	return merged, m.warnings, nil
}

type merger struct {
	runs     []Run
	warnings []string
}

func (m *merger) warn(format string, args ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf(format, args...))
}

// provenance demands one device; what else differs is listed.
func (m *merger) provenance(to *Run) error {
	first := m.runs[0]
	p := first.Provenance
	p.Starts = nil
	for i, r := range m.runs {
		q, start := r.Provenance, r.Provenance.Starts[0]
		if q.GPU != p.GPU || q.ComputeCapability != p.ComputeCapability {
			return fmt.Errorf("%s is of %s (%s), %s of %s (%s)", first.Name, p.GPU,
				p.ComputeCapability, r.Name, q.GPU, q.ComputeCapability)
		}
		if q.Options != p.Options {
			return fmt.Errorf("%w: %s was made with %q, %s with %q", ErrOptions, first.Name,
				p.Options, r.Name, q.Options)
		}
		if i > 0 && start.Date == m.runs[i-1].Provenance.Starts[0].Date {
			return fmt.Errorf("%s and %s began at the same time, %s: they are one run",
				m.runs[i-1].Name, r.Name, start.Date)
		}
		p.Starts = append(p.Starts, start)
	}
	fields := p.fields()
	for k, f := range fields {
		var texts []string
		for _, r := range m.runs {
			texts = append(texts, *r.Provenance.fields()[k].text)
		}
		slices.Sort(texts)
		// each start may be on another GPU
		if texts = slices.Compact(texts); len(texts) > 1 && f.text != &p.GPUUUID {
			m.warn("%s differs: %s", f.key, strings.Join(texts, "; "))
		}
		*f.text = strings.Join(texts, "; ")
	}
	to.Provenance = p
	return nil
}

// gather merges the things of all runs with the same key, in the order in which the first run that
// has them does, and warns of those that some runs lack.
func gather[K comparable, T interface {
	key() K
	title() string
}](m *merger, what string, of func(Run) []T, merge func([]T) (T, error)) (merged []T, err error) {
	type found struct {
		each []T
		in   []int // numbers of the runs
	}
	var all []found
	place := map[K]int{}
	for n, r := range m.runs {
		for _, x := range of(r) {
			i, known := place[x.key()]
			if !known {
				i = len(all)
				place[x.key()], all = i, append(all, found{})
			}
			if f := &all[i]; len(f.in) > 0 && f.in[len(f.in)-1] == n {
				return nil, fmt.Errorf("%s: %s stands twice", r.Name, x.title())
			}
			all[i].each, all[i].in = append(all[i].each, x), append(all[i].in, n)
		}
	}
	lacking, example := 0, ""
	for _, f := range all {
		if len(f.in) < len(m.runs) {
			if lacking++; lacking == 1 {
				example = fmt.Sprintf("%s is in %s", f.each[0].title(), m.runs[f.in[0]].Name)
			}
		}
		x, err := merge(f.each)
		if err != nil {
			return nil, err
		}
		merged = append(merged, x)
	}
	if lacking > 0 {
		m.warn("%d of %d %s are not in all runs: %s", lacking, len(all), what, example)
	}
	return merged, nil
}

// spreadOf returns the median of the runs' medians and how far they lie apart,
// (greatest - least) / median, or 0 where that is 0.
func spreadOf(values []float64) (median, spread float64) {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	n := len(sorted)
	median = sorted[n/2]
	if n%2 == 0 {
		median = sorted[n/2-1] + (sorted[n/2]-sorted[n/2-1])/2
	}
	if median > 0 {
		spread = (sorted[n-1] - sorted[0]) / median
	}
	return median, spread
}

func (m *merger) readings(to *Run) (err error) {
	to.Readings, err = gather(m, "readings", func(r Run) []Reading { return r.Readings },
		mergedReading)
	return err
}

func mergedReading(each []Reading) (Reading, error) {
	r := each[0]
	var values []float64
	r.Repeats = 0
	for _, x := range each {
		if how, other := r.how(), x.how(); how != other {
			return r, fmt.Errorf("%s: in %s, and in %s", r.title(), how, other)
		}
		values = append(values, x.Value)
		r.Low, r.High, r.Repeats = min(r.Low, x.Low), max(r.High, x.High), r.Repeats+x.Repeats
	}
	r.Value, r.StartSpread = spreadOf(values)
	r.Starts = len(values)
	return r, r.validate()
}

func (m *merger) calls(to *Run) (err error) {
	to.Calls, err = gather(m, "calls", func(r Run) []Call { return r.Calls }, mergedCall)
	return err
}

// mergedCall is one call of several runs. It is correct if it was in all.
func mergedCall(each []Call) (Call, error) {
	c := each[0]
	var values []float64
	c.Repeats = 0
	for _, x := range each {
		switch {
		case x.Updates != c.Updates || x.Bins != c.Bins || x.Origin != c.Origin:
			return c, fmt.Errorf("%s: %d updates of %d targets, %s, and %d of %d, %s",
				c.title(), c.Updates, c.Bins, c.Origin, x.Updates, x.Bins, x.Origin)
		case x.Blocks != c.Blocks || x.Threads != c.Threads || x.SharedBytes != c.SharedBytes ||
			x.Kernel != c.Kernel:
			return c, fmt.Errorf("%s: %d blocks of %d threads with %d bytes of kernel %q, and %d of %d with %d of %q",
				c.title(), c.Blocks, c.Threads, c.SharedBytes, c.Kernel, x.Blocks, x.Threads, x.SharedBytes, x.Kernel)
		}
		values = append(values, x.MedianUS)
		c.MinUS, c.MaxUS = min(c.MinUS, x.MinUS), max(c.MaxUS, x.MaxUS)
		c.Repeats, c.Correct = c.Repeats+x.Repeats, c.Correct && x.Correct
	}
	c.MedianUS, c.StartSpread = spreadOf(values)
	c.Starts = len(values)
	return c, c.validate()
}

func (m *merger) streams(to *Run) (err error) {
	to.Streams, err = gather(m, "streams", func(r Run) []Stream { return r.Streams }, sameStream)
	return err
}

// sameStream demands that runs agree about a stream.
func sameStream(each []Stream) (Stream, error) {
	for _, s := range each[1:] {
		if s != each[0] {
			return s, fmt.Errorf("%s: two streams of different statistics", s.Label)
		}
	}
	return each[0], nil
}

// scratchpad merges the columns of the runs that have patterns; the patterns are the same.
func (m *merger) scratchpad(to *Run) (err error) {
	var merged Scratchpad
	for _, r := range m.runs {
		s := r.Scratchpad
		switch {
		case s == nil:
		case s.validate() != nil:
			return fmt.Errorf("%s: patterns: %w", r.Name, s.validate())
		case merged.Patterns == nil:
			merged.Patterns = s.Patterns
			to.Scratchpad = &merged
		case !slices.EqualFunc(s.Patterns, merged.Patterns, slices.Equal[[]int32]):
			return fmt.Errorf("%s has other patterns", r.Name)
		}
	}
	merged.Columns, err = gather(m, "columns of patterns", func(r Run) []ScratchpadColumn {
		if r.Scratchpad == nil {
			return nil
		}
		return r.Scratchpad.Columns
	}, mergedColumn)
	return err
}

func mergedColumn(each []ScratchpadColumn) (ScratchpadColumn, error) {
	first := each[0]
	c := ScratchpadColumn{Name: first.Name, Kernel: first.Kernel, Instruction: first.Instruction,
		Launch: first.Launch,
		Unroll: first.Unroll, Starts: len(each)}
	for _, x := range each {
		if x.Kernel != c.Kernel || x.Instruction != c.Instruction || x.Launch != c.Launch ||
			x.Unroll != c.Unroll {
			return c, fmt.Errorf("column %s: by kernel %q, %q, %s, unrolled by %d, and by %q, %q, %s, %d",
				c.Name, c.Kernel, c.Instruction, c.Launch, c.Unroll, x.Kernel, x.Instruction, x.Launch, x.Unroll)
		}
		c.Repeats += x.Repeats
	}
	values := make([]float64, len(each))
	for i := range each[0].Cycles {
		low, high := each[0].Low[i], each[0].High[i]
		for k, x := range each {
			values[k] = x.Cycles[i]
			low, high = min(low, x.Low[i]), max(high, x.High[i])
		}
		median, _ := spreadOf(values)
		c.Cycles, c.Low, c.High = append(c.Cycles, median), append(c.Low, low), append(c.High, high)
	}
	return c, nil
}
