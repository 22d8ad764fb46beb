// Package egielski14 simulates the applications of [egielski14], in all forms of
// their atomic updates, and the choice among these forms by a regression tree.
//
// References:
//
//	[egielski14]    I. Egielski, J. Huang, E. Z. Zhang. Massive Atomics for Massive
//	                Parallelism on GPUs. ISMM 2014.
//	[williams07]    S. Williams, L. Oliker, R. Vuduc, J. Shalf, K. Yelick,
//	                J. Demmel. Optimization of Sparse Matrix-Vector Multiplication
//	                on Emerging Multicore Platforms. SC 2007.
package egielski14

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"github.com/atomtune/atomtune/device"
	"github.com/atomtune/atomtune/hwsim"
	"github.com/atomtune/atomtune/hwsim/apps"
	"github.com/atomtune/atomtune/lab/papers"
	"github.com/atomtune/atomtune/variant"
)

//go:embed statements.csv
var statements string

// Paper lists the experiments of [egielski14] in the order of the paper.
// What one of them has simulated, the others that come from the same call use.
func Paper() papers.Paper { return newSimulations().experiments() }

func (c *simulations) experiments() papers.Paper {
	return papers.NewPaper(papers.Paper{Key: "egielski14", Scaled: true, Published: numbers,
		Experiments: []papers.Experiment{
			{Name: "figure2", Title: "Naive atomics in SpMV", Make: c.figure2},
			{Name: "figure5", Title: "SpMV with fewer collisions, and the form chosen", Make: c.figure5},
			{Name: "table1", Title: "Histogram, the chosen form on Kepler",
				Make: c.histogramTable(1, kepler)},
			{Name: "table2", Title: "Histogram, the chosen form on Fermi", Make: c.histogramTable(2, fermi)},
			{Name: "figure7", Title: "Histograms, all forms", Make: c.figure7},
			{Name: "figure8", Title: "SpMV, all forms", Make: c.figure8},
			{Name: "table3", Title: "SpMV, the chosen form", Make: c.table3},
			{Name: "figure10", Title: "All benchmarks", Make: c.figure10},
		}}, statements)
}

// The devices of [egielski14], by profile and by the names of its figures.
const (
	kepler = "gtx680"
	fermi  = "c2075"
)

// generationOf is what the paper calls a device.
var generationOf = map[string]string{kepler: "Kepler", fermi: "Fermi"}

// bothDevices are both devices in the order of the paper's tables.
var bothDevices = []string{kepler, fermi}

// appForm is one way of running a benchmark.
type appForm struct {
	name     string // as the paper's figures have it
	original bool
	method   variant.Variant
}

// The forms of [egielski14] section 4. AA are the device's own atomic
// additions. The histogram without atomics is the thread-private one.
var (
	formOriginal = appForm{name: "original", original: true}
	formPrivate  = appForm{name: "thread-private",
		method: variant.Variant{Base: variant.ThreadPrivate}}
	formAA   = appForm{name: "AA"}
	formSR   = appForm{name: "SR", method: variant.Variant{Reduction: variant.SR}}
	formVR   = appForm{name: "VR", method: variant.Variant{Reduction: variant.VR}}
	formSRSS = appForm{name: "SR+SS", method: variant.Variant{Reduction: variant.SR,
		Scatter: true}}
)

// benchmark is one of the paper's applications. Its first form has no atomics.
type benchmark struct {
	name        string
	application apps.Application
	of          device.Type
	level       apps.Level
	forms       []appForm
	compared    int // how many of the first forms are no choice
	inputs      func(seed uint64, scale int) ([]input, error)
}

// place returns the place of the form, which the benchmark has.
func (b benchmark) place(f appForm) int {
	for i := range b.forms {
		if b.forms[i] == f {
			return i
		}
	}
	panic("no form " + f.name + " of " + b.name)
}

// run names a simulation: what it depends on.
type run struct {
	device      string
	application apps.Application
	of          device.Type
	level       apps.Level
	form        appForm
	input       string
	seed        uint64
	scale       int
}

// simulations simulates the applications of [egielski14] for its experiments, each
// run once for all of them.
type simulations struct {
	profile  func(name string) (*device.Profile, error)
	simulate func(apps.AppConfig, apps.AppInput) (apps.AppResult, error)

	mu    sync.Mutex
	done  map[run]float64    // in microseconds
	drawn map[inputs][]input // by what they are of
}

// inputs names the inputs of an application.
type inputs struct {
	application apps.Application
	seed        uint64
	scale       int
}

func newSimulations() *simulations {
	return &simulations{profile: device.Builtin, simulate: simulateForm, done: map[run]float64{},
		drawn: map[inputs][]input{}}
}

