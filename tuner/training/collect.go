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
	"github.com/atomtune/atomtune/impl"
	"github.com/atomtune/atomtune/internal/checkpoint"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/tuner/model"
)

var (
	// ErrCheckpoint reports a checkpoint that is unreadable or of another sweep.
	ErrCheckpoint = errors.New("unusable checkpoint")
	// ErrSimulator reports a simulation that failed or gave no time.
	ErrSimulator = errors.New("simulation failed")
)

// CollectOptions say how Collect works, not what comes out.
type CollectOptions struct {
	// Checkpoint is the file that keeps the rows: points found there are not simulated again.
	// Empty keeps the rows in memory alone.
	Checkpoint string
	// Simulator, if not empty, identifies the simulator, as Fingerprint does: a checkpoint of another one
	// is refused.
	Simulator string
	// From is a checkpoint of the same sweep and simulator, of any number of points. Its rows
	// are taken over where today's closed forms screen the same.
	From    string
	Shard   Shard // the part of the sweep to simulate; zero means all
	Workers int   // points simulated at once; 0 means GOMAXPROCS
	// Progress, if not nil, is called once before the first point and after each, never from
	// two goroutines at once: how many of the shard's points are done, found ones too.
	Progress func(done, total int)
}

// A Simulator predicts how long one call takes, clearing, launches, kernels and flush included;
// indices and values lie in device memory. It is called from several goroutines, leaves the
// indices as they are, and gives the same time for the same arguments.
type Simulator interface {
	Simulate(v impl.Spec, d *device.Profile, c device.Call, indices []uint32,
		bins uint64) (us float64, err error)
}

type collector struct {
	sweep   model.Sweep
	numbers []int           // of the parameter sweeps to make
	device  *device.Profile // without the host's times
	sim     Simulator
}

// Collect simulates the points of a sweep's shard on a device and returns their rows by
// number of the point. Rows depend on the device, the sweep and the simulator alone. The
// first error ends it: the context's, or one that wraps ErrSimulator and names the point,
// ErrCheckpoint, ErrSweep or ErrOptions. The checkpoint then holds every finished point.
func Collect(ctx context.Context, d *device.Profile, s model.Sweep, sim Simulator,
	o CollectOptions) ([]Row, error) {
	if err := cmp.Or(s.Validate(), o.Shard.Validate()); err != nil {
		return nil, err
	}
	if o.Workers < 0 {
		return nil, fmt.Errorf("%d workers: %w", o.Workers, model.ErrOptions)
	}
	c := collector{sweep: s, device: model.WithoutHost(d), sim: sim}
	for number := range s.Lines() {
		if o.Shard.Has(number) {
			c.numbers = append(c.numbers, number)
		}
	}
	if len(c.numbers) == 0 {
		return nil, fmt.Errorf("shard %s has none of the %d points (%d lines): cut them into fewer "+
			"parts: %w", o.Shard, s.Points, s.Lines(), model.ErrSweep)
	}
	head := Header{Format: journalFormat, Version: checkpointVersion, Device: d.Name, ProfileHash: model.ProfileHash(d),
		Sweep: s.Normal(), Shard: Shard{o.Shard.Index, o.Shard.parts()}, Simulator: o.Simulator}
	if s.Screen != 0 {
		head.ClosedForms = model.ClosedFormsHash(d)
	}
	total := 0
	rows, err := Gather(ctx, &checkpoints, o.Checkpoint, head, o.Workers, func(rows []Row) (same []Row,
		todo []Work[Row], err error) {
		if o.From != "" && len(rows) == 0 {
			if same, err = c.reusable(o.From, head); err != nil {
				return nil, nil, err
			}
		}
		done, err := byLine(s, slices.Concat(rows, same))
		for _, number := range c.numbers {
			first, end := s.PointsOf(number)
			if total += end - first; len(done[number]) < end-first {
				todo = append(todo, func() ([]Row, error) { return c.simulateSweep(ctx, number, done[number]) })
			}
		}
		return same, todo, err
	}, func(done int) {
		if o.Progress != nil {
			o.Progress(done, total)
		}
	})
	slices.SortFunc(rows, byPoint)
	return rows, err
}

