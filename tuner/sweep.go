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
	leastLine         = 3
	mostLine          = 64
)

// A Sweep enumerates training points: index streams of known families with
// numbers of updates and targets drawn log-uniformly, over all element types
// and both operands.
//
// With Line, points come in lines: one call on streams of one family in which
// one quantity changes (see synth.Sweep), and which are simulated where the
// choice flips. Each line, or without them each point, depends on the sweep and
// its number alone, so that any part of a sweep can be made anywhere.
type Sweep struct {
	Points     int    `json:"points"`
	Seed       uint64 `json:"seed"`
	MinUpdates uint64 `json:"min_updates"` // 0 means 1,024
	MaxUpdates uint64 `json:"max_updates"` // 0 means 262,144
	MaxBins    uint64 `json:"max_bins"`    // 0 means 16,777,216
	// ShortUpdates, if not 0, divides the lengths: seven of eight lines draw theirs up
	// to it, the eighth from it on, since long streams take longest to simulate.
	ShortUpdates uint64 `json:"short_updates"`
	// Line is the number of points of a line: 0, or 3 to 64.
	Line int `json:"line"`
	// Screen, if not 0, leaves out what need not be simulated: an implementation
	// whose closed form exceeds Screen times the least, 1 at least. Each 16th line,
	// or point, is simulated whole all the same.
	Screen float64 `json:"screen"`
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
	case n.ShortUpdates != 0 && (n.ShortUpdates < n.MinUpdates || n.ShortUpdates > n.MaxUpdates):
		return fmt.Errorf("short streams of up to %d updates, want 0, or a number within %d to %d: %w", n.ShortUpdates, n.MinUpdates, n.MaxUpdates, ErrSweep)
	case n.MaxBins > maxSweepBins:
		return fmt.Errorf("%d targets, want fewer than 2^32: %w", n.MaxBins, ErrSweep)
	case n.Line != 0 && (n.Line < leastLine || n.Line > mostLine):
		return fmt.Errorf("lines of %d points, want 0, or %d to %d: %w", n.Line, leastLine, mostLine, ErrSweep)
	case n.Screen != 0 && !(n.Screen >= 1 && n.Screen <= 1e6):
		return fmt.Errorf("screening at %v times the least closed form, want 0, or 1 to 1e6: %w", n.Screen, ErrSweep)
	}
	return nil
}

// A Point is one training point: a stream and what a call does with it.
type Point struct {
	ID     int
	Stream synth.Spec
	Call   device.Call
}

// perLine is the number of points that are made one after the other.
func (s Sweep) perLine() int { return max(1, s.Line) }

// lines is the number of lines; the last may be shorter.
func (s Sweep) lines() int { return (s.Points + s.perLine() - 1) / s.perLine() }

// LineOf returns the number of the line to which a point belongs; without
// lines, each point is one.
func (s Sweep) LineOf(point int) int { return point / s.perLine() }

// wholeEvery is how often a line is simulated whole where others are screened.
const wholeEvery = 16

// longEvery is how often a line is long where lengths are divided: not where one is
// simulated whole.
const longEvery = 8

// longAt is the remainder that the number of a long line leaves.
const longAt = longEvery/2 - 1

// Whole reports whether all implementations are simulated at a point.
func (s Sweep) Whole(point int) bool {
	return s.Screen == 0 || s.LineOf(point)%wholeEvery == wholeEvery-1
}

// Place returns the training point of a row. The error wraps ErrSweep.
func (s Sweep) Place(r Row) (Point, error) {
	if r.Point < 0 || r.Point >= s.Points {
		return Point{}, fmt.Errorf("point %d of %d: %w", r.Point, s.Points, ErrSweep)
	}
	l, err := s.line(s.LineOf(r.Point))
	if err != nil {
		return Point{}, err
	}
	return l.point(r.Point, r.At)
}

// line is a line of points.
type line struct {
	streams synth.Sweep
	call    device.Call
}

// line draws a line. Lines are dealt in rounds of one of each stream family, so
// that every family is as frequent as the next.
func (s Sweep) line(number int) (line, error) {
	if err := s.Validate(); err != nil {
		return line{}, err
	}
	s = s.Normal()
	r := synth.NewRand(synth.NewRand(s.Seed).Uint64() + uint64(number))
	ranges := synth.Ranges{
		NMin: int(s.MinUpdates), NMax: int(s.MaxUpdates), KMax: uint32(s.MaxBins),
		Families: []string{s.family(number)},
	}
	switch {
	case s.ShortUpdates == 0:
	case number%longEvery == longAt:
		ranges.NMin = int(s.ShortUpdates)
	default:
		ranges.NMax = int(s.ShortUpdates)
	}
	var l line
	var err error
	if s.Line == 0 {
		l.streams.Axis = "n"
		l.streams.From, err = synth.Sample(r, ranges)
		l.streams.To = l.streams.From
	} else {
		l.streams, err = synth.SampleSweep(r, ranges)
	}
	if err != nil {
		return line{}, fmt.Errorf("line %d: %w: %w", number, ErrSweep, err)
	}
	types := device.Types()
	l.call = device.Call{
		Type:    types[r.Below(uint64(len(types)))],
		Operand: device.Operand(r.Below(2)),
	}
	return l, nil
}

// point returns the point at a place of the line. Points of a line differ in the
// seed of their streams too.
func (l line) point(id int, at float64) (Point, error) {
	spec, err := l.streams.At(at)
	if err != nil {
		return Point{}, fmt.Errorf("point %d: %w: %w", id, ErrSweep, err)
	}
	if at > 0 {
		spec.Seed = synth.NewRand(spec.Seed + uint64(id)).Uint64()
	}
	return Point{ID: id, Stream: spec, Call: l.call}, nil
}

// family deals the families to the lines of a round in an order drawn for the
// round, so that lines that leave the same remainder, as in a shard, are of
// all families.
func (s Sweep) family(number int) string {
	all := synth.Families()
	round, place := number/len(all), number%len(all)
	r := synth.NewRand(s.Seed ^ uint64(round)<<32)
	for i := range all {
		j := i + int(r.Below(uint64(len(all)-i)))
		all[i], all[j] = all[j], all[i]
	}
	return all[place].Name
}
