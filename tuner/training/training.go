package training

import (
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/internal/portable"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// A Training holds the rows of a sweep as learners read them.
type Training struct {
	Variants []variant.Variant // the candidates, by number
	Families []string          // of streams, sorted
	Samples  []Sample          // by point
	prices   *model.Predictors
}

// A Sample is one stream and call. Closed, Simulated and Target have an entry for each
// variant, NaN where it was not simulated.
type Sample struct {
	Family    string
	Line      int       // of the sweep; points of a line resemble each other
	X         []float64 // the columns of the stream, in the order of Features
	Closed    []float64 // closed form, us
	Simulated []float64 // us
	Target    []float64 // ln(Simulated/Closed), what the trees learn
}

// Prepare checks the rows against the sweep and computes features and closed forms. Errors
// wrap ErrSweep or model.ErrRows.
func Prepare(d *device.Profile, s model.Sweep, rows []Row) (*Training, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	sorted, err := complete(rows, s.Points)
	if err != nil {
		return nil, err
	}
	all := model.Ranked(d)
	t := Training{Variants: all, prices: model.NewPredictors(all, d, nil)}
	samples := make([]Sample, len(sorted))
	for i, r := range sorted {
		if samples[i], err = t.row(s, r); err != nil {
			return nil, fmt.Errorf("%w: point %d: %w", model.ErrRows, r.Point, err)
		}
	}
	t.Samples = samples
	for i := range samples {
		t.Families = append(t.Families, samples[i].Family)
	}
	slices.Sort(t.Families)
	t.Families = slices.Compact(t.Families)
	return &t, nil
}

func (t *Training) row(s model.Sweep, r Row) (Sample, error) {
	p, err := PointOf(s, r)
	if err != nil {
		return Sample{}, err
	}
	if r.Stats.Updates != uint64(p.Stream.N) || r.Stats.Bins != uint64(p.Stream.K) {
		return Sample{}, fmt.Errorf("%d updates of %d targets, the sweep's point has %d of %d",
			r.Stats.Updates, r.Stats.Bins, p.Stream.N, p.Stream.K)
	}
	us := make(map[variant.Variant]float64, len(r.US))
	for _, v := range t.Variants {
		if time, ok := r.US[v.String()]; ok {
			us[v] = time
		}
	}
	if len(us) != len(r.US) || len(us) == 0 {
		return Sample{}, fmt.Errorf("%d of its %d implementations are candidates", len(us), len(r.US))
	}
	one, err := t.sample(&r.Stats, p.Call, us)
	one.Family, one.Line = p.Stream.Family, s.LineOf(r.Point)
	return one, err
}

// sample returns a stream and call whose implementations took the given times in microseconds.
func (t *Training) sample(s *collision.Stats, c device.Call,
	us map[variant.Variant]float64) (Sample, error) {
	if err := model.CheckStats(s, int(t.prices.Device.Core.WarpLanes.Value)); err != nil {
		return Sample{}, err
	}
	if err := t.prices.Predict(s, c); err != nil {
		return Sample{}, err
	}
	var x model.Vector
	x.Fill(s, c)
	one := Sample{X: slices.Clone(x[:])}
	for i, v := range t.Variants {
		time, ran := us[v]
		if !ran {
			one.add(math.NaN(), math.NaN())
			continue
		}
		price, err := t.prices.Of(v)
		if err != nil {
			return Sample{}, err
		}
		one.add(price.Closed, time)
		if !(math.Abs(one.Target[i]) <= model.MaxLogFactor) {
			return Sample{}, fmt.Errorf("%s: simulated %v us, closed form %v us", v, time, price.Closed)
		}
	}
	return one, nil
}

func (s *Sample) add(closed, simulated float64) {
	s.Closed = append(s.Closed, closed)
	s.Simulated = append(s.Simulated, simulated)
	s.Target = append(s.Target, portable.Log(simulated/closed))
}

// Has reports whether a variant was simulated.
func (s *Sample) Has(v int) bool { return !math.IsNaN(s.Target[v]) }

// Best returns the shortest time of a sample, us.
func (s *Sample) Best() float64 {
	least := math.Inf(1)
	for _, us := range s.Simulated {
		if us < least { // no NaN is
			least = us
		}
	}
	return least
}
