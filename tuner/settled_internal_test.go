package tuner

import (
	"math"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// TestLossOfSample: what a sample's choice may lose is what it loses to the best one with all statistics at
// one end of their intervals or the other, half-way to them, or by the sample before, whichever is most.
func TestLossOfSample(t *testing.T) {
	c, err := New(tunertest.Profile(t, "h200"), Options{Calls: 1000})
	tunertest.Must(t, err)
	// behind is the share of its time by which an implementation is behind the choice.
	behind := func(v impl.Spec, s collision.Stats) float64 {
		d, err := c.Choose(Given(&s))
		tunertest.Must(t, err)
		at := slices.IndexFunc(d.Ranking, func(r Ranked) bool { return r.Implementation == v })
		return 1 - d.Choice.PredictedUS/d.Ranking[at].PredictedUS
	}
	var last collision.Stats
	for _, sample := range []struct {
		stream string
		blocks int
		most   int // the place where it loses most: 4 places in the intervals from fewer collisions on, the sample before
	}{
		{"zipf:n=1048576,k=4194304,s=1,seed=1", 32, 0},
		{"zipf:n=1048576,k=262144,s=1.1,seed=1", 32, 1},
		{"runs:n=1048576,k=4096,len=16", 4, 3},
		{"uniform:n=1048576,k=262144,seed=1", 64, 4},
	} {
		indices, bins := tunertest.Generate(t, sample.stream)
		p, err := collision.NewSampler(collision.Options{WarpSize: c.lanes(), Seed: 1})
		tunertest.Must(t, err)
		s, err := p.Measure(indices, bins, sample.blocks)
		tunertest.Must(t, err)
		d, err := c.Choose(Given(&s))
		tunertest.Must(t, err)
		before := s
		if sample.most == 4 {
			before = last
		}
		last = s
		var losses []float64
		const end = 1.645 / 1.960 // of a 90 % interval, in half-widths of a 95 % one
		for _, other := range []collision.Stats{s.Shifted(-end), s.Shifted(-end / 2), s.Shifted(end / 2), s.Shifted(end), before} {
			losses = append(losses, behind(d.Choice.Implementation, other))
		}
		if most := slices.Max(losses); slices.Index(losses, most) != sample.most || most < settlingLoss ||
			math.Abs(c.lossOfSample(&s, &before)-most) > 1e-3 {
			t.Errorf("%s: the loss is %v of %v", sample.stream, c.lossOfSample(&s, &before), losses)
		}
	}
}