type Work[P any] func() ([]P, error)

// Gather returns the parts that the checkpoint at path holds and those that were lacking, in any order; without a
// path no checkpoint keeps them. plan is given the former and says what is kept besides, and what is to do, on so
// many goroutines, 0 meaning GOMAXPROCS. told is called with the number of parts before the first work and after
// each, never from two goroutines at once. The first error ends it. The checkpoint then holds what was finished.
func Gather[H comparable, P any](ctx context.Context, kind *checkpoint.Kind[H, P], path string, head H, workers int,
	plan func(had []P) (besides []P, todo []Work[P], err error), told func(done int)) (parts []P, err error) {
	var file *checkpoint.File
	if path != "" {
		if file, _, parts, err = kind.Open(path, head); err != nil {
			return nil, err
		}
		defer func() {
			if closing := file.Close(); err == nil && closing != nil {
				parts, err = nil, fmt.Errorf("%w: %v", kind.Err, closing)
			}
		}()
	}
	keep := func(made []P) error {
		for _, p := range made {
			parts = append(parts, p)
			if err := file.Append(p); err != nil {
				return fmt.Errorf("%w: %v", kind.Err, err)
			}
		}
		told(len(parts))
		return nil
	}
	besides, todo, err := plan(parts)
	if err == nil {
		err = keep(besides)
	}
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	err = Parallel(ctx, len(todo), workers, func(i int) error {
		made, err := todo[i]()
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		return keep(made)
	})
	if err != nil {
		return nil, err
	}
	return parts, nil
}

// Parallel calls work(0) to work(n-1) on so many goroutines, 0 meaning GOMAXPROCS. After the
// first error, the context's among them, no call is begun.
func Parallel(ctx context.Context, n, workers int, work func(i int) error) error {
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(cmp.Or(workers, runtime.GOMAXPROCS(0)))
	for i := range n {
		g.Go(func() error {
			if err := context.Cause(within); err != nil {
				return err
			}
			return work(i)
		})
	}
	return cmp.Or(g.Wait(), context.Cause(ctx))
}

func byPoint(a, b Row) int { return a.Point - b.Point }

// byLine returns the rows of each parameter sweep, in turn. The error wraps ErrCheckpoint.
func byLine(s model.Sweep, rows []Row) (map[int][]Row, error) {
	lines := map[int][]Row{}
	for _, r := range slices.SortedFunc(slices.Values(rows), byPoint) {
		number := s.LineOf(r.Point)
		if first, _ := s.PointsOf(number); r.Point != first+len(lines[number]) {
			return nil, fmt.Errorf("%w: point %d stands twice, or without the one before it on its line",
				ErrCheckpoint, r.Point)
		}
		lines[number] = append(lines[number], r)
	}
	return lines, nil
}

// simulateSweep makes the rows that a parameter sweep lacks, in turn: each place depends on
// the rows before it, of which those done are there.
func (c *collector) simulateSweep(ctx context.Context, number int, done []Row) ([]Row, error) {
	l, err := sweepOf(c.sweep, number)
	if err != nil {
		return nil, err
	}
	rows := slices.Clone(done)
	first, end := c.sweep.PointsOf(number)
	for id := first + len(rows); id < end; id++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := c.simulatePoint(l, id, nextPlace(rows))
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", id, err)
		}
		rows = append(rows, r)
	}
	return rows[len(done):], nil
}

