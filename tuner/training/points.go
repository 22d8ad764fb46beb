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

// With ShortUpdates, one parameter sweep in longEvery is long: each whose number leaves the
// remainder longAt.
const (
	longEvery = 8
	longAt    = longEvery/2 - 1
)

// PointOf returns the training point of a row. The error wraps ErrSweep.
func PointOf(s model.Sweep, r Row) (Point, error) {
	if r.Point < 0 || r.Point >= s.Points {
		return Point{}, fmt.Errorf("point %d of %d: %w", r.Point, s.Points, model.ErrSweep)
	}
	l, err := sweepOf(s, s.LineOf(r.Point))
	if err != nil {
		return Point{}, err
	}
	return l.point(r.Point, r.At)
}

// parameterSweep is one call on streams of which one quantity changes.
type parameterSweep struct {
	streams synth.Sweep
	call    device.Call
}

// sweepOf draws a parameter sweep. Each round has one of each stream family.
func sweepOf(s model.Sweep, number int) (l parameterSweep, err error) {
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
	if s.Line == 0 {
		l.streams.Axis = "n"
		l.streams.From, err = synth.Sample(r, ranges)
		l.streams.To = l.streams.From
	} else {
		l.streams, err = synth.SampleSweep(r, ranges)
	}
	if err != nil {
		return l, fmt.Errorf("line %d: %w: %w", number, model.ErrSweep, err)
	}
	types := device.Types()
	l.call.Type = types[r.Below(uint64(len(types)))]
	l.call.Operand = device.Operand(r.Below(2))
	return l, nil
}

// point returns the point at a place from 0 to 1. Each has a seed of its own.
func (l parameterSweep) point(id int, at float64) (Point, error) {
	spec, err := l.streams.At(at)
	if err != nil {
		return Point{}, fmt.Errorf("place %v: %w: %w", at, model.ErrSweep, err)
	}
	if at > 0 {
		spec.Seed = synth.NewRand(spec.Seed + uint64(id)).Uint64()
	}
	return Point{ID: id, Stream: spec, Call: l.call}, nil
}

// familyOf returns the family of a parameter sweep, by a permutation drawn for each round.
func familyOf(s model.Sweep, number int) string {
	all := synth.Families()
	round, place := number/len(all), number%len(all)
	shuffle(synth.NewRand(s.Seed^uint64(round)<<32), all)
	return all[place].Name
}

// nextPlace returns the place of the next point: the ends first, then the middle of the
// interval between neighbours of the largest
//
//	width · (ln loss + 1/64),
//
// the loss being that of the choice at one end on the other, at most mostLoss, the larger of
// the two. So points gather where the choice changes.
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
		if score := width * (math.Log(max(a.lossOf(b), b.lossOf(a))) + 1.0/64); score > best {
			best, place = score, a.At+width/2
		}
	}
	return place
}

// mostLoss bounds the loss where the choice changes.
const mostLoss = 2

// lossOf is the loss at r of the fastest implementation of o.
func (r *Row) lossOf(o *Row) float64 {
	name, _ := o.fastest()
	_, least := r.fastest()
	if us, ok := r.US[name]; ok {
		return min(us/least, mostLoss)
	}
	return mostLoss
}

// fastest returns the implementation of least time, of equal ones the first by name.
func (r *Row) fastest() (name string, us float64) {
	us = math.Inf(1)
	for n, t := range r.US {
		if t < us || t == us && n < name {
			name, us = n, t
		}
	}
	return name, us
}

func shuffle[T any](r *synth.Rand, list []T) {
	for i := range list {
		j := i + int(r.Below(uint64(len(list)-i)))
		list[i], list[j] = list[j], list[i]
	}
}
