package speedup

import (
	"math/rand/v2"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/impl"
)

// measure returns the statistics of a stream, without what is not known of hot targets.
func measure(stream []uint32, bins uint64, warp int) collision.Stats {
	s := tabled(stream, bins, warp)
	s.Cover, s.Misses = collision.Cover{}, collision.Misses{}
	return s
}

// tabled returns them with what tables of hot targets cover and miss.
func tabled(stream []uint32, bins uint64, warp int) collision.Stats {
	s, err := collision.Analyze(stream, collision.Options{Bins: bins, WarpSize: warp, Workers: 1})
	if err != nil {
		panic(err)
	}
	s.HotWarps, s.HotSegments = 0, 0
	return s
}

// uniform returns n updates of K targets drawn uniformly.
func uniform(n int, bins uint32, seed uint64) []uint32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	stream := make([]uint32, n)
	for i := range stream {
		stream[i] = rng.Uint32N(bins)
	}
	return stream
}

// scale returns the statistics of a stream of the same kind that is factor times
// as long: counts of updates grow, means stay, targets not met before are met.
func scale(s collision.Stats, factor uint64) collision.Stats {
	before := float64(s.Updates) / ceil(float64(s.Updates)/float64(s.WarpSize))
	s.Updates *= factor
	// Updates of a mean warp, of which all but the last are full then.
	wider := float64(s.Updates) / ceil(float64(s.Updates)/float64(s.WarpSize)) / before
	s.MaxFrequency *= factor
	s.MaxChunkFrequency4 *= factor
	s.MaxChunkFrequency8 *= factor
	s.Runs *= factor
	for i := range s.Misses {
		s.Misses[i].MaxFrequency *= factor
		s.Misses[i].LanesPerWarp *= wider
	}
	s.Unique = min(s.Bins, s.Unique*factor)
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	return s
}

// repeated returns the statistics of a stream repeated so many times: its targets stay the same.
func repeated(s collision.Stats, factor uint64) collision.Stats {
	r := scale(s, factor)
	r.Unique, r.AllLevel = s.Unique, float64(r.Updates)/float64(s.Unique)
	return r
}

// Model is a Bundle of one implementation.
type Model struct{ b *Bundle }

// Compile prepares one implementation as CompileAll does.
func Compile(v impl.Spec, d *device.Profile, c device.Call) (*Model, error) {
	b, err := CompileAll([]impl.Spec{v}, d, c)
	return &Model{b}, err
}

func (m *Model) US(s *collision.Stats) float64 {
	var out [1]float64
	m.b.US(s, out[:])
	return out[0]
}

func (m *Model) Check(s *collision.Stats) error { return m.b.Check(s, 0) }

func (m *Model) Explain(s *collision.Stats) (Cost, error) { return m.b.Explain(s, 0) }
