package tuner

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// training holds the rows of a sweep as the columns of trees.
type training struct {
	variants []variant.Variant
	families []string // sorted
	samples  []sample // by point
}

// sample is one row. closed, simulated and target have an entry for each
// variant, NaN where it could not run.
type sample struct {
	family    string
	x         []float64
	closed    []float64 // us
	simulated []float64 // us
	target    []float64 // ln(simulated/closed)
}

// prepare checks the rows against the sweep and computes features and closed
// forms.
func prepare(d *device.Profile, s Sweep, rows []Row) (*training, error) {
	sorted, err := complete(rows, s.Points)
	if err != nil {
		return nil, err
	}
	t := &training{variants: variant.Candidates()}
	closed := closedForms{device: withoutHost(d), compiled: map[closedKey]*speedup.Model{}}
	for _, r := range sorted {
		p, err := s.Point(r.Point)
		if err != nil {
			return nil, err
		}
		one, err := t.sample(p, r, &closed)
		if err != nil {
			return nil, fmt.Errorf("%w: point %d: %w", ErrRows, r.Point, err)
		}
		t.samples = append(t.samples, one)
		if !slices.Contains(t.families, one.family) {
			t.families = append(t.families, one.family)
		}
	}
	slices.Sort(t.families)
	return t, nil
}

func (t *training) sample(p Point, r Row, closed *closedForms) (sample, error) {
	if err := checkStats(&r.Stats, int(closed.device.Core.WarpLanes.Value)); err != nil {
		return sample{}, err
	}
	if r.Stats.Updates != uint64(p.Stream.N) || r.Stats.Bins != uint64(p.Stream.K) {
		return sample{}, fmt.Errorf("%d updates of %d targets, the sweep's point has %d of %d",
			r.Stats.Updates, r.Stats.Bins, p.Stream.N, p.Stream.K)
	}
	var x vector
	x.fill(&r.Stats, p.Call)
	one := sample{family: p.Stream.Family, x: slices.Clone(x[:numFeatures])}
	known := 0
	for _, v := range t.variants {
		us, ok := r.US[v.String()]
		if !ok {
			us = math.NaN()
			one.add(us, us, us)
			continue
		}
		known++
		model, err := closed.of(v, p.Call)
		if err != nil {
			return sample{}, err
		}
		formula := model.US(&r.Stats)
		target := math.Log(us / formula)
		if !(math.Abs(target) <= maxLogFactor) {
			return sample{}, fmt.Errorf("%s: simulated %v us, closed form %v us", v, us, formula)
		}
		one.add(formula, us, target)
	}
	if known != len(r.US) || known == 0 {
		return sample{}, fmt.Errorf("%d of its %d implementations are candidates", known, len(r.US))
	}
	return one, nil
}

func (s *sample) add(closed, simulated, target float64) {
	s.closed = append(s.closed, closed)
	s.simulated = append(s.simulated, simulated)
	s.target = append(s.target, target)
}

// closedForms compiles each closed form once.
type closedForms struct {
	device   *device.Profile
	compiled map[closedKey]*speedup.Model
}

type closedKey struct {
	variant variant.Variant
	call    device.Call
}

func (c *closedForms) of(v variant.Variant, call device.Call) (*speedup.Model, error) {
	key := closedKey{v, call}
	if m, ok := c.compiled[key]; ok {
		return m, nil
	}
	m, err := speedup.Compile(v, c.device, call)
	if err == nil {
		c.compiled[key] = m
	}
	return m, err
}

// rowsOf returns the samples on which a variant ran.
func (t *training) rowsOf(v int) []int {
	var rows []int
	for i := range t.samples {
		if !math.IsNaN(t.samples[i].target[v]) {
			rows = append(rows, i)
		}
	}
	return rows
}

// pointFolds deals the points into k folds, each family evenly.
func (t *training) pointFolds(k int) []int {
	fold := make([]int, len(t.samples))
	dealt := map[string]int{}
	for i := range t.samples {
		family := t.samples[i].family
		fold[i] = dealt[family] % k
		dealt[family]++
	}
	return fold
}

// familyFolds makes each family a fold.
func (t *training) familyFolds() []int {
	fold := make([]int, len(t.samples))
	for i := range t.samples {
		fold[i], _ = slices.BinarySearch(t.families, t.samples[i].family)
	}
	return fold
}
