package collision_test

import (
	"errors"
	"math"
	"testing"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
)

// TestStatisticsBelongTogether: statistics of streams of all families, exact, of samples of any size that
// either way of sampling draws, shifted, and joined by a survey, are such as one stream can have.
func TestStatisticsBelongTogether(t *testing.T) {
	rng, checked := synth.NewRand(47), 0
	for _, f := range synth.Families() {
		for i := range 12 {
			spec, err := synth.Sample(rng, synth.Ranges{NMin: 1, NMax: 1 << 16, KMax: 1 << 20, Families: []string{f.Name}})
			if err != nil {
				t.Fatal(err)
			}
			keys, err := synth.Generate(spec)
			if err != nil {
				t.Fatal(err)
			}
			o := collision.Options{Workers: 1, Seed: uint64(i), WarpSize: []int{32, 64, 7, 1}[i%4]}
			if o.Padded = i%3 == 2; o.Padded {
				for at := range keys { // single lanes, or whole stretches of the stream
					if i%2 == 0 && rng.Below(3) == 0 || i%2 == 1 && at/2048%3 != i%4/2 {
						keys[at] = collision.Inactive
					}
				}
			}
			known, err := collision.NewSurvey(collision.Indices(keys), o)
			if err != nil {
				t.Fatal(err)
			}
			for _, blocks := range []int{0, 4, 5, 8, 32, 128} {
				o.Sample, o.Bins = blocks, known.Bins*uint64(i/4%2)
				list, err := measured(keys, o, known)
				if err != nil {
					t.Fatal(spec, err)
				}
				for _, s := range list {
					if checked++; !possible(t, &s) {
						t.Fatalf("%s, padded %v, sample of %d blocks, seed %d, %d bins", spec, o.Padded, blocks, o.Seed, o.Bins)
					}
				}
			}
		}
	}
	if checked < 2500 {
		t.Errorf("%d statistics were checked", checked)
	}
}

// measured returns the statistics of a stream by an Accumulator and, of a sample, by a Sampler, joined by
// what is known of the whole stream, and shifted.
func measured(keys []uint32, o collision.Options, known collision.Survey) (list []collision.Stats, err error) {
	var errs []error
	add := func(s collision.Stats, err error) {
		if err == nil {
			list = append(list, s)
		} else if !errors.Is(err, collision.ErrEmpty) { // a sample of padding
			errs = append(errs, err)
		}
	}
	add(collision.Analyze(keys, o))
	if o.Sample > 0 {
		p, err := collision.NewSampler(o)
		if err != nil {
			return nil, err
		}
		add(p.Measure(keys, known.Bins, o.Sample))
		for _, s := range list {
			for _, by := range []float64{-1000, -1, -0.3, 0.3, 1, 1000} {
				add(s.Shifted(by), nil)
			}
			known.Apply(&s)
			add(s, nil)
			add(s.Shifted(0.839), nil)
		}
	}
	return list, errors.Join(errs...)
}

// possible reports whether one stream can have all statistics, within the rounding of means.
func possible(t *testing.T, s *collision.Stats) bool {
	if err := s.Check(); err != nil {
		t.Error(err)
		return false
	}
	n := func(whole uint64) float64 { return float64(whole) }
	unique, updates, most := n(s.Unique), n(s.Updates), n(s.MaxFrequency)
	warps := math.Ceil(n(s.Positions()) / float64(s.WarpSize))
	blocks := math.Ceil(n(s.Positions()) / float64(s.BlockSize))
	type order struct {
		what string
		low  float64
		high float64
	}
	list := []order{
		{"targets that occur, bins", unique, n(s.Bins)},
		{"targets that occur, updates", unique, updates},
		{"mean, highest frequency", s.AllLevel, most},
		{"all levels", s.AllLevel, updates / unique},
		{"all levels", updates / unique, s.AllLevel},
		{"highest frequency, updates of no other", most, updates - unique + 1},
		{"highest frequency, chunk of 8", most, n(s.MaxChunkFrequency8)},
		{"chunk of 8, its targets", n(s.MaxChunkFrequency8), 32 * most},
		{"chunk of 8, updates of no other", n(s.MaxChunkFrequency8), updates - unique + min(32, unique)},
		{"chunk of 8, chunk of 4", n(s.MaxChunkFrequency8), n(s.MaxChunkFrequency4)},
		{"chunk of 4, its halves", n(s.MaxChunkFrequency4), 2 * n(s.MaxChunkFrequency8)},
		{"chunk of 4, updates of no other", n(s.MaxChunkFrequency4), updates - unique + min(64, unique)},
		{"targets that occur, runs", unique, n(s.Runs)},
		{"runs, updates", n(s.Runs), updates},
		{"targets that occur, those of blocks", unique, s.DistinctPerBlock * blocks},
		{"targets of blocks, of warps", s.DistinctPerBlock * blocks, s.DistinctPerWarp * warps},
		{"targets of a block, all", s.DistinctPerBlock, unique},
		{"targets of warps and repetitions, updates", s.DistinctPerWarp*warps + s.ClusteredFraction*updates, updates},
		{"warps of the most frequent, warps", most / float64(s.WarpSize), s.HotWarps * warps},
		{"warps, segments", s.HotWarps, s.HotSegments},
		{"segments, highest frequency", s.HotSegments * warps, most},
	}
	occur := s.Unique
	if s.Sampled != nil {
		occur = s.Sampled.UniqueHigh
	}
	for j, share := range s.Cover {
		list = append(list, order{"mean of all, cover", min(1, math.Ldexp(1, j)/n(occur)), share})
	}
	for i := range s.Misses {
		if m := &s.Misses[i]; m.LanesPerWarp > 0 {
			frequency := n(m.MaxFrequency)
			list = append(list, order{"what misses, its mean", m.LanesPerWarp * warps / unique, frequency},
				order{"what misses in a warp, in the stream", m.HighestPerWarp, frequency},
				order{"one that misses, all that do", frequency, math.Ceil(m.LanesPerWarp * warps)})
		}
	}
	for _, o := range list {
		if !(o.low <= o.high+1e-5*math.Abs(o.high)) {
			t.Errorf("%s: %v > %v", o.what, o.low, o.high)
		}
	}
	return !t.Failed()
}
