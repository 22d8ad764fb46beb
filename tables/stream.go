package tables

import (
	"cmp"
	"slices"
	"sort"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
)

// A Stream is one stream of a column, with what was measured of it.
type Stream struct {
	Column   int    `json:"column"` // place among Document.Columns
	Targets  uint64 `json:"targets"`
	WarpSize int    `json:"warp_size"`
	// Spec is the stream's specification, as synth.Parse reads it.
	Spec string `json:"spec"`
	// The statistics of package collision that tell streams apart.
	WarpLevel         float64 `json:"warp_level"`
	ClusteredFraction float64 `json:"clustered_fraction"`
	MaxFrequency      uint64  `json:"max_frequency"`
}

type point struct {
	stream Stream
	stats  collision.Stats
	place  int // among Document.Streams
}

// source makes the streams of one column for one warp size.
type source struct {
	column   int // its place
	updates  int
	warpSize int
	rows     bool           // their reuse is asked for
	points   map[int]*point // by place in fineTargets; nil if there is none
	shares   map[uint32]int
	buffer   []uint32 // reused from stream to stream
}

// at returns the stream at a place, nil where its targets collide too often by chance alone.
func (s *source) at(place int) (*point, error) {
	if p, ok := s.points[place]; ok {
		return p, nil
	}
	s.points[place] = nil
	k := fineTargets[place]
	share, err := s.share(k)
	if share == 0 || err != nil {
		return nil, err
	}
	spec, stats, err := s.analyse(s.updates, k, share, 0)
	if err != nil {
		return nil, err
	}
	s.points[place] = &point{stats: stats, stream: Stream{
		Column: s.column, Targets: uint64(k), WarpSize: s.warpSize, Spec: spec.String(),
		WarpLevel: rounded(stats.WarpLevel), ClusteredFraction: rounded(stats.ClusteredFraction),
		MaxFrequency: stats.MaxFrequency,
	}}
	return s.points[place], nil
}

// From manyTargets on, the share no longer depends on the number of targets. It is found on
// streams of trialUpdates at most.
const (
	manyTargets  = 1 << 10
	trialUpdates = 1 << 15
)

// slack is the part by which the least level of few targets may exceed the column's.
const slack = 0.05

// share returns the least share, in steps, whose stream reaches the column's level, and any where
// it has none; 0 where k targets collide more than that by chance alone.
func (s *source) share(k uint32) (found int, err error) {
	wanted := columns[s.column].Level
	if wanted == 0 {
		return 1, nil
	}
	k = min(k, manyTargets)
	if found, ok := s.shares[k]; ok {
		return found, nil
	}
	level := func(share int) float64 {
		// No larger block has to be sorted.
		_, stats, wrong := s.analyse(min(trialUpdates, s.updates), k, share, s.warpSize)
		err = cmp.Or(err, wrong)
		return stats.WarpLevel
	}
	if level(1) <= wanted*(1+slack) {
		found = 1 + sort.Search(steps-2, func(i int) bool { return level(1+i) >= wanted })
	}
	s.shares[k] = found
	return found, err
}

// analyse makes a stream and counts its collisions; other columns take the other cores.
func (s *source) analyse(n int, k uint32, share, block int) (spec synth.Spec,
	stats collision.Stats, err error) {
	if spec, err = columns[s.column].spec(n, k, share); err != nil {
		return spec, stats, err
	}
	s.buffer = slices.Grow(s.buffer[:0], n)[:n]
	if err = synth.Fill(s.buffer, spec); err == nil {
		stats, err = collision.Analyze(s.buffer, collision.Options{WarpSize: s.warpSize, Rows: s.rows,
			BlockSize: block, Bins: uint64(k), Workers: 1})
	}
	return spec, stats, err
}