// kernelTime is the time of all kernels in microseconds. [egielski14] section 4
// takes the total time of all kernel invocations. Launching them, 6 us and more,
// is left out: beside the paper's inputs, which are larger, it is little.
func kernelTime(r apps.AppResult, d *device.Profile) float64 {
	cycles := uint64(0)
	for _, k := range r.Kernels {
		cycles += k.Cycles
	}
	return float64(cycles) / d.Core.Clock.Value
}

// us returns the time of a run in microseconds, simulated once.
func (c *simulations) us(r run, in input) (float64, error) {
	c.mu.Lock()
	us, ok := c.done[r]
	c.mu.Unlock()
	if ok {
		return us, nil
	}
	us, err := c.simulated(r, in.AppInput)
	if err != nil {
		return 0, fmt.Errorf("%s of %s on %s: %w", r.form.name, in.name, r.device, err)
	}
	c.mu.Lock()
	c.done[r] = us
	c.mu.Unlock()
	return us, nil
}

// simulated runs the simulator. The host's time for re-laying updates is left
// out: the paper hides it behind other work.
func (c *simulations) simulated(r run, in apps.AppInput) (float64, error) {
	profile, err := c.profile(r.device)
	if err != nil {
		return 0, err
	}
	result, err := c.simulate(apps.AppConfig{
		Device: profile, Application: r.application, Type: r.of, Level: r.level,
		Original: r.form.original, Method: r.form.method, Seed: r.seed, Relaid: true,
	}, in)
	us := kernelTime(result, profile)
	if err == nil && (!result.Correct || !(us > 0)) {
		err = fmt.Errorf("%w: the output is not the serial one", hwsim.ErrSimulation)
	}
	return us, err
}

// simulateForm simulates an application, or the thread-private histogram.
func simulateForm(cfg apps.AppConfig, in apps.AppInput) (apps.AppResult, error) {
	if cfg.Method.Base != variant.ThreadPrivate {
		return apps.RunApplication(cfg, in)
	}
	r, err := hwsim.Run(hwsim.Config{
		Device: cfg.Device, Call: device.Call{Type: cfg.Type, Operand: device.One}, Variant: cfg.Method,
		Seed: cfg.Seed,
	}, in.Keys, in.Bins)
	return apps.AppResult{US: r.US, Kernels: r.Kernels, Correct: r.Correct}, err
}

// run names the benchmark's run. Forms without atomics have no level.
func (b benchmark) run(o papers.Options, gpu string, f appForm, in input) run {
	r := run{gpu, b.application, b.of, b.level, f, in.name, o.Seed, o.Scale}
	if f.original || f == formPrivate {
		r.level = 0
	}
	return r
}

// job is a benchmark on a device.
type job struct {
	benchmark
	gpu string
}

// on returns jobs for both devices, all of the first one first.
func on(all ...benchmark) []job {
	var jobs []job
	for _, gpu := range bothDevices {
		for _, b := range all {
			jobs = append(jobs, job{b, gpu})
		}
	}
	return jobs
}

// inputs draws the inputs of a benchmark, once for all benchmarks of its application.
func (c *simulations) inputs(b benchmark, o papers.Options) ([]input, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	name := inputs{b.application, o.Seed, o.Scale}
	if c.drawn[name] == nil {
		all, err := b.inputs(o.Seed, o.Scale)
		if err != nil {
			return nil, err
		}
		c.drawn[name] = all
	}
	return c.drawn[name], nil
}

// measure runs every form of the jobs on every input and chooses.
func (c *simulations) measure(ctx context.Context, o papers.Options, jobs ...job) ([]measured,
	error) {
	type cell struct{ job, input, form int }
	all := make([]measured, len(jobs))
	var cells []cell
	for j, b := range jobs {
		drawn, err := c.inputs(b.benchmark, o)
		if err != nil {
			return nil, err
		}
		all[j] = measured{job: b, inputs: drawn, us: make([][]float64, len(drawn))}
		for i := range drawn {
			all[j].us[i] = make([]float64, len(b.forms))
			for f := range b.forms {
				cells = append(cells, cell{j, i, f})
			}
		}
	}
	err := o.Share(ctx, len(cells), func() (func(int) error, error) {
		return func(task int) (err error) {
			at := cells[task]
			m := &all[at.job]
			in := m.inputs[at.input]
			m.us[at.input][at.form], err = c.us(m.run(o, m.gpu, m.forms[at.form], in), in)
			return err
		}, nil
	})
	for j := range all {
		if err == nil {
			err = all[j].choose()
		}
	}
	return all, err
}

// findings collects the outcome of one experiment.
type findings struct{ papers.Findings }
