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

// Merge makes one of several runs of one plan, each on its own start of the
// machine. A value becomes the median of the runs' medians (of two, their
// mean), between the least and greatest of all; repeats add up; Starts counts
// the runs that have the value, and StartSpread is (greatest - least) / value
// over their medians. The result does not depend on the order of the runs.
// What only some of the runs have is kept with a warning. Runs of different
// devices, runs of other options, which wrap ErrOptions too, runs that are merged
// already and runs that contradict each other are errors, which wrap ErrMerge.
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
