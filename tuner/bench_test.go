package tuner_test

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// BenchmarkChoose makes choices with the embedded models over streams of all kinds in turn: in the fast
// implementation, by a sample of a long stream, and in full.
func BenchmarkChoose(b *testing.B) {
	mixed := tunertest.StreamsOf(b, 1<<14, 1<<18)
	d := tunertest.Profile(b, "h200")
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		c := chooser(b, tunertest.Profile(b, name), tuner.Options{})
		b.Run("form=fast/device="+name, func(b *testing.B) {
			each(b, mixed, func(s *collision.Stats) (float64, error) {
				p, err := c.Pick(s)
				return p.PredictedUS, err
			})
		})
	}
	c, long := chooser(b, d, tuner.Options{}), make([]uint32, 1<<24)
	for i := range long {
		long[i] = uint32(uint64(i) * 0x9e3779b97f4a7c15 >> 44)
	}
	b.Run("form=sampled", func(b *testing.B) {
		each(b, mixed[:1], func(*collision.Stats) (float64, error) {
			p, _, err := c.PickSampled(long, 1<<20, tuner.SamplingBudget{Calls: 1000, NSPerUpdate: 1})
			return p.PredictedUS, err
		})
	})
	b.Run("form=full", func(b *testing.B) {
		each(b, mixed, func(s *collision.Stats) (float64, error) {
			full, err := tuner.Choose(s, d, tuner.Options{})
			return full.Choice.PredictedUS, err
		})
	})
}

// each measures choices over streams in turn.
func each(b *testing.B, list []*collision.Stats, choose func(*collision.Stats) (float64, error)) {
	b.ReportAllocs()
	i, sum := 0, 0.0
	for b.Loop() {
		us, err := choose(list[i])
		tunertest.Must(b, err)
		sum += us
		if i++; i == len(list) {
			i = 0
		}
	}
	if !(sum > 0) {
		b.Fatal("every time was 0")
	}
}
