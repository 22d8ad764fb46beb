package training

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/tuner/model"
	"golang.org/x/sync/errgroup"
)

// CollectOptions say how Collect works, not what comes out.
type CollectOptions struct {
	// Journal is the file that keeps the rows: finished points found there are
	// not simulated again. Empty keeps the rows in memory alone.
	Journal string
	// From is a journal of the same sweep, of as many points or others, whose rows are
	// taken over where they come out the same: after closed forms have changed, which
	// screen otherwise, or to go on with more points. The simulator must be the same.
	From    string
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
		return fmt.Errorf("%d workers: %w", o.Workers, model.ErrOptions)
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
func Collect(ctx context.Context, d *device.Profile, s model.Sweep, sim Simulator, o CollectOptions) ([]Row, error) {
	rows, err := collect(ctx, d, s, sim, o)
	if err != nil {
		return nil, fmt.Errorf("collect: %w", err)
	}
	slices.SortFunc(rows, func(a, b Row) int { return a.Point - b.Point })
	return rows, nil
}

func collect(ctx context.Context, d *device.Profile, s model.Sweep, sim Simulator, o CollectOptions) (rows []Row, err error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := checkShare(s, o.Shard); err != nil {
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
	if rows, err = takeOver(s, d, o, rows, keep); err != nil {
		return nil, err
	}
	todo, total, err := remaining(s, o.Shard, rows)
	if err != nil {
		return nil, err
	}
	o.tell(len(rows), total)
	bare := model.WithoutHost(d)
	var mu sync.Mutex
	err = parallel(ctx, len(todo), o.Workers, func(i int) error {
		line, err := simulateLine(s, ctx, todo[i], bare, sim)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, r := range line {
			rows = append(rows, r)
			if err := keep(r); err != nil {
				return err
			}
		}
		o.tell(len(rows), total)
		return nil
	})
	return rows, err
}

// parallel calls work(0) to work(n-1) on several goroutines, 0 workers meaning
// GOMAXPROCS. After the first error, the context's among them, no call is begun.
func parallel(ctx context.Context, n, workers int, work func(i int) error) error {
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(workers, runtime.GOMAXPROCS(0)))
	for i := 0; i < n && within.Err() == nil; i++ {
		g.Go(func() error {
			if within.Err() != nil {
				return nil
			}
			return work(i)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// takeOver adds rows of o.From, unless the journal holds some already.
func takeOver(s model.Sweep, d *device.Profile, o CollectOptions, rows []Row, keep func(Row) error) ([]Row, error) {
	if o.From == "" || len(rows) > 0 {
		return rows, nil
	}
	rows, err := reusable(s, o.From, d, o.Shard)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if err := keep(r); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func (o CollectOptions) tell(done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{Done: done, Total: total})
	}
}

// unfinished is a line of which rows are missing.
type unfinished struct {
	number int
	rows   []Row // those that are there, by number of the point
}

// remaining returns the shard's lines that lack rows, and the number of all its
// points.
func remaining(s model.Sweep, part Shard, rows []Row) (todo []unfinished, total int, err error) {
	done, err := byPoint(rows)
	if err != nil {
		return nil, 0, err
	}
	for number := range s.Lines() {
		if !part.Has(number) {
			continue
		}
		l := unfinished{number: number}
		first, end := s.PointsOf(number)
		for id := first; id < end; id++ {
			r, ok := done[id]
			if ok && id != first+len(l.rows) {
				return nil, 0, fmt.Errorf("%w: point %d stands there without point %d before it on its line", ErrJournal, id, id-1)
			}
			if ok {
				l.rows = append(l.rows, r)
			}
		}
		total += end - first
		if len(l.rows) < end-first {
			todo = append(todo, l)
		}
	}
	return todo, total, nil
}

// byPoint returns the rows by their points, or an error that wraps ErrJournal.
func byPoint(rows []Row) (map[int]Row, error) {
	by := make(map[int]Row, len(rows))
	for _, r := range rows {
		if _, twice := by[r.Point]; twice {
			return nil, fmt.Errorf("%w: point %d stands twice", ErrJournal, r.Point)
		}
		by[r.Point] = r
	}
	return by, nil
}
