package recordings

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/atomtune/atomtune/internal/quantile"
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
// all, but that of a call that took more than twice as long on one of two starts the lesser:
// something held it up. Repeats add up; Starts counts the runs that have the value, and StartSpread
// is (greatest - least) / value over their medians. The result does not depend on the order of the runs. What
// only some of the runs have is kept with a warning. A run may be of several starts itself where
// each of its values is of one of them. Runs of different devices, runs of other options, which
// wrap ErrOptions too, runs with values that are merged already and runs that contradict each other
// are errors, which wrap ErrMerge. Options that say what to measure, but not how, may differ.
func Merge(runs ...Run) (Run, []string, error) {
	if len(runs) == 0 {
		return Run{}, nil, fmt.Errorf("%w: there is none", ErrMerge)
	}
	runs = slices.Clone(runs)
	for _, r := range runs {
		if r.merged() {
			return Run{}, nil, fmt.Errorf("%w: %s holds %d starts of the machine, want 1", ErrMerge,
				r.Name, len(r.Provenance.Starts))
		}
	}
	slices.SortStableFunc(runs, func(a, b Run) int {
		return cmp.Compare(a.Provenance.Starts[0].Date, b.Provenance.Starts[0].Date)
	})
	m := merger{runs: runs}
	merged := Run{Name: "merged", Provenance: m.provenance()}
	merged.Readings = gather(&m, "readings", func(r Run) []Reading { return r.Readings },
		mergedReading)
	merged.Calls = gather(&m, "calls", func(r Run) []Call { return r.Calls }, mergedCall)
	merged.Streams = gather(&m, "streams", func(r Run) []Stream { return r.Streams },
		func(each []Stream) (Stream, error) { return each[0], nil })
	merged.Scratchpad = m.scratchpad()
	if m.err != nil {
		return Run{}, nil, fmt.Errorf("%w: %w", ErrMerge, m.err)
	}
	return merged, m.warnings, nil
}

// merged reports whether values of the run come from several starts, or from none that it names.
func (r Run) merged() bool {
	if len(r.Provenance.Starts) == 1 {
		return false
	}
	return len(r.Provenance.Starts) == 0 || r.Scratchpad != nil ||
		slices.ContainsFunc(r.Readings, func(x Reading) bool { return x.Starts != 1 }) ||
		slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Starts != 1 })
}

// choosing are the options that say what to measure: they change nothing of how that is done.
var choosing = regexp.MustCompile(
	` --((suite|stream|drawn|seed|specs|type|implementation) \S+|launches\b|companion\b)`)

type merger struct {
	runs     []Run
	warnings []string
	err      error // the first
}

func (m *merger) warn(format string, args ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf(format, args...))
}

func (m *merger) fail(format string, args ...any) {
	if m.err == nil {
		m.err = fmt.Errorf(format, args...)
	}
}

