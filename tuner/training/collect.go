package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
	"github.com/atomtune/atomtune/variant"
)

// The sentinels that errors of training wrap, beside those of package model.
var (
	// ErrJournal reports a journal that is unreadable or of another sweep.
	ErrJournal = errors.New("unusable journal")
	// ErrSimulator reports a simulation that failed or gave no time.
	ErrSimulator = errors.New("simulation failed")
)

// CollectOptions say how Collect works, not what comes out.
type CollectOptions struct {
	// Journal is the file that keeps the rows: finished points found there are
	// not simulated again. Empty keeps the rows in memory alone.
	Journal string
	// From is a journal of the same sweep and simulator, of any number of points. Its rows
	// are taken over where today's closed forms screen the same.
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

// Collect simulates the points of a sweep's shard on a device and returns their rows by
// number of the point. Rows depend on the device, the sweep and the simulator alone. The
// first error ends it: the context's, or one that wraps ErrSimulator and names the point,
// ErrJournal, ErrSweep or ErrOptions. The journal then holds every finished point.
func Collect(ctx context.Context, d *device.Profile, s model.Sweep, sim Simulator,
	o CollectOptions) ([]Row, error) {
	rows, err := collect(ctx, d, s, sim, o)
	if err != nil {
		return nil, fmt.Errorf("collect: %w", err)
	}
	slices.SortFunc(rows, func(a, b Row) int { return a.Point - b.Point })
	return rows, nil
}

func collect(ctx context.Context, d *device.Profile, s model.Sweep, sim Simulator,
	o CollectOptions) (rows []Row, err error) {
	if err := cmp.Or(s.Validate(), o.Validate()); err != nil {
		return nil, err
	}
	if err := checkShare(s, o.Shard); err != nil {
		return nil, err
	}
	keep := func(Row) error { return nil }
	if o.Journal != "" {
		file, found, err := openJournal(o.Journal, newHeader(d, s, o.Shard))
		if err != nil {
			return nil, err
		}
		defer func() {
			if closing := file.Close(); err == nil && closing != nil {
				err = fmt.Errorf("%w: %v", ErrJournal, closing)
			}
		}()
		rows, keep = found, func(r Row) error { return appendLine(file, r) }
	}
	if o.From != "" && len(rows) == 0 {
		if rows, err = reusable(s, o.From, d, o.Shard); err != nil {
			return nil, err
		}
		for _, r := range rows {
			if err := keep(r); err != nil {
				return nil, err
			}
		}
	}
	todo, total, err := remaining(s, o.Shard, rows)
	if err != nil {
		return nil, err
	}
	o.report(len(rows), total)
	bare := model.WithoutHost(d)
	var mu sync.Mutex
	err = parallel(ctx, len(todo), o.Workers, func(i int) error {
		made, err := simulateSweep(s, ctx, todo[i], bare, sim)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for _, r := range made {
			rows = append(rows, r)
			if err := keep(r); err != nil {
				return err
			}
		}
		o.report(len(rows), total)
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
	return cmp.Or(g.Wait(), context.Cause(ctx))
}

func (o CollectOptions) report(done, total int) {
	if o.Progress != nil {
		o.Progress(Progress{Done: done, Total: total})
	}
}

// unfinished is a parameter sweep of which rows are missing.
type unfinished struct {
	number int
	rows   []Row // those that are there, by number of the point
}

// remaining returns the shard's parameter sweeps that lack rows, and the number of its
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
				return nil, 0, fmt.Errorf("%w: point %d stands there without point %d "+
					"before it on its line", ErrJournal, id, id-1)
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

// A Simulator tells how long one call takes, clearing, launches, kernels and flush included;
// indices and values lie in device memory. It is called from several goroutines, leaves the
// indices as they are, and gives the same time for the same arguments.
type Simulator interface {
	Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32,
		bins uint64) (us float64, err error)
}

// simulateSweep makes the rows that a parameter sweep lacks, in turn: each place depends on
// the rows before it.
func simulateSweep(s model.Sweep, ctx context.Context, todo unfinished, d *device.Profile,
	sim Simulator) ([]Row, error) {
	l, err := sweepOf(s, todo.number)
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

// simulatePoint simulates the candidates that the sweep does not screen out.
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
			return Row{}, fmt.Errorf("point %d (%s, %s), %s: %w: %w", p.ID, p.Stream, p.Call.Type, v,
				ErrSimulator, err)
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
	limit, i := s.Screen*slices.Min(closed), -1
	return slices.DeleteFunc(list, func(variant.Variant) bool { i++; return closed[i] > limit })
}

// short rounds to seven significant digits.
func short(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 7, 64), 64)
	if err != nil { // a number that was formatted is read again, but for an overflow
		return x
	}
	return y
}

// rounded returns statistics with their means rounded to seven digits.
func rounded(s collision.Stats) collision.Stats {
	for _, d := range collision.Statistics() {
		if mean := d.Mean(&s); mean != nil {
			*mean = short(*mean)
		}
	}
	return s
}

// reusable returns the rows of a journal that today's closed forms screen the same, of each
// parameter sweep up to the first that they do not: places depend on the rows before. Errors
// wrap ErrJournal or ErrSweep.
func reusable(s model.Sweep, path string, d *device.Profile, part Shard) ([]Row, error) {
	j, err := ReadJournal(path)
	if err != nil {
		return nil, err
	}
	own, old := newHeader(d, s, part), j.Header
	old.Sweep.Points, old.ClosedForms = own.Sweep.Points, own.ClosedForms
	if differs := old.differs(own); differs != "" {
		return nil, fmt.Errorf("%s:1: %w: it belongs to another sweep: %s", path, ErrJournal, differs)
	}
	rows, err := byPoint(j.Rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var same []Row
	bare := model.WithoutHost(d)
	for number := range s.Lines() {
		if !part.Has(number) {
			continue
		}
		first, end := s.PointsOf(number)
		for id := first; id < end; id++ {
			r, there := rows[id]
			if !there {
				break
			}
			p, err := PointOf(s, r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			list := screened(s, p, &r.Stats, bare)
			lacking := func(v variant.Variant) bool { _, has := r.US[v.String()]; return !has }
			if len(list) != len(r.US) || slices.ContainsFunc(list, lacking) {
				break
			}
			same = append(same, r)
		}
	}
	return same, nil
}
