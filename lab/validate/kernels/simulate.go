package kernels

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atomtune/atomtune/datasets/synth"
	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/lab/validate"
	"github.com/atomtune/atomtune/lab/validate/recorded"
	"github.com/atomtune/atomtune/tuner/model"
)

// SimulateOptions say how SimulateKernels works, not what comes out.
type SimulateOptions struct {
	// Journal is the file that keeps finished calls; those found there are not
	// simulated again. Empty keeps them in memory alone.
	Journal string
	Workers int // calls simulated at once; 0 means GOMAXPROCS
	// Progress, if not nil, is called before the first call and after each, never
	// from two goroutines at once.
	Progress func(done, total int)

	engine engine // zero: the simulator
}

// engine makes streams and simulates calls on them; tests put another in its
// place.
type engine struct {
	stream   func(label string) ([]uint32, error)
	simulate func(k recorded.CallKey, indices []uint32, bins uint64) (us float64, applied bool, err error)
}

// on returns the engine, that of the simulator where there is none.
func (e engine) on(gpu *device.Profile) engine {
	if e.simulate == nil {
		e = engine{generated, func(k recorded.CallKey, indices []uint32, bins uint64) (float64, bool, error) {
			return simulateCall(gpu, k, indices, bins)
		}}
	}
	return e
}

// SimulateKernels simulates the planned calls on the H200's held-out synthetic
// streams. The table depends on the plan, the profile and the simulator alone,
// not on workers or interruptions. The first error ends it; the journal then
// holds every finished call. Errors wrap ErrValidate.
func SimulateKernels(ctx context.Context, p KernelPlan, o SimulateOptions) (KernelTable, error) {
	t, err := simulateKernels(ctx, p, o)
	if err != nil {
		return KernelTable{}, fmt.Errorf("%w: %w", validate.ErrValidate, err)
	}
	return t, nil
}

func simulateKernels(ctx context.Context, p KernelPlan, o SimulateOptions) (t KernelTable, err error) {
	if err := p.Validate(); err != nil {
		return t, err
	}
	if o.Workers < 0 {
		return t, fmt.Errorf("%d workers", o.Workers)
	}
	g, err := recordedSet()
	if err != nil {
		return t, err
	}
	b, err := h200Behaviour()
	if err != nil {
		return t, err
	}
	t = KernelTable{Device: g.gpu.Name, Profile: model.ProfileHash(g.gpu), Behaviour: b.hash, Seed: kernelSeed, Plan: p}
	calls := g.planned(p)
	done, j, err := openKernelJournal(o.Journal, t)
	if err != nil {
		return t, err
	}
	defer func() { err = cmp.Or(err, j.close()) }()
	if err := complete(ctx, o.engine.on(g.gpu), calls, done, j, o); err != nil {
		return t, err
	}
	for _, c := range calls {
		t.Times = append(t.Times, SimulatedCall{c.CallKey, done[c.CallKey]})
	}
	return t, nil
}

// complete simulates the calls that are not done yet.
func complete(ctx context.Context, e engine, calls []plannedCall, done map[recorded.CallKey]float64, j *kernelJournal, o SimulateOptions) error {
	var todo []plannedCall
	for _, c := range calls {
		if done[c.CallKey] == 0 {
			todo = append(todo, c)
		}
	}
	finished := len(calls) - len(todo)
	tell := func() {
		if o.Progress != nil {
			o.Progress(finished, len(calls))
		}
	}
	tell()
	return e.simulateAll(ctx, todo, cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), func(c SimulatedCall) error {
		done[c.CallKey] = c.US
		finished++
		tell()
		return j.append(c)
	})
}

// job is a call with its stream.
type job struct {
	plannedCall
	indices []uint32
}

// simulateAll simulates calls, those of one stream together, and hands over each
// time, one at a time, in the order in which they are finished. After the first
// error nothing more is begun.
func (e engine) simulateAll(
	ctx context.Context, calls []plannedCall, workers int, take func(SimulatedCall) error,
) error {
	jobs := make(chan job)
	var taking sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(jobs)
		return e.handOut(ctx, calls, jobs)
	})
	for range min(workers, len(calls)) {
		group.Go(func() error {
			for j := range jobs {
				call, err := e.do(j)
				if err != nil {
					return err
				}
				taking.Lock()
				err = take(call)
				taking.Unlock()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// handOut gives the calls to the workers until the context ends. Each stream is
// made once.
func (e engine) handOut(ctx context.Context, calls []plannedCall, jobs chan<- job) (err error) {
	var indices []uint32
	for i, c := range calls {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if i == 0 || c.Label != calls[i-1].Label {
			if indices, err = e.stream(c.Label); err != nil {
				return err
			}
		}
		select {
		case jobs <- job{c, indices}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (e engine) do(j job) (SimulatedCall, error) {
	us, applied, err := e.simulate(j.CallKey, j.indices, j.bins)
	if err == nil && !applied {
		err = fmt.Errorf("%s: %w: not every update was applied once", j.CallKey, hwsim.ErrSimulation)
	}
	return SimulatedCall{j.CallKey, rounded(us)}, err
}

func generated(label string) ([]uint32, error) {
	spec, err := synth.Parse(label)
	if err != nil {
		return nil, err
	}
	return synth.Generate(spec)
}
