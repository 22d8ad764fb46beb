package tuner

import (
	"fmt"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
)

// The defaults and limits of a Sweep.
const (
	defaultMinUpdates = 1 << 10
	defaultMaxUpdates = 1 << 18
	defaultMaxBins    = 1 << 24
	maxPoints         = 1 << 20
	maxSweepUpdates   = 1 << 28
	maxSweepBins      = 1<<32 - 1
)

// A Sweep enumerates training points: index streams of known families with
// numbers of updates and targets drawn log-uniformly, over all element types
// and both operands. Each point depends on the sweep and its number alone, so that
// any part of a sweep can be made anywhere.
type Sweep struct {
	Points     int    `json:"points"`
	Seed       uint64 `json:"seed"`
	MinUpdates uint64 `json:"min_updates"` // 0 means 1,024
	MaxUpdates uint64 `json:"max_updates"` // 0 means 262,144
	MaxBins    uint64 `json:"max_bins"`    // 0 means 16,777,216
}

// Normal returns the sweep with every zero replaced by what it means.
func (s Sweep) Normal() Sweep {
	if s.MinUpdates == 0 {
		s.MinUpdates = defaultMinUpdates
	}
	if s.MaxUpdates == 0 {
		s.MaxUpdates = max(defaultMaxUpdates, s.MinUpdates)
	}
	if s.MaxBins == 0 {
		s.MaxBins = defaultMaxBins
	}
	return s
}

// Validate returns an error that wraps ErrSweep for a parameter out of range.
func (s Sweep) Validate() error {
	n := s.Normal()
	switch {
	case n.Points < 1 || n.Points > maxPoints:
		return fmt.Errorf("%d points, want 1 to %d: %w", n.Points, maxPoints, ErrSweep)
	case n.MinUpdates > n.MaxUpdates || n.MaxUpdates > maxSweepUpdates:
		return fmt.Errorf("%d to %d updates, want a range below %d: %w", n.MinUpdates, n.MaxUpdates, maxSweepUpdates, ErrSweep)
	case n.MaxBins > maxSweepBins:
		return fmt.Errorf("%d targets, want fewer than 2^32: %w", n.MaxBins, ErrSweep)
	}
	return nil
}

// A Point is one training point: a stream and what a call does with it.
type Point struct {
	ID     int
	Stream synth.Spec
	Call   device.Call
}

// Point returns point number id, 0 to Points-1. Points are dealt in rounds of
// one point of each stream family, so that every family is as frequent as the
// next. The error wraps ErrSweep.
func (s Sweep) Point(id int) (Point, error) {
	if err := s.Validate(); err != nil {
		return Point{}, err
	}
	s = s.Normal()
	r := synth.NewRand(synth.NewRand(s.Seed).Uint64() + uint64(id))
	spec, err := synth.Sample(r, synth.Ranges{
		NMin: int(s.MinUpdates), NMax: int(s.MaxUpdates), KMax: uint32(s.MaxBins),
		Families: []string{s.family(id)},
	})
	if err != nil {
		return Point{}, fmt.Errorf("point %d: %w: %w", id, ErrSweep, err)
	}
	types := device.Types()
	return Point{
		ID:     id,
		Stream: spec,
		Call: device.Call{
			Type:    types[r.Below(uint64(len(types)))],
			Operand: device.Operand(r.Below(2)),
		},
	}, nil
}

// family deals the families to the points of a round in an order drawn for the
// round, so that points that leave the same remainder, as in a shard, are of
// all families.
func (s Sweep) family(id int) string {
	all := synth.Families()
	round, place := id/len(all), id%len(all)
	r := synth.NewRand(s.Seed ^ uint64(round)<<32)
	for i := range all {
		j := i + int(r.Below(uint64(len(all)-i)))
		all[i], all[j] = all[j], all[i]
	}
	return all[place].Name
}
