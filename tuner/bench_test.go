package tuner_test

import (
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// wavy is a simulator whose times need deep trees to correct: up to a fifth off
// the closed form.
type wavy struct{}

func (wavy) Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
	bins uint64) (float64, error) {
	s, err := collision.Analyze(indices, collision.Options{Bins: bins, Workers: 1})
	if err != nil {
		return 0, err
	}
	cost, err := speedup.Predict(v, &s, d, c)
	wave := math.Sin(2*math.Log2(float64(s.Updates))) + math.Sin(12*s.WarpLevel) +
		math.Sin(math.Log2(float64(s.Bins)))
	return cost.US * math.Exp(0.07*wave), err
}

// BenchmarkChoose makes choices with trees of up to 64 leaves for all
// candidates: over streams of all kinds in turn, over one stream whose targets
// leave room for every private form, and over one whose targets leave none.
func BenchmarkChoose(b *testing.B) {
	d := tunertest.Profile(b, "h200")
	s := model.Sweep{Points: 560, Seed: 1, MinUpdates: 256, MaxUpdates: 4096, MaxBins: 1 << 16}
	m, err := tunertest.Train(d, s, wavy{}, model.FitOptions{})
	if err != nil {
		b.Fatal(err)
	}
	mixed := tunertest.StreamsOf(b, 1<<14, 1<<18)
	o := tuner.Options{Model: m}
	fast := func(list ...*collision.Stats) func(*testing.B) {
		return func(b *testing.B) {
			c, err := tuner.NewChooser(d, o)
			if err != nil {
				b.Fatal(err)
			}
			each(b, list, func(s *collision.Stats) (float64, error) {
				p, err := c.Pick(s)
				return p.US, err
			})
		}
	}
	b.Run("form=fast", fast(mixed...))
	b.Run("form=fast/targets=few", fast(tunertest.Analyze(b, "uniform:n=1000000,k=256")))
	b.Run("form=fast/targets=many", fast(tunertest.Analyze(b, "uniform:n=1000000,k=1000000")))
	b.Run("form=full", func(b *testing.B) {
		each(b, mixed, func(s *collision.Stats) (float64, error) {
			c, err := tuner.Choose(s, d, o)
			return c.Choice.PredictedUS, err
		})
	})
}

// each measures choices over streams in turn.
func each(b *testing.B, list []*collision.Stats, choose func(*collision.Stats) (float64, error)) {
	b.ReportAllocs()
	i, sum := 0, 0.0
	for b.Loop() {
		us, err := choose(list[i])
		if err != nil {
			b.Fatal(err)
		}
		sum += us
		if i++; i == len(list) {
			i = 0
		}
	}
	if !(sum > 0) {
		b.Fatal("every time was 0")
	}
}
