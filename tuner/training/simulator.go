package training

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// A Simulator tells how long one call takes: the index stream and the values
// in device memory, clearing the targets, launches, kernels and flush
// included. It is called from several goroutines at once, must leave the
// indices as they are, and must give the same time for the same arguments.
type Simulator interface {
	Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32, bins uint64) (us float64, err error)
}

// simulateLine makes the rows that a line lacks, one after the other, since each
// place depends on the rows before it.
func simulateLine(s model.Sweep, ctx context.Context, todo unfinished, d *device.Profile, sim Simulator) ([]Row, error) {
	l, err := lineOf(s, todo.number)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(todo.rows)
	first, end := s.PointsOf(todo.number)
	for id := first + len(rows); id < end; id++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		at := nextPlace(rows)
		p, err := l.point(id, at)
		if err != nil {
			return nil, err
		}
		r, err := simulatePoint(s, p, d, sim)
		if err != nil {
			return nil, err
		}
		r.At = at
		rows = append(rows, r)
	}
	return rows[len(todo.rows):], nil
}

// simulatePoint makes the row of a point: of all candidates that can run on it,
// that have a closed form to correct, and that the sweep does not screen out.
func simulatePoint(s model.Sweep, p Point, d *device.Profile, sim Simulator) (Row, error) {
	indices, err := synth.Generate(p.Stream)
	if err != nil {
		return Row{}, fmt.Errorf("point %d: %w: %w", p.ID, model.ErrSweep, err)
	}
	bins := uint64(p.Stream.K)
	stats, err := collision.Analyze(indices, collision.Options{
		WarpSize: int(d.Core.WarpLanes.Value), Bins: bins, Workers: 1,
	})
	if err != nil {
		return Row{}, fmt.Errorf("point %d: %w", p.ID, err)
	}
	row := Row{Point: p.ID, Stats: rounded(stats), US: map[string]float64{}}
	for _, v := range screened(s, p, &row.Stats, d) {
		us, err := sim.Simulate(v, d, p.Call, indices, bins)
		if err == nil && (!(us > 0) || math.IsInf(us, 0)) {
			err = fmt.Errorf("the time is %v us", us)
		}
		if err != nil {
			return Row{}, fmt.Errorf("point %d (%s, %s), %s: %w: %w", p.ID, p.Stream, p.Call.Type, v, ErrSimulator, err)
		}
		row.US[v.String()] = short(us)
	}
	if len(row.US) == 0 {
		return Row{}, fmt.Errorf("point %d: %w on %s", p.ID, model.ErrNone, d.Name)
	}
	return row, nil
}

// screened returns the implementations to simulate at a point.
func screened(s model.Sweep, p Point, stats *collision.Stats, d *device.Profile) []variant.Variant {
	var list []variant.Variant
	var closed []float64
	for _, v := range variant.Candidates() {
		m, err := speedup.Compile(v, d, p.Call)
		if err != nil || m.Check(stats) != nil {
			continue
		}
		list, closed = append(list, v), append(closed, m.US(stats))
	}
	if s.Whole(p.ID) || len(list) == 0 {
		return list
	}
	limit := s.Screen * slices.Min(closed)
	kept := list[:0]
	for i, v := range list {
		if closed[i] <= limit {
			kept = append(kept, v)
		}
	}
	return kept
}

// short rounds to seven significant digits.
func short(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 7, 64), 64)
	if err != nil { // a number that was formatted is read again, but for an overflow
		return x
	}
	return y
}

// rounded returns statistics with their means rounded, so that a journal holds no
// digits that mean nothing.
func rounded(s collision.Stats) collision.Stats {
	for _, d := range collision.Statistics() {
		if mean := d.Mean(&s); mean != nil {
			*mean = short(*mean)
		}
	}
	return s
}
