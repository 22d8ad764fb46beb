package tuner_test

import (
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/tuner"
	"github.com/atomtune/atomtune/tuner/internal/tunertest"
)

// BenchmarkPick picks with the embedded models over streams of all kinds in turn.
func BenchmarkPick(b *testing.B) {
	mixed := tunertest.StreamsOf(b, 1<<14, 1<<18)
	for _, name := range []string{"h200", "gtx680", "c2075"} {
		b.Run("device="+name, func(b *testing.B) {
			c, err := tuner.NewChooser(tunertest.Profile(b, name), tuner.Options{})
			if err != nil {
				b.Fatal(err)
			}
			each(b, mixed, func(s *collision.Stats) (float64, error) {
				p, err := c.Pick(s)
				return p.US, err
			})
		})
	}
}