// simulatePoint simulates the candidates that the sweep does not screen out.
func (c *collector) simulatePoint(l parameterSweep, id int, at float64) (Row, error) {
	p, err := l.point(id, at)
	if err != nil {
		return Row{}, err
	}
	indices, err := synth.Generate(p.Stream)
	if err != nil {
		return Row{}, fmt.Errorf("%w: %w", model.ErrSweep, err)
	}
	bins := uint64(p.Stream.K)
	stats, err := collision.Analyze(indices, collision.Options{
		WarpSize: int(c.device.Core.WarpLanes.Value), Bins: bins, Workers: 1,
	})
	if err != nil {
		return Row{}, err
	}
	row := Row{Point: id, At: at, Stats: Rounded(stats), US: map[string]float64{}}
	for _, v := range c.screened(p, &row.Stats) {
		us, err := c.sim.Simulate(v, c.device, p.Call, indices, bins)
		if err == nil && (!(us > 0) || math.IsInf(us, 0)) {
			err = fmt.Errorf("the time is %v us", us)
		}
		if err != nil {
			return Row{}, fmt.Errorf("%s, %s, %s: %w: %w", p.Stream, p.Call.Type, v, ErrSimulator, err)
		}
		// Of the later start the simulator knows nothing.
		row.US[v.String()] = short(us + c.device.Launch.LaterStart.Value)
	}
	if len(row.US) == 0 {
		return Row{}, fmt.Errorf("%w on %s", model.ErrNone, c.device.Name)
	}
	return row, nil
}

// perImplementation is how many implementations of an implementation are simulated at a point, those of least closed
// form.
const perImplementation = 2

// screened returns the implementations to simulate at a point.
func (c *collector) screened(p Point, stats *collision.Stats) (list []impl.Spec) {
	closed, least := map[impl.Spec]float64{}, math.Inf(1)
	for _, v := range c.device.Ranked() {
		if cost, err := speedup.Predict(v, stats, c.device, p.Call); err == nil {
			closed[v] = cost.US
			list, least = append(list, v), min(least, cost.US)
		}
	}
	if c.sweep.Whole(p.ID) {
		return list
	}
	rank := map[impl.Spec]int{} // in its form
	of := map[string]int{}
	for _, v := range slices.SortedStableFunc(slices.Values(list),
		func(a, b impl.Spec) int { return cmp.Compare(closed[a], closed[b]) }) {
		rank[v], of[v.Name()] = of[v.Name()], of[v.Name()]+1
	}
	return slices.DeleteFunc(list, func(v impl.Spec) bool {
		return rank[v] >= perImplementation || closed[v] > c.sweep.Screen*least
	})
}

// short rounds to seven significant digits.
func short(x float64) float64 {
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 7, 64), 64) // never beyond the largest
	return y
}

// Rounded returns statistics with their means rounded to seven digits.
func Rounded(s collision.Stats) collision.Stats {
	for _, d := range collision.Statistics() {
		if mean := d.Mean(&s); mean != nil {
			*mean = short(*mean)
		}
	}
	return s
}

// reusable returns the rows of a checkpoint that today's closed forms screen the same, of each
// parameter sweep up to the first that they do not: places depend on the rows before. Errors
// wrap ErrCheckpoint or ErrSweep.
func (c *collector) reusable(path string, own Header) (same []Row, err error) {
	old, rows, err := ReadCheckpoint(path)
	if err != nil {
		return nil, err
	}
	old.Sweep.Points, old.ClosedForms = own.Sweep.Points, own.ClosedForms
	if differs := old.differs(own); differs != "" {
		return nil, fmt.Errorf("%s:1: %w: it belongs to another sweep: %s", path, ErrCheckpoint, differs)
	}
	lines, err := byLine(c.sweep, rows)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, number := range c.numbers {
		for _, r := range lines[number] {
			if r.Point >= c.sweep.Points {
				break
			}
			p, err := PointOf(c.sweep, r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			list := c.screened(p, &r.Stats)
			if len(list) != len(r.US) ||
				slices.ContainsFunc(list, func(v impl.Spec) bool { return r.US[v.String()] == 0 }) {
				break
			}
			same = append(same, r)
		}
	}
	return same, nil
}
