package training

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
)

// A Point is one training point: a stream and what a call does with it.
type Point struct {
	ID     int
	Stream synth.Spec
	Call   device.Call
}

// longEvery is how often a line is long where lengths are divided: not where one is
// simulated whole.
const longEvery = 8

// longAt is the remainder that the number of a long line leaves.
const longAt = longEvery/2 - 1

// PointOf returns the training point of a row. The error wraps ErrSweep.
func PointOf(s model.Sweep, r Row) (Point, error) {
	if r.Point < 0 || r.Point >= s.Points {
		return Point{}, fmt.Errorf("point %d of %d: %w", r.Point, s.Points, model.ErrSweep)
	}
	l, err := lineOf(s, s.LineOf(r.Point))
	if err != nil {
		return Point{}, err
	}
	return l.point(r.Point, r.At)
}

// lineOf is a line of points.
type line struct {
	streams synth.Sweep
	call    device.Call
}

// lineOf draws a line. Lines are dealt in rounds of one of each stream family, so
// that every family is as frequent as the next.
func lineOf(s model.Sweep, number int) (line, error) {
	if err := s.Validate(); err != nil {
		return line{}, err
	}
	s = s.Normal()
	r := synth.NewRand(synth.NewRand(s.Seed).Uint64() + uint64(number))
	ranges := synth.Ranges{
		NMin: int(s.MinUpdates), NMax: int(s.MaxUpdates), KMax: uint32(s.MaxBins),
		Families: []string{familyOf(s, number)},
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
		return line{}, fmt.Errorf("line %d: %w: %w", number, model.ErrSweep, err)
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
		return Point{}, fmt.Errorf("point %d: %w: %w", id, model.ErrSweep, err)
	}
	if at > 0 {
		spec.Seed = synth.NewRand(spec.Seed + uint64(id)).Uint64()
	}
	return Point{ID: id, Stream: spec, Call: l.call}, nil
}

// familyOf deals the families to the lines of a round in an order drawn for the
// round, so that lines that leave the same remainder, as in a shard, are of
// all families.
func familyOf(s model.Sweep, number int) string {
	all := synth.Families()
	round, place := number/len(all), number%len(all)
	shuffle(synth.NewRand(s.Seed^uint64(round)<<32), all)
	return all[place].Name
}

// nextPlace returns the place of a line's next point: its ends first, then the
// middle of the interval between neighbours that tells most. An interval counts
// by its width and by what the choice at one end would cost at the other:
//
//	width · (ln loss + 1/64)
//
// the larger of the two losses, at most mostLoss, which also counts where a
// choice was left out at the other end. So points gather where the choice
// flips, and where it flips nowhere they spread evenly.
func nextPlace(rows []Row) float64 {
	switch len(rows) {
	case 0:
		return 0
	case 1:
		return 1
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int { return cmp.Compare(a.At, b.At) })
	best, place := math.Inf(-1), 0.0
	for i := range sorted[1:] {
		a, b := &sorted[i], &sorted[i+1]
		width := b.At - a.At
		if score := float64(width * (math.Log(max(a.lossOf(b), b.lossOf(a))) + 1.0/64)); score > best {
			best, place = score, a.At+width/2
		}
	}
	return place
}

// mostLoss bounds what one flip counts.
const mostLoss = 2

// lossOf is the loss at r of the fastest implementation of o.
func (r *Row) lossOf(o *Row) float64 {
	name, _ := o.fastest()
	_, least := r.fastest()
	us, ok := r.US[name]
	if !ok {
		return mostLoss
	}
	return min(us/least, mostLoss)
}

// fastest returns the implementation with the least time, of equal ones the first
// by name.
func (r *Row) fastest() (name string, us float64) {
	us = math.Inf(1)
	for n, t := range r.US {
		if t < us || t == us && n < name {
			name, us = n, t
		}
	}
	return name, us
}
