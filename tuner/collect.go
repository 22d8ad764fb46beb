package tuner

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/atomtune/atomtune/device"
)

// CollectOptions say how Collect works, not what comes out.
type CollectOptions struct {
	// Journal is the file that keeps the rows: finished points found there are
	// not simulated again. Empty keeps the rows in memory alone.
	Journal string
	Shard   Shard // the part of the sweep to simulate; zero means all
	Workers int   // points simulated at once; 0 means GOMAXPROCS
	// Progress, if not nil, is called once before the first point and after
	// each, never from two goroutines at once.
	Progress func(Progress)
}

// Progress counts the points of the shard.
type Progress struct {
	Done, Total int // Done counts those found in the journal too
}

// Validate returns an error that wraps ErrSweep or ErrOptions.
func (o CollectOptions) Validate() error {
	if o.Workers < 0 {
		return fmt.Errorf("%d workers: %w", o.Workers, ErrOptions)
	}
	return o.Shard.Validate()
}

// Collect simulates the points of a sweep's shard on a device and returns
// their rows by number of the point. Rows depend on the device, the sweep and
// the simulator alone, not on workers, shards or interruptions.
//
// The first error ends it: the context's, one that wraps ErrSimulator and
// names the point, or one that wraps ErrJournal, ErrSweep or ErrOptions. The
// journal then holds every finished point.
func Collect(ctx context.Context, d *device.Profile, s Sweep, sim Simulator, o CollectOptions) ([]Row, error) {
	rows, err := collect(ctx, d, s, sim, o)
	if err != nil {
		return nil, fmt.Errorf("collect: %w", err)
	}
	slices.SortFunc(rows, func(a, b Row) int { return a.Point - b.Point })
	return rows, nil
}

func collect(ctx context.Context, d *device.Profile, s Sweep, sim Simulator, o CollectOptions) (rows []Row, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	keep := func(Row) error { return nil }
	if o.Journal != "" {
		w, found, err := openJournal(o.Journal, newHeader(d, s, o.Shard))
		if err != nil {
			return nil, err
		}
		defer func() { err = cmp.Or(err, w.close()) }()
		rows, keep = found, func(r Row) error { return w.append(r) }
	}
	todo, total, err := remaining(s, o.Shard, rows)
	if err != nil {
		return nil, err
	}
	o.tell(len(rows), total)
	bare := withoutHost(d)
	err = each(ctx, len(todo), o.Workers,
		func(i int) (Row, error) { return simulatePoint(s, todo[i], bare, sim) },
		func(_ int, r Row) error {
			rows = append(rows, r)
			err := keep(r)
			o.tell(len(rows), total)
			return err
		})
	return rows, err
}

func (o CollectOptions) tell(done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{Done: done, Total: total})
	}
}

// remaining returns the shard's points that have no row yet, and the number of
// all its points.
func remaining(s Sweep, part Shard, rows []Row) (todo []int, total int, err error) {
	done := make(map[int]bool, len(rows))
	for _, r := range rows {
		if done[r.Point] {
			return nil, 0, fmt.Errorf("%w: point %d stands twice", ErrJournal, r.Point)
		}
		done[r.Point] = true
	}
	for id := range s.Points {
		if !part.Has(id) {
			continue
		}
		total++
		if !done[id] {
			todo = append(todo, id)
		}
	}
	return todo, total, nil
}