// provenance demands one device; what else differs is listed.
func (m *merger) provenance() Provenance {
	first := m.runs[0]
	p := first.Provenance
	p.Starts = nil
	how := func(p Provenance) string { return choosing.ReplaceAllString(p.Options, "") }
	for _, r := range m.runs {
		q := r.Provenance
		switch {
		case q.GPU != p.GPU || q.ComputeCapability != p.ComputeCapability:
			m.fail("%s is of %s (%s), %s of %s (%s)", first.Name, p.GPU, p.ComputeCapability, r.Name,
				q.GPU, q.ComputeCapability)
		case how(q) != how(p):
			m.fail("%w: %s was made with %q, %s with %q", ErrOptions, first.Name, p.Options, r.Name,
				q.Options)
		}
		for _, start := range q.Starts {
			if slices.ContainsFunc(p.Starts, func(o Start) bool { return o.Date == start.Date }) {
				m.fail("%s began at the same time as another, %s: they are one run", r.Name, start.Date)
			}
		}
		p.Starts = append(p.Starts, q.Starts...)
	}
	for k, f := range p.fields() {
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
	return p
}

// mergeable is one thing that runs measure.
type mergeable[K comparable] interface {
	key() K
	title() string
	how() any // by what it was made, which is the same in every run of a plan
}

// gather merges the things of all runs with the same key, in the order in which the first run that
// has them does, and warns of those that some runs lack.
func gather[K comparable, T mergeable[K]](
	m *merger, what string, of func(Run) []T, merge func([]T) (T, error),
) (merged []T) {
	type found struct {
		each        []T
		first, last int // runs that have it
	}
	var all []*found
	known := map[K]*found{}
	for n, r := range m.runs {
		for _, x := range of(r) {
			f := known[x.key()]
			switch {
			case f == nil:
				f = &found{first: n}
				known[x.key()], all = f, append(all, f)
			case f.last == n:
				m.fail("%s: %s is given twice", r.Name, x.title())
			case f.each[0].how() != x.how():
				m.fail("%s: in one run %v, in %s %v", x.title(), f.each[0].how(), r.Name, x.how())
			}
			f.each, f.last = append(f.each, x), n
		}
	}
	if m.err != nil {
		return nil
	}
	lacking, example := 0, ""
	for _, f := range all {
		if len(f.each) < len(m.runs) {
			if lacking++; lacking == 1 {
				example = fmt.Sprintf("%s is in %s", f.each[0].title(), m.runs[f.first].Name)
			}
		}
		x, err := merge(f.each)
		if err != nil {
			m.fail("%w", err)
		}
		merged = append(merged, x)
	}
	if lacking > 0 {
		m.warn("%d of %d %s are missing in some runs: %s", lacking, len(all), what, example)
	}
	return merged
}

// spreadOf returns the runs' median and how far they lie apart, (greatest - least) / median, or 0.
func spreadOf[T any](each []T, value func(T) float64) (median, spread float64) {
	sorted := make([]float64, len(each))
	for i, x := range each {
		sorted[i] = value(x)
	}
	slices.Sort(sorted)
	if median = quantile.Sorted(sorted, 0.5); median > 0 {
		spread = (sorted[len(sorted)-1] - sorted[0]) / median
	}
	return median, spread
}

func mergedReading(each []Reading) (Reading, error) {
	r := each[0]
	for _, x := range each[1:] {
		r.Low, r.High, r.Repeats = min(r.Low, x.Low), max(r.High, x.High), r.Repeats+x.Repeats
	}
	r.Value, r.StartSpread = spreadOf(each, func(x Reading) float64 { return x.Value })
	r.Starts = len(each)
	return r, r.validate()
}

// heldUp is how far the starts of a call lie apart where one was held up, of the least.
const heldUp = 1

func mergedCall(each []Call) (Call, error) {
	c := each[0]
	for _, x := range each[1:] {
		c.MinUS, c.MaxUS = min(c.MinUS, x.MinUS), max(c.MaxUS, x.MaxUS)
		c.Repeats, c.Correct = c.Repeats+x.Repeats, c.Correct && x.Correct
	}
	c.MedianUS, c.StartSpread = spreadOf(each, func(x Call) float64 { return x.MedianUS })
	least := slices.MinFunc(each, func(x, y Call) int { return cmp.Compare(x.MedianUS, y.MedianUS) })
	if len(each) == 2 && c.StartSpread*c.MedianUS > heldUp*least.MedianUS {
		c.MedianUS, c.StartSpread = least.MedianUS, c.StartSpread*c.MedianUS/least.MedianUS
	}
	c.Starts = len(each)
	return c, c.validate()
}

func (m *merger) scratchpad() *Scratchpad {
	var merged *Scratchpad
	for _, r := range m.runs {
		s := r.Scratchpad
		switch {
		case s == nil:
		case s.validate() != nil:
			m.fail("%s: patterns: %w", r.Name, s.validate())
		case merged == nil:
			merged = &Scratchpad{Patterns: s.Patterns}
		case !slices.EqualFunc(s.Patterns, merged.Patterns, slices.Equal[[]int32]):
			m.fail("%s has other patterns", r.Name)
		}
	}
	if merged != nil {
		merged.Columns = gather(m, "columns of patterns", func(r Run) []ScratchpadColumn {
			if r.Scratchpad == nil {
				return nil
			}
			return r.Scratchpad.Columns
		}, mergedColumn)
	}
	return merged
}

func mergedColumn(each []ScratchpadColumn) (ScratchpadColumn, error) {
	c := each[0]
	c.Cycles, c.Low, c.High = nil, slices.Clone(c.Low), slices.Clone(c.High)
	c.Starts = len(each)
	for _, x := range each[1:] {
		c.Repeats += x.Repeats
		for i := range c.Low {
			c.Low[i], c.High[i] = min(c.Low[i], x.Low[i]), max(c.High[i], x.High[i])
		}
	}
	for i := range c.Low {
		median, _ := spreadOf(each, func(x ScratchpadColumn) float64 { return x.Cycles[i] })
		c.Cycles = append(c.Cycles, median)
	}
	return c, nil
}
