package tuner_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
)

// TestSampleOrNot: a hot stream for many launches is sampled, few updates for
// one launch are not.
func TestSampleOrNot(t *testing.T) {
	_, fitted := tunertest.Trained()
	d, o := tunertest.Profile(t, "h200"), tuner.Options{Model: fitted}
	c := chooser(t, d, o)
	for _, q := range []struct {
		spec     string
		launches int
		sampled  bool
	}{
		{"hotspot:n=4194304,k=65536,h=1,p=0.5", 10000, true},
		{"uniform:n=4194304,k=65536", 10000, true},
		{"uniform:n=100,k=65536", 1, false},
		{"constant:n=1000,k=64", 1, false},
	} {
		indices, bins := tunertest.Generate(t, q.spec)
		before := slices.Clone(indices)
		budget := tuner.SamplingBudget{Calls: q.launches}
		got, err := tuner.ChooseSampled(indices, bins, d, o, budget)
		tunertest.Must(t, err)
		checkDecision(t, got, o)
		l := got.Sampling
		if l.Sampled != q.sampled || l.Sampled && l.ExpectedGainUS <= budget.CostUS || l.Sampled != (got.Stream.Unique > 0) {
			t.Errorf("%s, %d launches: %+v", q.spec, q.launches, l)
		}
		if !l.Sampled && (l.Blocks != 0 || got.Choice.Implementation != l.Prior || got.Choice.PredictedUS != l.PriorUS) {
			t.Errorf("%s: not sampled, %+v, choice %+v", q.spec, l, got.Choice)
		}
		pick, again, err := c.PickSampled(indices, bins, budget)
		if err != nil || again != *l || pick.Implementation != got.Choice.Implementation ||
			pick.PredictedUS != got.Choice.PredictedUS {
			t.Errorf("%s: PickSampled %+v, %+v, %v; ChooseSampled %+v, %+v", q.spec, pick, again, err,
				got.Choice, l)
		}
		if !slices.Equal(indices, before) {
			t.Errorf("%s: the stream has changed", q.spec)
		}
	}
}

// TestEverySampleChooses: no sample of a stream of any family, padded or not, is refused.
func TestEverySampleChooses(t *testing.T) {
	rng, d := synth.NewRand(47), tunertest.Profile(t, "h100")
	plain, padded := chooser(t, d, tuner.Options{}), chooser(t, d, tuner.Options{Padded: true})
	for _, f := range synth.Families() {
		for i := range 8 {
			spec, err := synth.Sample(rng, synth.Ranges{NMin: 1, NMax: 1 << 17, KMax: 1 << 20, Families: []string{f.Name}})
			tunertest.Must(t, err)
			indices, err := synth.Generate(spec)
			tunertest.Must(t, err)
			if i%2 == 1 {
				slices.Sort(indices)
			}
			o, c := collision.Options{Sample: 4 << (i % 3), Seed: uint64(i)}, plain
			if o.Padded = i%4 >= 2; o.Padded {
				c = padded
				for at := range indices[:len(indices)-1] {
					if at/2048%3 != 0 {
						indices[at] = collision.Inactive
					}
				}
			}
			s, err := collision.Analyze(indices, o)
			tunertest.Must(t, err)
			if _, err := c.Choose(tuner.Given(&s)); err != nil {
				t.Errorf("%s: a sample of %d blocks: %v", spec, o.Sample, err)
			}
			if _, err := settle(collision.Indices(indices), 0, d, tuner.Options{Padded: o.Padded},
				tuner.Reading{First: 4, Part: 2}); err != nil {
				t.Errorf("%s: %v", spec, err)
			}
		}
	}
}

// TestLargerSamples: where blocks differ, two implementations come close and the
// answer serves for long, more than the first sample is taken; where all blocks
// are alike, the first is enough.
func TestLargerSamples(t *testing.T) {
	c := chooser(t, tunertest.Profile(t, "h200"), tuner.Options{Only: []impl.Spec{{}, {Algorithm: impl.Sort}}})
	blocks := func(spec string, seed uint64) uint64 {
		indices, bins := tunertest.Generate(t, spec)
		_, l, err := c.PickSampled(indices, bins, tuner.SamplingBudget{Calls: 1e6, Seed: seed,
			MostUS: 1e6})
		tunertest.Must(t, err)
		if !l.Sampled || l.Blocks < 8 || l.Blocks > 512 || l.Updates != 256*l.Blocks {
			t.Errorf("%s: %+v", spec, l)
		}
		return l.Blocks
	}
	if n := blocks("constant:n=1048576,k=65536", 1); n != 8 {
		t.Errorf("a constant stream: %d blocks", n)
	}
	most := uint64(0)
	for i, share := range []float64{0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5} {
		spec := fmt.Sprintf("mixture:n=262144,k=65536,block=256,of=constant:at=9:share=%v+uniform", share)
		most = max(most, blocks(spec, uint64(i)))
	}
	if most <= 8 {
		t.Errorf("streams with few hot blocks: %d blocks at most", most)
	}
}

// TestChooseStream agrees with Analyze and Choose.
func TestChooseStream(t *testing.T) {
	indices, bins := tunertest.Generate(t, "zipf:n=20000,k=1000,s=1")
	o := tuner.Options{Call: device.Call{Type: device.F32}}
	for _, name := range []string{"gtx580", "hd5870"} {
		d := tunertest.Profile(t, name)
		got, err := tuner.ChooseStream(indices, bins, d, o)
		tunertest.Must(t, err)
		s, err := collision.Analyze(indices, collision.Options{Bins: bins,
			WarpSize: int(d.Core.WarpLanes.Value)})
		tunertest.Must(t, err)
		want := choose(t, &s, d, o)
		if tunertest.MustJSON(t, got) != tunertest.MustJSON(t, want) {
			t.Errorf("%s: %+v, %+v", name, got, want)
		}
	}
}

