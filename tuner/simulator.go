package tuner

import (
	"fmt"
	"math"

	"github.com/atomtune/atomtune/collision"
	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/speedup"
	"github.com/atomtune/atomtune/variant"
)

// A Simulator tells how long one call takes: the index stream and the values
// in device memory, clearing the targets, launches, kernels and flush
// included. It is called from several goroutines at once, must leave the
// indices as they are, and must give the same time for the same arguments.
type Simulator interface {
	Simulate(v variant.Variant, d *device.Profile, c device.Call, indices []uint32, bins uint64) (us float64, err error)
}

// simulatePoint makes the row of a point: all candidates that can run on it
// and have a closed form to correct.
func simulatePoint(sweep Sweep, id int, d *device.Profile, sim Simulator) (Row, error) {
	p, err := sweep.Point(id)
	if err != nil {
		return Row{}, err
	}
	indices, err := synth.Generate(p.Stream)
	if err != nil {
		return Row{}, fmt.Errorf("point %d: %w: %w", p.ID, ErrSweep, err)
	}
	bins := uint64(p.Stream.K)
	s, err := collision.Analyze(indices, collision.Options{
		WarpSize: int(d.Core.WarpLanes.Value), Bins: bins, Workers: 1,
	})
	if err != nil {
		return Row{}, fmt.Errorf("point %d: %w", p.ID, err)
	}
	row := Row{Point: p.ID, Stats: s, US: map[string]float64{}}
	for _, v := range variant.Candidates() {
		closed, err := speedup.Compile(v, d, p.Call)
		if err != nil || closed.Check(&s) != nil {
			continue
		}
		us, err := sim.Simulate(v, d, p.Call, indices, bins)
		if err == nil && (!(us > 0) || math.IsInf(us, 0)) {
			err = fmt.Errorf("the time is %v us", us)
		}
		if err != nil {
			return Row{}, fmt.Errorf("point %d (%s, %s), %s: %w: %w", p.ID, p.Stream, p.Call.Type, v, ErrSimulator, err)
		}
		row.US[v.String()] = us
	}
	if len(row.US) == 0 {
		return Row{}, fmt.Errorf("point %d: %w on %s", p.ID, ErrNone, d.Name)
	}
	return row, nil
}
