package speedup

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/atomtune/atomtune/collision"
)

// measure returns the statistics of a stream, by counting: a plain reference
// that shares nothing with the package that measures streams.
func measure(stream []uint32, bins uint64, warp, block int) collision.Stats {
	s := collision.Stats{
		Updates: uint64(len(stream)), Bins: bins, WarpSize: warp, BlockSize: block,
		Unique: uint64(len(tally(stream, 0))), MaxFrequency: top(tally(stream, 0)),
		MaxChunkFrequency4: top(tally(stream, 6)), MaxChunkFrequency8: top(tally(stream, 5)),
	}
	s.AllLevel = float64(s.Updates) / float64(s.Unique)
	for i := range stream {
		if i == 0 || stream[i] != stream[i-1] {
			s.Runs++
		}
	}
	warps := 0.0
	for w := range slices.Chunk(stream, warp) {
		warps++
		addWarp(&s, w)
	}
	for _, mean := range []*float64{
		&s.WarpLevel, &s.DistinctPerWarp, &s.Sectors4, &s.Sectors8,
		&s.SectorPasses4, &s.SectorPasses8, &s.BankDegree, &s.BankLanes,
	} {
		*mean /= warps
	}
	s.ClusteredFraction /= float64(len(stream))
	blocks := 0.0
	for b := range slices.Chunk(stream, block) {
		blocks++
		t := tally(b, 0)
		s.BlockLevel += float64(top(t)) / float64(len(b))
		s.DistinctPerBlock += float64(len(t))
	}
	s.BlockLevel /= blocks
	s.DistinctPerBlock /= blocks
	return s
}

func addWarp(s *collision.Stats, w []uint32) {
	t := tally(w, 0)
	s.WarpLevel += float64(top(t)) / float64(len(w))
	s.DistinctPerWarp += float64(len(t))
	for i := 1; i < len(w); i++ {
		if w[i] == w[i-1] {
			s.ClusteredFraction++
		}
	}
	passes4, passes8 := map[uint32]uint64{}, map[uint32]uint64{}
	var words, lanes [32]float64
	for key, n := range t {
		passes4[key>>3] = max(passes4[key>>3], n)
		passes8[key>>2] = max(passes8[key>>2], n)
		words[key%32]++
		lanes[key%32] += float64(n)
	}
	s.Sectors4 += float64(len(passes4))
	s.Sectors8 += float64(len(passes8))
	for _, n := range passes4 {
		s.SectorPasses4 += float64(n)
	}
	for _, n := range passes8 {
		s.SectorPasses8 += float64(n)
	}
	s.BankDegree += slices.Max(words[:])
	s.BankLanes += slices.Max(lanes[:])
}

func tally(stream []uint32, shift uint) map[uint32]uint64 {
	t := map[uint32]uint64{}
	for _, key := range stream {
		t[key>>shift]++
	}
	return t
}

func top(t map[uint32]uint64) (most uint64) {
	for _, n := range t {
		most = max(most, n)
	}
	return most
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
		s.Misses[i].Frequency *= factor
		s.Misses[i].Lanes *= wider
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

// tabled returns statistics with what tables of hot targets cover and miss of the stream.
func tabled(s collision.Stats, stream []uint32) collision.Stats {
	all, err := collision.Analyze(stream, collision.Options{Bins: s.Bins, WarpSize: s.WarpSize, Workers: 1})
	if err != nil {
		panic(err)
	}
	s.Cover, s.Misses = all.Cover, all.Misses
	return s
}

func TestMeasure(t *testing.T) {
	s := measure([]uint32{5, 5, 5, 64, 37, 37, 4, 5}, 65, 4, 8)
	want := collision.Stats{
		Updates: 8, Bins: 65, Unique: 4, WarpSize: 4, BlockSize: 8,
		WarpLevel: 0.625, BlockLevel: 0.5, AllLevel: 2, DistinctPerWarp: 2.5, DistinctPerBlock: 4,
		ClusteredFraction: 0.375, Runs: 5, MaxFrequency: 4, MaxChunkFrequency4: 7, MaxChunkFrequency8: 5,
		Sectors4: 2, Sectors8: 2, SectorPasses4: 3.5, SectorPasses8: 3.5, BankDegree: 1.5, BankLanes: 3,
	}
	if s != want {
		t.Errorf("measure = %+v\nwant %+v", s, want)
	}
}