func TestSampledErrors(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	indices := slices.Repeat([]uint32{1, 2, 100000}, 1<<20)
	many := tuner.SamplingBudget{Calls: math.MaxInt}
	grouped := tuner.Options{Only: []impl.Spec{{Algorithm: impl.SegReduce}}}
	for name, c := range map[string]struct {
		indices []uint32
		bins    uint64
		o       tuner.Options
		budget  tuner.SamplingBudget
		want    error
	}{
		"empty":         {nil, 10, tuner.Options{}, many, model.ErrStats},
		"no bins":       {indices, 0, tuner.Options{}, many, model.ErrStats},
		"bins":          {indices, 1<<32 + 1, tuner.Options{}, many, model.ErrStats},
		"index":         {indices, 100000, tuner.Options{}, many, model.ErrStats},
		"launches":      {indices, 100001, tuner.Options{}, tuner.SamplingBudget{Calls: -1}, model.ErrOptions},
		"cost":          {indices, 100001, tuner.Options{}, tuner.SamplingBudget{CostUS: math.NaN()}, model.ErrOptions},
		"each":          {indices, 100001, tuner.Options{}, tuner.SamplingBudget{NSPerUpdate: math.Inf(1)}, model.ErrOptions},
		"most":          {indices, 100001, tuner.Options{}, tuner.SamplingBudget{MostUS: -1}, model.ErrOptions},
		"most NaN":      {indices, 100001, tuner.Options{}, tuner.SamplingBudget{MostUS: math.NaN()}, model.ErrOptions},
		"never grouped": {indices, 100001, grouped, many, model.ErrNone},
	} {
		if _, err := tuner.ChooseSampled(c.indices, c.bins, d, c.o, c.budget); !errors.Is(err, c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	if _, err := tuner.ChooseStream(indices, 100000, d, tuner.Options{}); !errors.Is(err, collision.ErrIndex) {
		t.Errorf("index 100000 of 100000 targets: error %v", err)
	}
	_, err := tuner.ChooseStream(indices, 100001, nil, tuner.Options{})
	_, again := tuner.ChooseSampled(indices, 100001, nil, tuner.Options{}, many)
	if !errors.Is(err, model.ErrOptions) || !errors.Is(again, model.ErrOptions) {
		t.Errorf("no device: errors %v and %v", err, again)
	}
}

// TestSamplingMost: whatever a larger sample might gain, a sample keeps within its
// bound, and a larger bound lets it see more.
func TestSamplingMost(t *testing.T) {
	c := chooser(t, tunertest.Profile(t, "h200"), tuner.Options{})
	indices, bins := tunertest.Generate(t, "hotspot:n=4194304,k=262144,seed=1,h=1,p=0.02")
	seen := uint64(0)
	for i, most := range []float64{10, 0, 1000, 1e6} {
		_, l, err := c.PickSampled(indices, bins, tuner.SamplingBudget{Calls: 1 << 20, MostUS: most})
		tunertest.Must(t, err)
		bound := most
		if most == 0 {
			bound = tuner.DefaultSamplingUS
		}
		if l.Sampled && l.CostUS > bound || l.Sampled != (most != 10) || i > 0 && l.Updates <= seen &&
			most < 1e6 || l.Updates < seen {
			t.Errorf("at most %v us: %+v, before %d updates", bound, l, seen)
		}
		seen = l.Updates
	}
	// A machine whose first sample costs more than the default still draws one.
	_, l, err := c.PickSampled(indices, bins, tuner.SamplingBudget{Calls: 1 << 20,
		NSPerUpdate: 200})
	if err != nil || !l.Sampled || l.Blocks != 8 {
		t.Errorf("a slow machine: %+v, %v", l, err)
	}
}

// TestPriorSpan: the interval of each prior answer holds the times on a skewed
// stream and on one with a hot target, of which nothing was known.
func TestPriorSpan(t *testing.T) {
	d := tunertest.Profile(t, "h200")
	_, fitted := tunertest.Trained()
	held := 0
	for _, spec := range []string{
		"zipf:n=1048576,k=100000,s=1.3", "zipf:n=1048576,k=100000,s=1",
		"hotspot:n=1048576,k=100000,h=1,p=0.1,shuffle=1",
		"hotspot:n=1048576,k=100000,h=1,p=0.5,shuffle=1",
	} {
		indices, bins := tunertest.Generate(t, spec)
		for _, m := range []*model.Model{nil, measured(fitted)} {
			o := tuner.Options{Call: device.Call{Type: device.F32}, Model: m}
			prior, err := tuner.ChooseSampled(indices, bins, d, o, tuner.SamplingBudget{CostUS: 1e12})
			tunertest.Must(t, err)
			rows := rowsOf(t, d, tunertest.Analyze(t, spec), o)
			for _, r := range prior.Ranking {
				held++
				if at := rows[r.Implementation].PredictedUS; at < *r.LowUS || at > *r.HighUS {
					t.Errorf("%s, model %t: %s takes %v us, over the prior %v to %v us", spec, m != nil,
						r.Implementation, at, *r.LowUS, *r.HighUS)
				}
			}
		}
	}
	if held < 40 {
		t.Errorf("%d intervals compared", held)
	}
}
